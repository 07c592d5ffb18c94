/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.c - `sberf record`: captures into a file until Ctrl-C, the target's end, or a time limit.
 *
 * sberf does not end the command that it started: after the time limit it waits for the command's
 * end, whose status `record` returns. Signals sent to sberf are passed on to the command; after a
 * second one sberf does not wait.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "capture/probe.h"
#include "cmd/keeping.h"
#include "cmd/launch.h"
#include "cmd/launch_probes.h"
#include "cmd/options.h"
#include "cmd/signals.h"
#include "cmd/record_split.h"
#include "query/pressure_text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_NS (100 * NSEC_PER_MSEC)
#define LOOK_MS 500              /* between looks at what there is to say ... */
#define PLACES_MS 20             /* ... and whether probes are in place */

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

/* Waits for the engine's end, a signal, of which SIGNAL_FD tells, or LOOK_MS milliseconds. True: it has ended. */
static bool wait_for_news(struct engine *en, int signal_fd, int look_ms)
{
	struct pollfd p[] = { { .fd = engine_end_fd(en), .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };

	if (signal_fd < 0)
		return engine_wait(en, POLL_NS);
	/* The signal stays pending: it is taken with who sent it. */
	return poll(p, 2, look_ms) > 0 && p[0].revents;
}

/* Until the engine has ended; a signal stops it, another one gives up on names that are still being looked up. */
static void wait_for_end(struct launch *s, const sigset_t *set)
{
	const struct timespec now = { 0 };
	AUTO_FD int signal_fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	struct engine *en = s->engine;
	size_t shown = 0;
	int signals = 0;

	while (!wait_for_news(en, signal_fd, launch_say_placed(s, "record") ? LOOK_MS : PLACES_MS)) {
		int sig;

		say_activity(en, &shown);
		keeping_say(en, "record");
		launch_say_price(s, "record");
		sig = signals_take(s, set, &now);
		if (!sig)
			continue;
		if (sig == SIGUSR2)
			engine_save(en);
		else if (signals++)
			engine_hurry(en);
		else
			engine_stop(en);
	}
	say_activity(en, &shown);
	keeping_say(en, "record");
}

static void say_losses(const struct profile_meta *m)
{
	for (unsigned int i = 0; i < LOST_NR; i++) {
		const struct reason_info *why = lost_info(i);

		if (m->lost.n[i])
			fprintf(stderr, "sberf record: lost %llu: %s%s%s\n",
				(unsigned long long)m->lost.n[i], why->text, why->remedy[0] ? "; " : "", why->remedy);
	}
}

/*
 * "8.12 s running, 31.6 s blocked and 270 ms runnable in 1,464 waits: own stacks for 97.1 % of it,
 * 99.9 % of them complete"
 */
static void say_waits(const struct profile_meta *m)
{
	const uint64_t off_ns = m->blocked_ns + m->runnable_ns;
	char text[UNITS_MAX], more[UNITS_MAX];

	if (!m->off_cpu)
		return;
	fprintf(stderr, "sberf record: %s running, %s blocked", units_time(text, m->oncpu_ns),
		units_time(more, m->blocked_ns));
	fprintf(stderr, " and %s runnable in %s waits", units_time(text, m->runnable_ns),
		units_thousands(more, m->waits));
	if (off_ns)
		fprintf(stderr, ": own stacks for %s of it",
			units_percent(text, (double)m->wait_own_ns / (double)off_ns));
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

static void say_pressure(const struct profile_meta *m)
{
	char text[PRESSURE_TEXT_MAX];

	if (*pressure_text(m, text))
		fprintf(stderr, "sberf record: %s\n", text);
}

/* How many stacks of programs in Python are whole. */
static void say_scripts(const struct profile_meta *m)
{
	char stacks[UNITS_MAX], percent[UNITS_MAX];

	if (m->script_said[0])
		fprintf(stderr, "sberf record: %s\n", m->script_said);
	if (m->script_stacks)
		fprintf(stderr, "sberf record: %s stack%s with frames of Python, %s of them with all\n",
			units_thousands(stacks, m->script_stacks), m->script_stacks == 1 ? "" : "s",
			units_percent(percent, (double)m->script_whole / (double)m->script_stacks));
}

/* What plug-ins did, if one of them has failed. */
static void say_plugins(const struct profile_meta *m)
{
	if (m->plugin_faults)
		fprintf(stderr, "sberf record: plug-ins: %s\n", m->plugins);
}

static void say_result(const struct profile_meta *m, const struct options *o, const char *path)
{
	char samples[UNITS_MAX], bytes[UNITS_MAX], percent[UNITS_MAX], time[UNITS_MAX], complete[UNITS_MAX + 40] = "";

	if (m->user_samples)
		snprintf(complete, sizeof(complete), " %s of user stacks complete,",
			 units_percent(percent, (double)m->cut[CUT_COMPLETE] / (double)m->user_samples));
	fprintf(stderr, "sberf record: %s samples,%s lost %llu, %s%s in %s\n",
		units_thousands(samples, m->samples), complete,
		(unsigned long long)losses_total(&m->lost), o->keep_ns ? "of which the end is kept, " : "",
		units_bytes(bytes, m->file_bytes), path);
	if (o->keep_ns)
		fprintf(stderr, "sberf record: figures are of all that was seen, what is in %s of the last %s\n", path,
			units_time(time, o->keep_ns));
	if (o->max_bytes && !o->keep_ns)
		fprintf(stderr, "sberf record: of all that was written, the last is in %s, what came before in %s.1 "
			"and so on, %u files at most\n", path, path, o->max_files);
	say_waits(m);
	say_scripts(m);
	say_pressure(m);
	say_plugins(m);
	say_losses(m);
	if (!m->samples && !m->waits)
		fprintf(stderr, "sberf record: nothing of the target ran on %s while it was watched\n",
			o->cpus.n ? "these CPUs" : "a CPU");
}

/* What the user should know before it begins, because it cannot be mended afterwards. */
static void say_notices(const struct launch *s)
{
	struct profile_meta m;
	char text[512];

	/* With --split there is who has what sberf has given up. */
	if (!s->split && !probe_notices(text, sizeof(text)) && text[0])
		fprintf(stderr, "sberf record: %s\n", text);
	if (s->note[0])
		fprintf(stderr, "sberf record: %s\n", s->note);
	engine_status(s->engine, &m);
	if (m.freq_got && m.freq_got < m.freq_asked)
		fprintf(stderr, "sberf record: the kernel grants %u of %u Hz (sysctl "
			"kernel.perf_event_max_sample_rate)\n", m.freq_got, m.freq_asked);
}

/* The command's exit status as a shell tells it. Waits for its end; what is asked of sberf is asked of the command. */
static int command_status(const struct launch *s, const struct profile_meta *m, const sigset_t *set)
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
		sig = signals_take(s, set, &ts);
		if (sig && sig != SIGUSR2 && signals++)
			return 128 + sig;
	}
}

