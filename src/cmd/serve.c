/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve.c - `sberf serve` and `sberf agent`: a running capture or a recording as a session, and a server of it
 * (serve/server.h). The agent is the same server without the page.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/listen.h"
#include "base/spawn.h"
#include "base/units.h"
#include "cmd/filter_options.h"
#include "cmd/keeping.h"
#include "cmd/launch.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "cmd/record_split.h"
#include "cmd/signals.h"
#include "engine/ceiling.h"
#include "push/pusher.h"
#include "query/timerange.h"
#include "serve/server.h"
#include "session/backends.h"
#include "system/switches.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct service {
	const struct options *o;
	struct serve_config config;
	struct launch launch;            /* of a running capture, */
	struct open_recording recording; /* or a recording */
	struct still still;
	struct session session;
	struct pusher_config push;       /* with --push, */
	struct pusher *pusher;           /* and while it captures */
	char *headers;                   /* of --push-headers; NULL = none */
	sigset_t set;
	uint32_t level;                  /* of rates, with --max-cpu (engine/ceiling.h) */
	bool may_pause, exceeded;        /* it may capture for a part of the time; rates do not suffice */
	bool full;                       /* the capture's store is, so another one is to begin */
	bool room;                       /* for waits, which were left out */
	bool unknown;                    /* what the BPF programs take: that was said */
	struct ceiling_room waits;       /* and what is known of that */
	uint32_t share;                  /* what all took in the last two seconds, in millionths of one CPU */
	uint64_t begun_ns;               /* of the capture */
	uint64_t over_ns;                /* since when its target is no more; 0 = it is */
	uint64_t trimmed_ns;             /* when free memory was last given back */
	uint64_t bpf_ns;                 /* that captures which have ended took in the kernel */
};

#define ARENAS 2                 /* of the allocator of an agent: what is free in one is room that others do not get */
#define TRIM_NS (10 * NSEC_PER_SEC)      /* between two times when what is free goes back to the kernel */
#define GOODBYE_NS (2 * NSEC_PER_SEC)    /* for who has asked an agent for a profile when its target ended */
#define LAST_NAMES_NS NSEC_PER_SEC       /* for names of what is pushed at the end */
#define PAUSE_MOST_NS (3600 * NSEC_PER_SEC)
#define STORE_LEAST_NS (10 * NSEC_PER_SEC)       /* a store that is full sooner than that stays as it is until then */

/* What a profile store knows as one service: what was named as target. */
static const char *service_name(const struct options *o)
{
	const char *slash;

	if (o->name || o->container)
		return o->name ? o->name : o->container;
	if (o->target == OPT_TARGET_CGROUP)
		return o->cgroup;
	if (o->target != OPT_TARGET_COMMAND)
		return o->target == OPT_TARGET_ALL ? "host" : "process";
	slash = strrchr(o->argv[0], '/');
	return slash ? slash + 1 : o->argv[0];
}

/* Reads what --push and the options about it say: before anything is captured, as the next. */
static int service_push(struct service *s, struct err *e)
{
	struct pusher_config *p = &s->push;
	char text[PUSH_LABEL_MAX + 16], host[256] = "";
	int r = push_url_parse(s->o->push, &p->url, e);

	for (size_t i = 0; !r && i < s->o->labels.n; i++)
		r = push_labels_add(&p->labels, s->o->labels.v[i], e);
	if (!r && s->o->push_headers)
		r = push_headers_read(s->o->push_headers, &s->headers, e);
	p->headers = s->headers ? s->headers : "";
	p->ca = s->o->push_ca;
	p->command = s->o->command_name;
	if (!r && !push_labels_get(&p->labels, "service_name")) {
		snprintf(text, sizeof(text), "service_name=%.*s", (int)PUSH_LABEL_MAX - 1, service_name(s->o));
		r = push_labels_add(&p->labels, text, e);
	}
	if (!r && !push_labels_get(&p->labels, "instance") && !gethostname(host, sizeof(host) - 1)) {
		snprintf(text, sizeof(text), "instance=%.*s", (int)PUSH_LABEL_MAX - 1, host);
		r = push_labels_add(&p->labels, text, e);
	}
	return r;
}

