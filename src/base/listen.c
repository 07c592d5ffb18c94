/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/listen.h"

#include "base/cleanup.h"
#include "base/parse.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define BACKLOG 16
#define TRIES 16                 /* to find a port that is free at both addresses */

int listen_path(const char *path, mode_t mode, struct err *e)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;
	mode_t mask;
	int rc;

	if (strlen(path) >= sizeof(un.sun_path))
		return err_set(e, ENAMETOOLONG, "'%s' is too long for a socket: at most %zu bytes", path,
			       sizeof(un.sun_path) - 1);
	strcpy(un.sun_path, path);
	if (fd < 0)
		return err_set(e, errno, "cannot make a socket: %s", strerror(errno));
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode)) {
		if (!connect(fd, (const struct sockaddr *)&un, sizeof(un)))
			return err_set(e, EADDRINUSE, "somebody listens at %s already: give another path", path);
		if (errno == ECONNREFUSED)
			unlink(path);
	}
	mask = umask(0777 & ~mode);
	rc = bind(fd, (const struct sockaddr *)&un, sizeof(un)) || listen(fd, BACKLOG) ? errno : 0;
	umask(mask);
	if (rc)
		return err_set(e, rc, "cannot listen at %s: %s", path, strerror(rc));
	return take_fd(&fd);
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_size(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* A socket at PORT of 127.0.0.1, or ::1, or a negative errno. *PORT: the one that it got. */
static int listen_port(bool v6, uint16_t *port)
{
	union address a = { .any.sa_family = v6 ? AF_INET6 : AF_INET };
	AUTO_FD int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = address_size(&a);
	const int on = 1;

	if (v6) {
		a.v6.sin6_addr = in6addr_loopback;
		a.v6.sin6_port = htons(*port);
	} else {
		a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		a.v4.sin_port = htons(*port);
	}
	/* Connections of an earlier run, which still close, must not keep a later one from its port. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on))) ||
	    bind(fd, &a.any, size) || listen(fd, BACKLOG) || getsockname(fd, &a.any, &size))
		return -errno;
	*port = ntohs(v6 ? a.v6.sin6_port : a.v4.sin_port);
	return take_fd(&fd);
}

/* Without IPv6, or without its loopback address. */
static bool is_missing(int r)
{
	return r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL;
}

/* At both addresses, at the port *PORT; 0: the same free one. */
static int listen_both(uint16_t *port, int fd[2])
{
	for (unsigned int i = 0;; i++) {
		AUTO_FD int v4 = -1;
		uint16_t got = *port;
		int v6;

		v4 = listen_port(false, &got);
		if (v4 < 0)
			return v4;
		v6 = listen_port(true, &got);
		if (v6 >= 0 || is_missing(v6)) {
			fd[0] = take_fd(&v4);
			fd[1] = v6 >= 0 ? v6 : -1;
			*port = got;
			return 0;
		}
		if (v6 != -EADDRINUSE || *port || i == TRIES)
			return v6;
	}
}

int listen_loopback(const char *address, int fd[2], uint16_t *ret_port, struct err *e)
{
	const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
	const size_t len = colon ? (size_t)(colon - address) : 0;
	const bool v4 = len == 9 && !memcmp(address, "127.0.0.1", 9), v6 = len == 5 && !memcmp(address, "[::1]", 5);
	uint64_t number;
	uint16_t at;
	int r;

	fd[0] = fd[1] = -1;
	if (colon && !v4 && !v6)
		return err_set(e, EINVAL, "sberf listens at 127.0.0.1 and [::1] only, and not at '%s': others come by "
			       "ssh -L, or by a proxy in front of --socket", address);
	r = parse_u64(port, "port", 0, 65535, &number, e);
	if (r < 0)
		return r;
	at = (uint16_t)number;
	if (colon) {
		r = listen_port(v6, &at);
		fd[0] = r;
	} else {
		r = listen_both(&at, fd);
	}
	if (r < 0)
		return err_set(e, -r, "cannot listen at %s: %s", address, strerror(-r));
	*ret_port = at;
	return 0;
}
