/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector_main.c - the program sberf-collector: the only process of a capture with privileges. sberf starts it
 * with a socket, and says what it is for: to hold the kernel half of the capture (holder.h), or to open files and
 * read memory of the target (collector/keeper.h), and whom that is about:
 *
 *	sberf-collector holds UID GID
 *	sberf-collector TARGET UID GID CGROUP LIMIT_MS READS_MEMORY
 *
 * It looks at no bytes of a file but the first four, and links nothing that does.
 */
#include "config.h"

#include "base/fdmessage.h"
#include "base/parse.h"
#include "collector/collector_policy.h"
#include "collector/keeper.h"
#include "collector/rights.h"
#include "holder/holder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nobody is served as root. 0 or -EINVAL. */
static int main_read_user(char **argv, uid_t *ret_uid, gid_t *ret_gid)
{
	uint64_t uid, gid;

	if (parse_u64(argv[2], "uid", 1, UINT32_MAX - 1, &uid, NULL) ||
	    parse_u64(argv[3], "gid", 0, UINT32_MAX - 1, &gid, NULL))
		return -EINVAL;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return 0;
}

/* The same of what is left of ARGV, which is what collector_start() gives. */
static int main_read(char **argv, struct grant *ret, uint32_t *ret_limit)
{
	uint64_t target, limit, reads;

	if (parse_u64(argv[1], "target", 0, COLLECTOR_TARGETS - 1, &target, NULL) ||
	    parse_u64(argv[5], "limit", 1, KEEPER_BUSY_MS, &limit, NULL) ||
	    parse_u64(argv[6], "reads", 0, 1, &reads, NULL))
		return -EINVAL;
	*ret = (struct grant){ .target = (enum collector_target)target, .list = -1, .cgroup = argv[4],
				.reads_memory = reads, .own = { getppid(), getpid() } };
	if (target == COLLECTOR_PROCESSES || target == COLLECTOR_THREADS)
		ret->list = COLLECTOR_LIST;
	*ret_limit = (uint32_t)limit;
	return 0;
}

/* Gives up all rights but CAPS, unless ERR says that something is wrong already, and says how that went. */
static bool main_begin(char **argv, int err, uint64_t caps)
{
	struct collector_hello hello = { .err = err, .lacks = rights_lacking(caps) };
	uid_t uid = 0;
	gid_t gid = 0;

	if (!hello.err)
		hello.err = main_read_user(argv, &uid, &gid);
	if (!hello.err)
		hello.err = hello.lacks ? -EPERM : rights_of_collector(uid, gid, caps);
	return !fdmessage_send(COLLECTOR_SOCKET, &hello, sizeof(hello), -1) && !hello.err;
}

static int main_serve(char **argv)
{
	struct grant s;
	uint32_t limit = 0;
	const int err = main_read(argv, &s, &limit);

	if (!main_begin(argv, err, policy_caps()) || rights_of_answers(false))
		return 1;
	s.no_openat2 = !grant_has_openat2();
	return keeper_run(COLLECTOR_SOCKET, limit, &s) ? 1 : 0;
}

static int main_hold(char **argv)
{
	/* It takes more than what is kept. */
	holder_begin();
	return main_begin(argv, 0, policy_caps_to_hold()) ? holder_run(COLLECTOR_SOCKET, getppid()) : 1;
}

int main(int argc, char **argv)
{
	const bool holds = argc == 4 && !strcmp(argv[1], COLLECTOR_HOLDS);
	socklen_t len = sizeof(int);
	int type = 0;

	if ((argc != 7 && !holds) || getsockopt(COLLECTOR_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    type != SOCK_SEQPACKET) {
		fputs("sberf-collector: sberf starts this program by itself; there is no other use for it\n", stderr);
		return 2;
	}
	syscall(SYS_close_range, COLLECTOR_LIST + 1, ~0u, 0);
	return holds ? main_hold(argv) : main_serve(argv);
}