/* Pushes what is left, when the capture has ended and all of it is known. */
static void service_end_push(struct service *s)
{
	struct pusher_figures f = { 0 };

	if (!s->pusher)
		return;
	(void)symbolizer_wait(engine_symbolizer(s->launch.engine), LAST_NAMES_NS);
	pusher_free(take_ptr(s->pusher), &f);
	fprintf(stderr, "sberf %s: %" PRIu64 " windows of ten seconds pushed (%" PRIu64 " KB), %" PRIu64 " attempts "
		"failed, %" PRIu64 " windows refused, %" PRIu64 " dropped\n",
		s->o->command_name, f.pushed, f.bytes / 1024, f.again, f.refused, f.dropped);
}

/* Opens what listens, and draws or reads the secret: before anything is captured, so that errors come at once. */
static int service_listen(struct service *s, struct err *e)
{
	struct serve_config *c = &s->config;
	const bool listens = s->o->listen || s->o->socket || s->config.may != SERVE_PULLS;
	int r = !listens ? 0 : s->o->prefix_file ? serve_secret_read(&c->policy, s->o->prefix_file, e) :
				    serve_secret_draw(&c->policy, e);

	if (r < 0 || !listens)
		return r;
	if (!s->o->socket)
		return listen_loopback(s->o->listen ? s->o->listen : "0", c->listening, &c->policy.port, e);
	c->listening[0] = listen_path(s->o->socket, 0600, e);
	return c->listening[0] < 0 ? c->listening[0] : 0;
}

/* The address, on standard output: for people, and for programs that began this one. */
static void say_address(const struct service *s)
{
	const struct serve_policy *p = &s->config.policy;
	const char *path = s->config.may == SERVE_PULLS ? "debug/pprof/profile" : "";

	if (s->o->socket)
		printf("unix:%s:/%s/%s\n", s->o->socket, p->secret, path);
	else if (s->config.listening[1] < 0 && s->o->listen && *s->o->listen == '[')
		printf("http://[::1]:%u/%s/%s\n", (unsigned int)p->port, p->secret, path);
	else
		printf("http://127.0.0.1:%u/%s/%s\n", (unsigned int)p->port, p->secret, path);
	fflush(stdout);
}

static void say_figures(const struct service *s, const struct serve_figures *f)
{
	fprintf(stderr, "sberf %s: %" PRIu64 " requests answered, %" PRIu64 " refused, %" PRIu64 " events sent, "
		"%" PRIu64 " skipped for slow readers, %" PRIu64 " connections dropped as too slow, "
		"%" PRIu64 " for want of room\n",
		s->o->command_name, f->answered, f->refused, f->events, f->skipped, f->slow, f->crowded);
}

static bool service_stop(void *ctx)
{
	const struct timespec now = { 0 };
	struct service *s = ctx;
	const int sig = signals_take(&s->launch, &s->set, &now);

	if (sig == SIGUSR2)
		engine_save(s->launch.engine);
	return sig && sig != SIGUSR2;
}

/* Says when what sberf takes has changed the rates. */
static void service_say_level(struct service *s, const struct profile_meta *m)
{
	char took[UNITS_MAX];

	if (m->own_level == s->level)
		return;
	fprintf(stderr, "sberf %s: takes %s of one CPU, and --max-cpu is %g%%: from now on %u Hz instead of %u, and "
		"one of %u waits that would be told\n", s->o->command_name, units_percent(took, m->own_share / 1e6),
		s->o->max_cpu, s->o->freq_hz >> m->own_level ? s->o->freq_hz >> m->own_level : 1, s->o->freq_hz,
		1u << m->own_level);
	s->level = m->own_level;
}

/* The ceiling is for all that sberf takes, so it is said where it cannot be. */
static void service_say_unknown(struct service *s, const struct profile_meta *m)
{
	if (s->unknown || !m->user_cpu_ns || m->bpf_cpu_ns != META_UNKNOWN)
		return;
	s->unknown = true;
	fprintf(stderr, "sberf %s: what its BPF programs take is not known, so --max-cpu %g%% is for the rest alone: "
		"the kernel measures it with CAP_SYS_ADMIN, or after: sudo sysctl kernel.bpf_stats_enabled=1\n",
		s->o->command_name, s->o->max_cpu);
}

