/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - `sberf check`: lists the contents of recordings, and any damage.
 *
 * Exit status 0: all are sound. 1: one cannot be read. 3: all can be read, but something is missing
 * or damaged in one of them.
 */
#include "config.h"

#include "base/clock.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "cmd/pipes.h"
#include "model/kind.h"
#include "record/check_stats.h"
#include "record/recording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SOUND = 0, UNREADABLE = 1, DAMAGED = 3 };

#define LABEL_COLUMNS 11

struct checked {
	const char *path;
	struct check_stats survey;
	struct profile *profile;
	struct names *names;
	struct profile_meta meta;
	struct load_report report;
};

static void check_line(const char *label, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void check_line(const char *label, const char *fmt, ...)
{
	va_list ap;

	printf("  %-*s", LABEL_COLUMNS, label);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Beyond being cut off, which tells of itself. */
static bool is_damaged(const struct checked *c)
{
	const struct check_stats *s = &c->survey;
	const bool only_cut = s->damages == 1 && s->damage.n && s->damage.v[0].kind == DAMAGE_CUT;

	return (s->damages && !only_cut) || s->lost_events;
}

static void check_tell_header(const struct checked *c)
{
	const struct record_header *h = &c->survey.header;
	const uint8_t *u = h->uuid;

	check_line("format", "%u.%u%s", h->major, h->minor, h->minor > RECORD_MINOR ? ", newer than this sberf" : "");
	check_line("id", "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		   u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* "2026-01-31 12:34:56.789 UTC", or "unknown". */
static const char *check_date(uint64_t real_ns, char *dst, size_t size)
{
	const struct timespec ts = clock_timespec(real_ns);
	struct tm tm;
	size_t n;

	if (!real_ns || !gmtime_r(&ts.tv_sec, &tm) || !(n = strftime(dst, size, "%Y-%m-%d %H:%M:%S", &tm)))
		return "unknown";
	snprintf(dst + n, size - n, ".%03ld UTC", ts.tv_nsec / 1000000);
	return dst;
}

/* How the recording ended. */
static const char *check_ending(const struct profile_meta *m, char *dst, size_t size)
{
	if (!m->complete)
		return "then it was cut off";
	if (m->target_state == TARGET_EXITED)
		snprintf(dst, size, "until the target exited with status %d", m->end_code);
	else if (m->target_state == TARGET_KILLED)
		snprintf(dst, size, "until the target was ended by signal %d", m->end_code);
	else if (m->target_state == TARGET_ENDED)
		return "until the target ended";
	else
		return "until it was stopped";
	return dst;
}

static void tell_origin(const struct profile_meta *m)
{
	char text[64], time[UNITS_MAX];

	check_line("made by", "sberf %s on %s, %s, %s", m->version[0] ? m->version : "?", m->host[0] ? m->host : "?",
		   m->kernel[0] ? m->kernel : "?", m->arch[0] ? m->arch : "?");
	check_line("command", "%s", m->cmdline[0] ? m->cmdline : "unknown");
	check_line("target", "%s", m->target[0] ? m->target : "unknown");
	if (m->freq_asked)
		snprintf(text, sizeof(text), "%u Hz asked for", m->freq_asked);
	else
		snprintf(text, sizeof(text), "no single rate known");
	check_line("sampled", "%s, %s, %u CPUs; %s%s", m->event[0] ? m->event : "?", text, m->cpus,
		   m->off_cpu ? "with waits" : "without waits", m->wakers ? " and who ended them" : "");
	check_line("began", "%s", check_date(m->start_real_ns, text, sizeof(text)));
	check_line("lasted", "%s, %s", units_time(time, m->duration_ns), check_ending(m, text, sizeof(text)));
}

/* When NS was, seen from the beginning of the recording; events may lie before it. */
static const char *check_moment(const struct profile_meta *m, uint64_t ns, char *dst, size_t size)
{
	const bool before = ns < m->start_mono_ns;
	char time[UNITS_MAX];

	snprintf(dst, size, "%s%s", before ? "-" : "",
		 units_time(time, before ? m->start_mono_ns - ns : ns - m->start_mono_ns));
	return dst;
}

static void tell_events(const struct checked *c)
{
	const struct check_stats *s = &c->survey;
	char n[UNITS_MAX], from[UNITS_MAX + 1], to[UNITS_MAX + 1];

	if (s->first_ns)
		check_line("events", "%s, from %s to %s after the beginning", units_thousands(n, c->report.events),
			   check_moment(&c->meta, s->first_ns, from, sizeof(from)),
			   check_moment(&c->meta, s->last_ns, to, sizeof(to)));
	else
		check_line("events", "none");
	for (unsigned int i = 1; i < EVENT_KINDS_MAX; i++)
		if (s->kind[i])
			check_line("", "%14s  %s", units_thousands(n, s->kind[i]), event_kinds[i].name);
	if (s->kind[0])
		check_line("", "%14s  of kinds that only a newer sberf knows, left out",
			   units_thousands(n, s->kind[0]));
	if (s->type[0].blocks)
		check_line("left out", "%s block%s of types that only a newer sberf knows",
			   units_thousands(n, s->type[0].blocks), s->type[0].blocks == 1 ? "" : "s");
}

/* Of the frames how many have a name; notes, such as "[lost]", are none. */
static void tell_names(const struct checked *c)
{
	const struct dict *d = profile_dict(c->profile);
	char threads[UNITS_MAX], stacks[UNITS_MAX], frames[UNITS_MAX], percent[UNITS_MAX];
	uint64_t n = 0, named = 0;

	for (frame_id i = 0; i < dict_frames(d); i++) {
		const struct frame *f = dict_get_frame(d, i);

		if (dict_get_module(d, f->module)->kind == MODULE_NOTE)
			continue;
		n++;
		named += names_get(c->names, i) != NULL;
	}
	check_line("refer to", "%s threads, %s stack nodes, %s frames", units_thousands(threads, dict_threads(d)),
		   units_thousands(stacks, dict_stacks(d) ? dict_stacks(d) - 1 : 0), units_thousands(frames, n));
	check_line("names", "%s functions; %s of the frames have a name",
		   units_thousands(frames, names_funcs(c->names)),
		   n ? units_percent(percent, (double)named / (double)n) : "none");
}

static void tell_losses(const struct profile_meta *m)
{
	char n[UNITS_MAX];
	bool any = false;

	for (unsigned int i = 0; i < LOST_NR; i++) {
		if (!m->lost.n[i])
			continue;
		check_line(any ? "" : "lost", "%14s  %s", units_thousands(n, m->lost.n[i]), lost_info(i)->text);
		any = true;
	}
	if (!any)
		check_line("lost", "nothing that is known of");
}

static void tell_blocks(const struct checked *c)
{
	const struct check_stats *s = &c->survey;
	char bytes[UNITS_MAX], blocks[UNITS_MAX], n[UNITS_MAX], rows[UNITS_MAX], percent[UNITS_MAX];
	uint64_t all = 0;

	for (int i = 0; i < BLOCK_TYPES; i++)
		all += s->type[i].stored_bytes;
	check_line("size", "%s bytes in %s blocks, %s epochs", units_thousands(bytes, c->meta.file_bytes),
		   units_thousands(blocks, c->report.blocks), units_thousands(n, s->epochs));
	check_line("", "%-8s%10s%14s%9s%14s", "type", "blocks", "bytes", "share", "rows");
	for (unsigned int i = 1; i <= BLOCK_TYPES; i++) {
		const struct check_stats_type *t = &s->type[i % BLOCK_TYPES];

		if (!t->blocks)
			continue;
		check_line("", "%-8s%10s%14s%9s%14s", check_stats_type_name(i % BLOCK_TYPES),
			   units_thousands(blocks, t->blocks), units_thousands(bytes, t->stored_bytes),
			   units_percent(percent, (double)t->stored_bytes / (double)all),
			   t->rows ? units_thousands(rows, t->rows) : "");
	}
}

static void check_tell_damage(const struct check_stats_damage *d)
{
	const char *type = check_stats_type_name(d->type);

	printf("    ");
	switch (d->kind) {
	case DAMAGE_HEADER:
		puts("bytes 0 to 63: the header; its checksum is wrong, so format, id and beginning are not known");
		break;
	case DAMAGE_BYTES:
		printf("bytes %" PRIu64 " to %" PRIu64 ": ", d->at, d->at + d->n - 1);
		if (d->type)
			printf("a block of type %s whose checksum is wrong\n", type);
		else
			puts("no block of this recording");
		break;
	case DAMAGE_MISSING:
		printf("before byte %" PRIu64 ": %" PRIu64 " block%s missing\n", d->at, d->n,
		       d->n == 1 ? " is" : "s are");
		break;
	case DAMAGE_OUT_OF_ORDER:
		printf("bytes %" PRIu64 " to %" PRIu64 ": a block of type %s that comes again, left out\n", d->at,
		       d->at + d->n - 1, type);
		break;
	case DAMAGE_CONTENT:
		printf("bytes %" PRIu64 " to %" PRIu64
		       ": a block of type %s that contradicts itself or what came before\n", d->at,
		       d->at + d->n - 1, type);
		break;
	case DAMAGE_CUT:
		printf("bytes %" PRIu64 " to %" PRIu64 ": the beginning of a block%s%s; the file ends in it\n", d->at,
		       d->at + d->n - 1, d->type ? " of type " : "", d->type ? type : "");
		break;
	case DAMAGE_GAVE_UP:
		printf("from byte %" PRIu64 " on: so much that the rest was not searched\n", d->at);
		break;
	}
}

/* What is known to be gone, by the numbers of what is there. */
static void tell_lost(const struct check_stats *s)
{
	static const struct { enum block_type type; const char *what; } tables[] = {
		{ BLOCK_STR, "strings" }, { BLOCK_MOD, "modules" }, { BLOCK_FRAME, "frames" },
		  { BLOCK_STACK, "stack nodes" },
		{ BLOCK_THREAD, "threads" }, { BLOCK_FUNC, "functions" }, { BLOCK_NAMES, "names of frames" },
	};
	char n[UNITS_MAX];
	bool any = s->lost_events;

	printf("  lost by it ");
	if (any)
		printf("%s events", units_thousands(n, s->lost_events));
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const uint64_t lost = s->type[tables[i].type].lost_rows;

		if (!lost)
			continue;
		printf("%s%s %s", any ? ", " : "", units_thousands(n, lost), tables[i].what);
		any = true;
	}
	puts(any ? "; what refers to them is shown as [lost]" : "these blocks, and no more as far as can be told");
}

static void tell_damages(const struct checked *c)
{
	const struct check_stats *s = &c->survey;
	char n[UNITS_MAX];

	if (!c->meta.complete)
		check_line("the end",
			   "is missing: sberf was killed, or still writes, or the file was cut; up to there "
			   "it can be read");
	if (!s->damages && !s->lost_events)
		return;
	check_line("damaged", "%s place%s", units_thousands(n, s->damages), s->damages == 1 ? "" : "s");
	for (size_t i = 0; i < s->damage.n; i++)
		check_tell_damage(&s->damage.v[i]);
	if (s->damages > s->damage.n)
		printf("    and %s more\n", units_thousands(n, s->damages - s->damage.n));
	if (is_damaged(c))
		tell_lost(s);
}

static int check_tell(const struct checked *c)
{
	const bool damaged = is_damaged(c);
	char name[4096];

	text_sanitise(name, sizeof(name), pipes_name(c->path), strlen(pipes_name(c->path)));
	printf("%s: %s\n", name, c->meta.complete ? damaged ? "damaged" : "complete, nothing is damaged" :
				 damaged ? "cut off, damaged" : "cut off, nothing is damaged");
	check_tell_header(c);
	tell_origin(&c->meta);
	tell_events(c);
	tell_names(c);
	tell_losses(&c->meta);
	tell_blocks(c);
	tell_damages(c);
	return damaged || !c->meta.complete ? DAMAGED : SOUND;
}

static int check_one(struct checked *c, struct err *e)
{
	struct progress progress;
	const struct load_options lo = { .survey = &c->survey, .progress = &progress };
	bool patient;
	int r;

	c->profile = profile_new(NULL);
	c->names = names_new();
	if (!c->profile || !c->names)
		return err_nomem(e, "the profile");
	patient = pipes_begin_patience(c->path);
	pipes_say_waiting(c->path, "check");
	progress_begin(&progress, "sberf check: reading", 0);
	r = recording_load(c->path, c->profile, c->names, &c->meta, &c->report, &lo, e);
	progress_end(&progress);
	if (patient)
		pipes_end_patience();
	return r < 0 ? r : check_tell(c);
}

/* UNREADABLE outweighs DAMAGED, which outweighs SOUND. */
static int check_worse(int a, int b)
{
	return a == UNREADABLE || b == UNREADABLE ? UNREADABLE : a > b ? a : b;
}

int cmd_check(const struct options *o, struct err *e)
{
	static const char *const usual = RECORDING_USUAL;
	const char *const *path = o->files.n ? o->files.v : &usual;
	const size_t n = o->files.n ? o->files.n : 1;
	int status = SOUND, r = sandbox_reading(&(struct sandbox_reading){ .opens = true }, e);

	if (r)
		return r;
	for (size_t i = 0; i < n; i++) {
		struct checked c = { .path = open_recording_path(path[i]) };
		struct err one = ERR_INIT;

		if (i)
			putchar('\n');
		r = check_one(&c, &one);
		if (r < 0) {
			fflush(stdout);
			fprintf(stderr, "sberf check: %s\n", one.text);
		}
		status = check_worse(status, r < 0 ? UNREADABLE : r);
		check_stats_free(&c.survey);
		names_free(c.names);
		profile_free(c.profile);
	}
	return status;
}
