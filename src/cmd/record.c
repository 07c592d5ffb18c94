/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.c - `sberf record`: capture into a file until Ctrl-C, the target's end, or a time.
 *
 * A command that was started is never ended by sberf: when the time is up first, its end is awaited, so that its status is what
 * `record` returns. A second Ctrl-C does not wait.
 */
#include "config.h"

#include "base/clock.h"
#include "base/units.h"
#include "cmd/options.h"
#include "cmd/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define POLL_NS (100 * NSEC_PER_MSEC)

static void block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* What a worker does that takes long, on a line of its own that is drawn over; on a terminal only. */
static void say_activity(struct engine *en, size_t *shown)
{
	struct profile_meta m;
	size_t n;

	if (!isatty(STDERR_FILENO))
		return;
	engine_status(en, &m);
	n = strlen(m.activity);
	if (n || *shown)
		fprintf(stderr, "\r%s%*s\r", m.activity, n < *shown ? (int)(*shown - n) : 0, "");
	*shown = n;
}

/* Until the engine has ended; a signal stops it, another one gives up on names that are still being looked up. */
static void wait_for_end(struct engine *en, const sigset_t *set)
{
	const struct timespec now = { 0 };
	size_t shown = 0;
	int signals = 0;

	while (!engine_wait(en, POLL_NS)) {
		say_activity(en, &shown);
		if (sigtimedwait(set, NULL, &now) <= 0)
			continue;
		if (signals++)
			engine_hurry(en);
		else
			engine_stop(en);
	}
	say_activity(en, &shown);
}

static void say_result(const struct profile_meta *m, const char *path)
{
	char samples[UNITS_MAX], bytes[UNITS_MAX], complete[UNITS_MAX] = "no";
	const uint64_t lost = losses_total(&m->lost);

	if (m->user_samples)
		units_percent(complete, (double)m->cut[CUT_COMPLETE] / (double)m->user_samples);
	fprintf(stderr, "sberf record: %s samples, %s of user stacks complete, lost %llu, %s in %s\n",
		units_thousands(samples, m->samples), complete, (unsigned long long)lost, units_bytes(bytes, m->file_bytes), path);
	for (unsigned int i = 0; lost && i < LOST_NR; i++) {
		const struct reason_info *why = lost_info(i);

		if (m->lost.n[i])
			fprintf(stderr, "sberf record: lost %llu: %s%s%s\n", (unsigned long long)m->lost.n[i], why->text,
				why->remedy[0] ? "; " : "", why->remedy);
	}
	if (!m->samples)
		fprintf(stderr, "sberf record: nothing ran on a CPU while it was watched\n");
}

/* The command's exit status as a shell tells it; waits for it, unless a signal says not to. */
static int command_status(const struct session *s, const struct profile_meta *m, const sigset_t *set)
{
	const struct timespec ts = { .tv_nsec = (long)POLL_NS };
	int status;

	if (m->target_state == TARGET_EXITED)
		return m->end_code;
	if (m->target_state == TARGET_KILLED)
		return 128 + m->end_code;
	for (;;) {
		const pid_t got = waitpid(s->child.pid, &status, WNOHANG);

		if (got == s->child.pid)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		if (got < 0)
			return 1;
		if (sigtimedwait(set, NULL, &ts) > 0)
			return 128 + SIGINT;
	}
}

static int run(struct session *s, const char *path, struct err *e)
{
	struct profile_meta m;
	sigset_t set;
	int r;

	block_signals(&set);
	r = session_start(s, e);
	if (r < 0)
		return r;
	wait_for_end(s->engine, &set);
	engine_status(s->engine, &m);
	r = engine_result(s->engine, e);
	if (r < 0)
		return r;
	say_result(&m, path);
	return s->child.pid ? command_status(s, &m, &set) : 0;
}

int cmd_record(const struct options *o, struct err *e)
{
	struct session s = SESSION_INIT;
	const char *path = o->output ? o->output : "sberf.data";
	int r;

	s.config.record_path = path;
	r = session_open(&s, o, false, e);
	if (!r)
		r = run(&s, path, e);
	session_close(&s);
	return session_exit(&s, r);
}