/* Windows, trees and tables of symbols come and go in all threads: an agent kept twice as much as it used. */
static void service_trim(struct service *s)
{
	const uint64_t now = clock_mono_ns();

	if (now - s->trimmed_ns < TRIM_NS)
		return;
	s->trimmed_ns = now;
	(void)malloc_trim(0);
}

/* The file with the number of switches has a line for each CPU: it is read no more often than it is looked at. */
static void service_look_for_room(struct service *s)
{
	const uint64_t now = clock_mono_ns();

	if (now - s->waits.at_ns >= CEILING_LOOK_NS)
		s->room = ceiling_room_look(&s->waits, s->launch.config.max_cpu, system_switches(), now);
}

static bool service_turn(void *ctx)
{
	struct service *s = ctx;
	struct profile_meta m;

	service_trim(s);
	if (s->o->keep_ns)
		keeping_say(s->launch.engine, s->o->command_name);
	engine_status(s->launch.engine, &m);
	if (s->o->max_cpu != PERCENT_NONE) {
		service_say_level(s, &m);
		service_say_unknown(s, &m);
		s->exceeded = m.own_exceeded && s->may_pause;
		s->share = m.own_share;
		service_look_for_room(s);
	}
	/* Who serves pages has what was seen so far on them; an agent has pushed it, or was asked for it. */
	s->full = m.refused && s->may_pause && s->config.may == SERVE_PULLS &&
		clock_mono_ns() - s->begun_ns >= STORE_LEAST_NS;
	if (s->session.ended(s->session.ctx) && !s->over_ns)
		s->over_ns = clock_mono_ns();
	return s->exceeded || s->full || s->room || (s->over_ns && clock_mono_ns() - s->over_ns >= GOODBYE_NS);
}

/* Of pages: who looks at one has it until it is told to end. */
static bool service_turn_page(void *ctx)
{
	service_trim(ctx);
	return false;
}

static int service_run(struct service *s, struct err *e)
{
	struct serve_figures figures;
	AUTO_FD int wake = signalfd(-1, &s->set, SFD_CLOEXEC | SFD_NONBLOCK);
	int r;

	if (wake < 0)
		return err_set(e, errno, "cannot wait for signals: %s", strerror(errno));
	s->config.session = &s->session;
	s->config.source.names = s->session.names;
	s->config.source.code = &s->session.code;
	s->config.wake_fd = wake;
	s->config.stop = service_stop;
	s->config.turn = s->config.may == SERVE_PULLS ? service_turn : service_turn_page;
	s->config.ctx = s;
	if (s->config.listening[0] >= 0 || s->config.listening[1] >= 0)
		say_address(s);
	s->push.session = &s->session;
	s->push.source = s->config.source;
	r = s->o->push ? pusher_new(&s->push, &s->pusher, e) : 0;
	if (r < 0)
		return r;
	r = serve_run(&s->config, &figures, e);
	if (!s->pusher && (s->config.listening[0] >= 0 || s->config.listening[1] >= 0))
		say_figures(s, &figures);
	return r;
}

/* The filters; an import counts one thing. */
static int service_ask(struct service *s, const char *arch, bool import, struct err *e)
{
	struct query *q = &s->config.source.query;
	const int r = filter_options_query(s->o, arch, q, e);

	if (import)
		q->measures = 0;
	q->group_by = s->o->group_by;
	s->config.source.group_given = s->o->group_given;
	return r;
}

/* What runs */

/* What this process has used of CPUs, and those that work for it. */
static uint64_t service_own_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + spawn_cpu_ns();
}

