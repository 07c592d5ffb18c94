/* SPDX-License-Identifier: BSD-2-Clause */
/* keeper.c - one hand at a time, a fork of this process, and a socket to it. */
#include "config.h"

#include "collector/keeper.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fdmessage.h"
#include "system/procfs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHUNNED_MAX 16u

struct keeper {
	const struct grant *grant;
	uint32_t limit_ms;
	struct policy_rate rate;
	pid_t pid;               /* of the hand; 0 = there is none */
	int hand;                /* the socket to it; -1 = none */
	pid_t hung[KEEPER_HUNG_MAX];     /* hands that were killed and have not ended; 0 = none */
	struct {
		pid_t pid;
		uint64_t until_ns;
	} shunned[SHUNNED_MAX];
	uint32_t next_shunned;
};

/* The hand. */
static _Noreturn void keeper_serve(int socket, const struct grant *s)
{
	struct collector_request q;
	struct collector_answer a;

	while (fdmessage_take(socket, &q, sizeof(q), NULL) == (ssize_t)sizeof(q)) {
		AUTO_FD int fd = grant_request(s, &q, &a);

		a.took_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (fdmessage_send(socket, &a, sizeof(a), fd))
			break;
	}
	_exit(0);
}

static int keeper_start(struct keeper *k)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	k->pid = fork();
	if (!k->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		keeper_serve(pair[1], k->grant);
	}
	close(pair[1]);
	if (k->pid < 0) {
		k->pid = 0;
		close(pair[0]);
		return -EAGAIN;
	}
	k->hand = pair[0];
	return 0;
}

/* A place for a hand that does not end, -1 = there is none. Those that have ended meanwhile leave theirs. */
static int keeper_place(struct keeper *k)
{
	int place = -1;

	for (int i = 0; i < (int)KEEPER_HUNG_MAX; i++) {
		if (k->hung[i] && waitpid(k->hung[i], NULL, WNOHANG))
			k->hung[i] = 0;
		place = k->hung[i] ? place : i;
	}
	return place;
}

/* Lets go of the hand, killed if it has not ended. */
static void keeper_drop(struct keeper *k)
{
	const int place = keeper_place(k);

	close(take_fd(&k->hand));
	kill(k->pid, SIGKILL);
	/* There was a place when it was started, and nobody has taken one since. */
	k->hung[place < 0 ? 0 : place] = k->pid;
	k->pid = 0;
}

static bool keeper_shuns(const struct keeper *k, pid_t pid)
{
	for (uint32_t i = 0; pid && i < SHUNNED_MAX; i++)
		if (k->shunned[i].pid == pid && k->shunned[i].until_ns > clock_mono_ns())
			return true;
	return false;
}

static void keeper_shun(struct keeper *k, pid_t pid)
{
	const uint32_t i = k->next_shunned++ % SHUNNED_MAX;

	k->shunned[i].pid = pid;
	k->shunned[i].until_ns = clock_mono_ns() + KEEPER_SHUN_S * NSEC_PER_SEC;
}

/* Does the hand want a CPU, and nothing else? */
static bool keeper_hand_runs(const struct keeper *k)
{
	AUTO_FD int dir = proc_open(k->pid);
	struct proc_stat st;

	return dir >= 0 && !proc_read_stat(dir, &st) && st.state == 'R';
}

/* Waits for the answer of the hand; false: none came in time. */
static bool keeper_wait(const struct keeper *k)
{
	struct pollfd p = { .fd = k->hand, .events = POLLIN };

	for (uint32_t ms = 0; ms < KEEPER_BUSY_MS; ms += k->limit_ms) {
		if (poll(&p, 1, (int)k->limit_ms) > 0)
			return true;
		if (!keeper_hand_runs(k))
			break;
	}
	return poll(&p, 1, 0) > 0;
}

/* Has Q served: RET and *RET_FD, or a negative errno. */
static int keeper_serve_by_hand(struct keeper *k, const struct collector_request *q, struct collector_answer *ret,
				int *ret_fd)
{
	int r = k->pid ? 0 : keeper_place(k) < 0 ? -EIO : keeper_start(k);

	r = r ? r : fdmessage_send(k->hand, q, sizeof(*q), -1);
	if (!r && !keeper_wait(k)) {
		keeper_shun(k, q->pid);
		r = -ETIMEDOUT;
	}
	if (!r && fdmessage_take(k->hand, ret, sizeof(*ret), ret_fd) != (ssize_t)sizeof(*ret))
		r = -EIO;
	if (r && k->pid)
		keeper_drop(k);
	return r;
}

/* Answers Q. False: nobody takes answers. */
static bool keeper_answer(struct keeper *k, int socket, const struct collector_request *q)
{
	struct collector_answer a = { .seq = q->seq };
	AUTO_FD int fd = -1;
	int r;

	if (!policy_rate(&k->rate, clock_mono_ns()))
		r = -EDQUOT;
	else if (keeper_shuns(k, q->pid))
		r = -ETIMEDOUT;
	else
		r = keeper_serve_by_hand(k, q, &a, &fd);
	if (!r && a.err == POLICY_OUTSIDE)
		policy_rate_back(&k->rate);
	if (r)
		a = (struct collector_answer){ .seq = q->seq, .err = r };
	return !fdmessage_send(socket, &a, sizeof(a), r ? -1 : fd);
}

int keeper_run(int socket, uint32_t limit_ms, const struct grant *s)
{
	struct keeper k = { .limit_ms = limit_ms, .grant = s, .hand = -1, .rate = { .since_ns = clock_mono_ns() } };
	struct collector_request q;
	ssize_t n;

	do
		n = fdmessage_take(socket, &q, sizeof(q), NULL);
	while (n == (ssize_t)sizeof(q) && keeper_answer(&k, socket, &q));
	if (k.pid)
		keeper_drop(&k);
	if (n == 0 || n == -ECONNRESET || n == (ssize_t)sizeof(q))
		return 0;
	return n > 0 || n == -EMSGSIZE ? 1 : (int)n;
}