/* The recording has failed; a command that still runs is not left behind for that. */
static int record_give_up(const struct launch *s, const struct profile_meta *m, const sigset_t *set,
			  int r, struct err *e)
{
	if (s->child.pid && m->target_state != TARGET_EXITED && m->target_state != TARGET_KILLED) {
		fprintf(stderr, "sberf record: %s\n", e->text);
		command_status(s, m, set);
		e->code = 0;
		return 1;
	}
	return r;
}

static int record_run(struct launch *s, const struct options *o, const char *path, struct err *e)
{
	struct profile_meta m;
	sigset_t set;
	int r;

	signals_block(&set, o->keep_ns);
	r = launch_start(s, e);
	if (r < 0)
		return r;
	say_notices(s);
	if (o->wait && !s->config.plan.ids.n)
		fprintf(stderr, "sberf record: waiting for a process called '%s' (Ctrl-C ends that)\n", s->target_text);
	wait_for_end(s, &set);
	engine_status(s->engine, &m);
	r = engine_result(s->engine, e);
	if (r < 0)
		return record_give_up(s, &m, &set, r, e);
	say_result(&m, o, path);
	launch_say_probes(s, "record");
	launch_say_spans(s, "record");
	keeping_say_end(s, "record");
	split_say("record", &m);
	return s->child.pid ? command_status(s, &m, &set) : 0;
}

/*
 * Takes standard output for the recording alone: who writes there, the command of S included,
 * writes to standard error from now on. Under its own number, which exec closes, it is then R's.
 */
static int record_take_stdout(const struct options *o, struct recorder_config *r, struct err *e)
{
	if (isatty(STDOUT_FILENO))
		return err_set(e, EINVAL, "a recording is nothing to read on a terminal; name a file with -o, "
			       "or send it on: "
			       "sberf record -o - ... | sberf report -i -");
	r->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (r->fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_set(e, errno, "cannot use standard output for the recording: %s", strerror(errno));
	if (o->target == OPT_TARGET_COMMAND)
		fputs("sberf record: standard output is the recording's; that of the command goes to standard error\n",
		      stderr);
	r->path = "standard output";
	return 0;
}

int cmd_record(const struct options *o, struct err *e)
{
	struct launch s = LAUNCH_INIT;
	struct recorder_config *to = &s.config.record;
	int r = 0;

	if (o->keep_ns)
		signals_keep_usr2(true);
	keeping_config(o, to);
	if (!strcmp(to->path, "-"))
		r = record_take_stdout(o, to, e);
	if (!r)
		r = launch_open(&s, o, false, e);
	if (!r)
		r = record_run(&s, o, to->path, e);
	launch_close(&s);
	if (to->fd > 0)
		close(to->fd);
	return launch_exit(&s, r);
}