/* Waits for NS, or for a signal that ends it: false. */
static bool service_pause(struct service *s, uint64_t ns)
{
	const uint64_t until = clock_mono_ns() + ns;
	int sig = 0;

	for (uint64_t now = clock_mono_ns(); now < until && (!sig || sig == SIGUSR2); now = clock_mono_ns()) {
		const struct timespec left = { .tv_sec = (time_t)((until - now) / NSEC_PER_SEC),
					       .tv_nsec = (long)((until - now) % NSEC_PER_SEC) };

		sig = signals_take(&s->launch, &s->set, &left);
	}
	return !sig || sig == SIGUSR2;
}

static int service_capture_once(struct service *s, struct err *e)
{
	struct profile_meta m;
	int r;

	s->begun_ns = clock_mono_ns();
	s->exceeded = s->full = s->room = false;
	s->launch.config.refresh_ns = s->o->refresh_ns ? s->o->refresh_ns : NSEC_PER_SEC;
	s->launch.config.max_cpu = s->o->max_cpu == PERCENT_NONE ? 0 : (uint32_t)(s->o->max_cpu * 1e4 + 0.5);
	s->launch.config.cpu_level = s->level;
	/* Ranges are chosen on a page, and nowhere else. */
	s->launch.config.slice_ns = s->config.may == SERVE_PULLS ? 0 : TIME_SLICE_NS;
	s->launch.config.unattended = s->config.may == SERVE_PULLS;
	if (s->o->keep_ns) {
		signals_keep_usr2(true);
		keeping_config(s->o, &s->launch.config.record);
		s->launch.config.record_spare = true;
	}
	r = launch_open(&s->launch, s->o, true, e);
	if (r < 0)
		return r;
	signals_block(&s->set, s->o->keep_ns);
	r = launch_start(&s->launch, e);
	if (r >= 0 && s->o->wait && !s->launch.config.plan.ids.n)
		fprintf(stderr, "sberf %s: waiting for a process called '%s'\n", s->o->command_name,
			s->launch.target_text);
	if (r >= 0 && s->launch.note[0])
		fprintf(stderr, "sberf %s: %s\n", s->o->command_name, s->launch.note);
	if (r >= 0) {
		s->session = session_from_engine(s->launch.engine);
		r = service_run(s, e);
	}
	launch_end_command(&s->launch);
	engine_stop(s->launch.engine);
	engine_wait(s->launch.engine, 0);
	service_end_push(s);
	keeping_say(s->launch.engine, s->o->command_name);
	keeping_say_end(&s->launch, s->o->command_name);
	engine_status(s->launch.engine, &m);
	split_say(s->o->command_name, &m);
	s->bpf_ns += m.bpf_cpu_ns == META_UNKNOWN ? 0 : m.bpf_cpu_ns;
	return r < 0 ? r : engine_result(s->launch.engine, e);
}

/*
 * Captures until it is to end. An agent begins anew when its store is full: in weeks more stacks and threads come than
 * it may keep. Where rates at their lowest level cost too much, first waits are left out, and then it pauses as long as
 * it takes for all of it to be below the ceiling. Waits come back when there is room for them.
 */
