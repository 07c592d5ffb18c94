/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.c - `sberf record`: capture into a file until Ctrl-C, the target's end, or a time.
 *
 * A command that was started is not ended by sberf: when the time is up first, its end is awaited, so that its status is what
 * `record` returns. Signals sent to sberf go on to it; a second one is not waited for.
 */
#include "config.h"

#include "base/clock.h"
#include "base/units.h"
#include "capture/probe.h"
#include "cmd/options.h"
#include "cmd/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define POLL_NS (100 * NSEC_PER_MSEC)

static void ignore(int sig)
{
}

/*
 * The signals that end a recording wait until they are asked for. A shell ignores SIGINT for what it starts in the background, and
 * an ignored signal does not even wait: hence the handler. SIGHUP stays ignored under nohup.
 */
static void block_signals(sigset_t *set)
{
	const struct sigaction act = { .sa_handler = ignore };
	struct sigaction hup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler == SIG_DFL)
		sigaction(SIGHUP, &act, NULL);
}

/*
 * A signal of SET that has come, within TIMEOUT; 0 when none has. One that somebody sent goes on to the command of S; the terminal
 * has given its own to the command already.
 */
static int take_signal(const struct session *s, const sigset_t *set, const struct timespec *timeout)
{
	siginfo_t info;
	const int sig = sigtimedwait(set, &info, timeout);

	if (sig > 0 && s->child.pid && info.si_code <= 0)
		kill(s->child.pid, sig);
	return sig > 0 ? sig : 0;
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
static void wait_for_end(const struct session *s, const sigset_t *set)
{
	const struct timespec now = { 0 };
	struct engine *en = s->engine;
	size_t shown = 0;
	int signals = 0;

	while (!engine_wait(en, POLL_NS)) {
		say_activity(en, &shown);
		if (!take_signal(s, set, &now))
			continue;
		if (signals++)
			engine_hurry(en);
		else
			engine_stop(en);
	}
	say_activity(en, &shown);
}

static void say_losses(const struct profile_meta *m)
{
	for (unsigned int i = 0; i < LOST_NR; i++) {
		const struct reason_info *why = lost_info(i);

		if (m->lost.n[i])
			fprintf(stderr, "sberf record: lost %llu: %s%s%s\n", (unsigned long long)m->lost.n[i], why->text,
				why->remedy[0] ? "; " : "", why->remedy);
	}
}

/* "8.12 s running, 31.6 s blocked and 270 ms runnable in 1,464 waits: own stacks for 97.1 % of it, 99.9 % of them complete" */
static void say_waits(const struct profile_meta *m)
{
	const uint64_t off_ns = m->blocked_ns + m->runnable_ns;
	char text[UNITS_MAX], more[UNITS_MAX];

	if (!m->off_cpu)
		return;
	fprintf(stderr, "sberf record: %s running, %s blocked", units_time(text, m->oncpu_ns), units_time(more, m->blocked_ns));
	fprintf(stderr, " and %s runnable in %s waits", units_time(text, m->runnable_ns), units_thousands(more, m->waits));
	if (off_ns)
		fprintf(stderr, ": own stacks for %s of it", units_percent(text, (double)m->wait_own_ns / (double)off_ns));
	if (m->wait_stacks)
		fprintf(stderr, ", %s of them complete",
			units_percent(text, (double)m->wait_cut[CUT_COMPLETE] / (double)m->wait_stacks));
	fputc('\n', stderr);
	if (m->wait_open)
		fprintf(stderr, "sberf record: %s of them had not ended, after %s in all\n",
			units_thousands(more, m->wait_open), units_time(text, m->wait_open_ns));
	if (m->wait_short)
		fprintf(stderr, "sberf record: %s waits (%s) were shorter than --min-block\n",
			units_thousands(more, m->wait_short), units_time(text, m->wait_short_ns));
}

static void say_result(const struct profile_meta *m, const struct options *o, const char *path)
{
	char samples[UNITS_MAX], bytes[UNITS_MAX], percent[UNITS_MAX], complete[UNITS_MAX + 40] = "";

	if (m->user_samples)
		snprintf(complete, sizeof(complete), " %s of user stacks complete,",
			 units_percent(percent, (double)m->cut[CUT_COMPLETE] / (double)m->user_samples));
	fprintf(stderr, "sberf record: %s samples,%s lost %llu, %s in %s\n", units_thousands(samples, m->samples), complete,
		(unsigned long long)losses_total(&m->lost), units_bytes(bytes, m->file_bytes), path);
	say_waits(m);
	say_losses(m);
	if (!m->samples && !m->waits)
		fprintf(stderr, "sberf record: nothing of the target ran on %s while it was watched\n",
			o->cpus.n ? "these CPUs" : "a CPU");
}

/* What the user should know before it begins, because it cannot be mended afterwards. */
static void say_notices(const struct session *s)
{
	struct profile_meta m;
	char text[512];

	if (!probe_notices(text, sizeof(text)) && text[0])
		fprintf(stderr, "sberf record: %s\n", text);
	engine_status(s->engine, &m);
	if (m.freq_got && m.freq_got < m.freq_asked)
		fprintf(stderr, "sberf record: the kernel grants %u of %u Hz (sysctl kernel.perf_event_max_sample_rate)\n", m.freq_got,
			m.freq_asked);
}

/* The command's exit status as a shell tells it. Waits for its end; what is asked of sberf is asked of the command. */
static int command_status(const struct session *s, const struct profile_meta *m, const sigset_t *set)
{
	const struct timespec ts = { .tv_nsec = (long)POLL_NS };
	bool said = false;
	int status, signals = 0;

	if (m->target_state == TARGET_EXITED)
		return m->end_code;
	if (m->target_state == TARGET_KILLED)
		return 128 + m->end_code;
	for (;;) {
		const pid_t got = waitpid(s->child.pid, &status, WNOHANG);
		int sig;

		if (got == s->child.pid)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		if (got < 0)
			return 1;
		if (!said)
			fprintf(stderr, "sberf record: waiting for '%s' to end\n", s->child.file);
		said = true;
		sig = take_signal(s, set, &ts);
		if (sig && signals++)
			return 128 + sig;
	}
}

/* The recording has failed; a command that still runs is not left behind for that. */
static int give_up(const struct session *s, const struct profile_meta *m, const sigset_t *set, int r, struct err *e)
{
	if (s->child.pid && m->target_state != TARGET_EXITED && m->target_state != TARGET_KILLED) {
		fprintf(stderr, "sberf record: %s\n", e->text);
		command_status(s, m, set);
		e->code = 0;
		return 1;
	}
	return r;
}

static int run(struct session *s, const struct options *o, const char *path, struct err *e)
{
	struct profile_meta m;
	sigset_t set;
	int r;

	block_signals(&set);
	r = session_start(s, e);
	if (r < 0)
		return r;
	say_notices(s);
	wait_for_end(s, &set);
	engine_status(s->engine, &m);
	r = engine_result(s->engine, e);
	if (r < 0)
		return give_up(s, &m, &set, r, e);
	say_result(&m, o, path);
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
		r = run(&s, o, path, e);
	session_close(&s);
	return session_exit(&s, r);
}
