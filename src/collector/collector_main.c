/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector_main.c - the program sberf-collector: the only process of a capture with privileges once that runs
 * (`sberf record --split`). sberf starts it with a socket, and says whom it is about:
 *
 *	sberf-collector TARGET UID GID CGROUP LIMIT_MS READS_MEMORY
 *
 * It looks at no bytes of a file but the first four, and links nothing that does.
 */
#include "config.h"

#include "base/fdmessage.h"
#include "base/parse.h"
#include "collector/keeper.h"
#include "collector/rights.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ARGV is what collector_start() gives. 0, or -EINVAL. */
static int main_read(char **argv, struct grant *ret, uid_t *ret_uid, gid_t *ret_gid,
		     uint32_t *ret_limit)
{
	uint64_t target, uid, gid, limit, reads;

	/* Nobody is served as root. */
	if (parse_u64(argv[1], "target", 0, COLLECTOR_TARGETS - 1, &target, NULL) ||
	    parse_u64(argv[2], "uid", 1, UINT32_MAX - 1, &uid, NULL) ||
	    parse_u64(argv[3], "gid", 0, UINT32_MAX - 1, &gid, NULL) ||
	    parse_u64(argv[5], "limit", 1, KEEPER_BUSY_MS, &limit, NULL) ||
	    parse_u64(argv[6], "reads", 0, 1, &reads, NULL))
		return -EINVAL;
	*ret = (struct grant){ .target = (enum collector_target)target, .list = -1, .cgroup = argv[4],
				.reads_memory = reads, .own = { getppid(), getpid() } };
	if (target == COLLECTOR_PROCESSES || target == COLLECTOR_THREADS)
		ret->list = COLLECTOR_LIST;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	*ret_limit = (uint32_t)limit;
	return 0;
}

static int main_serve(char **argv)
{
	struct collector_hello hello = { .err = 0 };
	struct grant s;
	uint32_t limit = 0;
	uid_t uid;
	gid_t gid;

	hello.err = main_read(argv, &s, &uid, &gid, &limit);
	if (!hello.err)
		hello.err = rights_of_collector(uid, gid);
	if (fdmessage_send(COLLECTOR_SOCKET, &hello, sizeof(hello), -1) || hello.err)
		return 1;
	s.no_openat2 = !grant_has_openat2();
	return keeper_run(COLLECTOR_SOCKET, limit, &s) ? 1 : 0;
}

int main(int argc, char **argv)
{
	socklen_t len = sizeof(int);
	int type = 0;

	if (argc != 7 || getsockopt(COLLECTOR_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_SEQPACKET) {
		fputs("sberf-collector: sberf starts this program by itself; there is no other use for it\n", stderr);
		return 2;
	}
	syscall(SYS_close_range, COLLECTOR_LIST + 1, ~0u, 0);
	return main_serve(argv);
}