static int service_capture(struct service *s, struct err *e)
{
	const uint64_t begun_ns = clock_mono_ns(), own_ns = service_own_ns();
	const struct options *const asked = s->o;
	struct options fewer = *asked;
	char took[UNITS_MAX], time[UNITS_MAX];
	uint64_t all_ns, paused_ns = 0;
	int r = service_ask(s, NULL, false, e);

	/* A command is begun once, and privileges are given up once. */
	s->may_pause = asked->target != OPT_TARGET_COMMAND && !asked->split;
	for (bool on = r >= 0; on; ) {
		const bool waits = s->o->off_cpu;
		const uint64_t from_ns = clock_mono_ns(), from_own = service_own_ns(), from_bpf = s->bpf_ns;
		uint64_t pause_ns, took_ns;

		r = service_capture_once(s, e);
		on = r >= 0 && !s->over_ns && (s->exceeded || s->full || s->room);
		if (!on)
			break;
		launch_close(&s->launch);
		s->launch = (struct launch)LAUNCH_INIT;
		if (!s->exceeded && s->room) {
			fprintf(stderr, "sberf %s: there is room below --max-cpu %g%%: waits are followed again\n",
				asked->command_name, asked->max_cpu);
			ceiling_room_back(&s->waits);
			s->o = asked;
			continue;
		}
		if (!s->exceeded) {
			fprintf(stderr, "sberf %s: its store of stacks and threads was full (--store-size) after %s: a "
				"new one begins\n", asked->command_name, units_time(time, clock_mono_ns() - from_ns));
			continue;
		}
		fewer.off_cpu = false;
		s->o = &fewer;
		if (waits) {
			ceiling_room_leave(&s->waits, s->share);
			fprintf(stderr, "sberf %s: still takes more than --max-cpu %g%%: from now on waits are left "
				"out\n", asked->command_name, asked->max_cpu);
			continue;
		}
		took_ns = service_own_ns() - from_own + s->bpf_ns - from_bpf;
		pause_ns = (uint64_t)((double)took_ns * 100 / asked->max_cpu);
		pause_ns = pause_ns > clock_mono_ns() - from_ns ? pause_ns - (clock_mono_ns() - from_ns) : 0;
		pause_ns = pause_ns < PAUSE_MOST_NS ? pause_ns : PAUSE_MOST_NS;
		fprintf(stderr, "sberf %s: still takes more than --max-cpu %g%%: captures nothing for %s\n",
			asked->command_name, asked->max_cpu, units_time(time, pause_ns));
		paused_ns += pause_ns;
		on = service_pause(s, pause_ns);
	}
	s->o = asked;
	all_ns = service_own_ns() - own_ns + s->bpf_ns;
	if (asked->max_cpu != PERCENT_NONE)
		fprintf(stderr, "sberf %s: took %s of one CPU in all, with its start%s%s%s\n", asked->command_name,
			units_percent(took, (double)all_ns / (double)(clock_mono_ns() - begun_ns)),
			s->unknown ? ", without its BPF programs" : "",
			paused_ns ? "; it paused for " : "", paused_ns ? units_time(time, paused_ns) : "");
	return r;
}

/* A recording */

/* Who only serves a recording needs no privilege any more: none is left to whoever might find a hole. */
static int service_drop_privileges(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { 0 } };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none))
		return err_set(e, errno, "cannot give up privileges: %s", strerror(errno));
	return 0;
}

static int service_read(struct service *s, struct err *e)
{
	static const struct sandbox_reading stays = { .stays = true };
	struct open_recording *l = &s->recording;
	int r;

	l->fine = true;
	l->keeps = &stays;
	l->twice = !s->o->import;
	r = open_recording(l, open_recording_path(s->o->input), s->o, e);
	r = r < 0 ? r : service_ask(s, l->meta.arch, l->meta.unit[0], e);
	if (r < 0)
		return r;
	s->still = (struct still){ .snapshot = l->snapshot, .meta = l->meta, .names = l->names };
	s->session = session_from_still(&s->still);
	if (l->twice) {
		s->config.source.each_event = open_recording_events;
		s->config.source.events = l;
	}
	signals_block(&s->set, false);
	r = service_drop_privileges(e);
	return r < 0 ? r : service_run(s, e);
}

static int service(const struct options *o, unsigned int may, struct err *e)
{
	struct service s = {
		.o = o, .launch = LAUNCH_INIT,
		.config = { .may = may, .listening = { -1, -1 } },
	};
	int r = o->push ? service_push(&s, e) : 0;

	r = r < 0 ? r : service_listen(&s, e);

	if (r >= 0)
		r = o->input ? service_read(&s, e) : service_capture(&s, e);
	for (unsigned int i = 0; i < 2; i++)
		if (s.config.listening[i] >= 0)
			close(s.config.listening[i]);
	if (o->socket && s.config.listening[0] >= 0)
		unlink(o->socket);
	free(s.headers);
	open_recording_free(&s.recording);
	launch_close(&s.launch);
	return launch_exit(&s.launch, r);
}

int cmd_serve(const struct options *o, struct err *e)
{
	return service(o, SERVE_ALL, e);
}

int cmd_agent(const struct options *o, struct err *e)
{
	(void)mallopt(M_ARENA_MAX, ARENAS);
	return service(o, SERVE_PULLS, e);
}
