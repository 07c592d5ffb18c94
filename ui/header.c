/* SPDX-License-Identifier: BSD-2-Clause */
/* header.c - items, and how they are laid out in lines. */
#include "config.h"

#include "ui/header.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ITEM_TEXT 160
#define ITEMS_MAX (20 + LOST_NR)
#define SPARK_COLS 14
#define SEPARATOR " \xC2\xB7 "
#define OWN_CPU_SPAN (2 * NSEC_PER_SEC)  /* own CPU is measured over at least this */
#define THIN_SPAN (HISTORY_NOW * NSEC_PER_SEC)   /* lost samples are counted over what "now" is the mean of */
#define THIN_SHARE 0.05                  /* of samples lost, from which on figures made of samples are a lower limit */
#define WIDE_ROWS 16                     /* a screen of at least so many rows has three lines of header */
#define NARROW_COLS 50
#define MORE_COLS 14                     /* for "and 12 more" */
#define TARGET_COLS 18                   /* a longer name is cut before event, rate or samples leave */
#define LOSS_LINE 3                      /* losses stand from this line on */

/* The less, the more important. */
enum rank {
	RANK_TARGET, RANK_ENDED, RANK_LOST, RANK_CORES, RANK_STACKS, RANK_NO_LOSS, RANK_SAMPLES, RANK_RATE, RANK_EVENT, RANK_OWN,
	RANK_ELAPSED, RANK_PENDING, RANK_STATE, RANK_SPARK, RANK_DETAIL, RANK_MEAN,
	RANK_LUXURY = RANK_DETAIL,       /* from here on an item goes before a more important one shortens */
};

struct item {
	uint8_t line, rank, style;
	bool right, spark, gone;
	char text[ITEM_TEXT];
	char brief[48];                  /* shorter form, "" = none */
};

struct items {
	struct item item[ITEMS_MAX];
	int n;
};

static struct item *add(struct items *is, int line, enum rank rank, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static struct item *add(struct items *is, int line, enum rank rank, enum style style, const char *fmt, ...)
{
	struct item *it = &is->item[is->n < ITEMS_MAX ? is->n : ITEMS_MAX - 1];
	va_list ap;

	if (is->n < ITEMS_MAX)
		is->n++;
	*it = (struct item){ .line = (uint8_t)line, .rank = (uint8_t)rank, .style = (uint8_t)style };
	va_start(ap, fmt);
	vsnprintf(it->text, sizeof(it->text), fmt, ap);
	va_end(ap);
	return it;
}

static uint64_t own_cpu_ns(const struct profile_meta *m)
{
	return (m->user_cpu_ns == META_UNKNOWN ? 0 : m->user_cpu_ns) + (m->bpf_cpu_ns == META_UNKNOWN ? 0 : m->bpf_cpu_ns);
}

/* Samples that were taken, or due, and did not reach the profile. Other losses say nothing of how much ran. */
static uint64_t lost_samples(const struct profile_meta *m)
{
	return m->lost.n[LOST_RING_FULL] + m->lost.n[LOST_NESTED] + m->lost.n[LOST_NO_RING] + m->lost.n[LOST_BACKLOG] +
	       m->lost.n[LOST_THROTTLED];
}

static bool is_thin(uint64_t samples, uint64_t lost)
{
	return (double)lost > THIN_SHARE * ((double)samples + (double)lost);
}

static void update_thin(struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const uint64_t lost = lost_samples(m);

	if (m->duration_ns < h->thin_duration_ns || m->samples < h->thin_samples || lost < h->thin_lost)
		h->thin_duration_ns = h->thin_samples = h->thin_lost = 0;
	if (h->thin_duration_ns && m->duration_ns < h->thin_duration_ns + THIN_SPAN)
		return;
	h->thin = is_thin(m->samples - h->thin_samples, lost - h->thin_lost);
	h->thin_duration_ns = m->duration_ns;
	h->thin_samples = m->samples;
	h->thin_lost = lost;
}

void header_update(struct header *h, const struct profile_meta *meta)
{
	const uint64_t cpu = own_cpu_ns(meta);

	h->meta = *meta;
	update_thin(h);
	if (!h->known || meta->duration_ns < h->base_duration_ns || cpu < h->base_cpu_ns) {
		h->base_duration_ns = 0;
		h->base_cpu_ns = 0;
		h->own_cores = -1;
	}
	h->known = true;
	if (meta->user_cpu_ns == META_UNKNOWN || meta->duration_ns < h->base_duration_ns + OWN_CPU_SPAN)
		return;
	h->own_cores = (double)(cpu - h->base_cpu_ns) / (double)(meta->duration_ns - h->base_duration_ns);
	h->base_duration_ns = meta->duration_ns;
	h->base_cpu_ns = cpu;
}

static const char *signal_name(int nr)
{
	static const struct {
		int nr;
		const char *name;
	} names[] = { { SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" }, { SIGILL, "SIGILL" },
		      { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" },
		      { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		      { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" }, { SIGXCPU, "SIGXCPU" },
		      { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].nr == nr)
			return names[i].name;
	}
	return NULL;
}

char *header_state(const struct profile_meta *m, char *dst, size_t size)
{
	switch (m->target_state) {
	case TARGET_WAITING:
		snprintf(dst, size, "waiting for it");
		break;
	case TARGET_RUNNING:
		snprintf(dst, size, "running");
		break;
	case TARGET_EXITED:
		snprintf(dst, size, "exited with status %d", m->end_code);
		break;
	case TARGET_KILLED:
		if (signal_name(m->end_code))
			snprintf(dst, size, "killed by %s", signal_name(m->end_code));
		else
			snprintf(dst, size, "killed by signal %d", m->end_code);
		break;
	case TARGET_ENDED:
	default:
		snprintf(dst, size, "ended");
		break;
	}
	return dst;
}

static bool has_ended(const struct profile_meta *m)
{
	return m->target_state >= TARGET_EXITED;
}

/* A recording without its end: how it was doing then is known, but not what became of it. */
static bool is_cut_off(const struct header *h)
{
	return h->ended && !h->meta.complete && h->meta.file_bytes != META_UNKNOWN;
}

char *header_waiting(const struct header *h, char *dst, size_t size)
{
	const char *target = h->meta.target[0] ? h->meta.target : "the target";
	char state[64];

	if (!h->known)
		snprintf(dst, size, "starting ...");
	else if (has_ended(&h->meta))
		snprintf(dst, size, "%s %s and was never seen running", target, header_state(&h->meta, state, sizeof(state)));
	else if (is_cut_off(h) && !h->meta.samples)
		snprintf(dst, size, "the recording of %s was cut off before its first sample", target);
	else if (h->meta.target_state == TARGET_WAITING)
		snprintf(dst, size, "waiting for %s to run on a CPU ...", target);
	else if (!h->meta.samples)
		snprintf(dst, size, "waiting for the first sample of %s: it has not been caught on a CPU yet ...", target);
	else
		snprintf(dst, size, "%s samples of %s so far, none in this view", units_count((char[UNITS_MAX]){ 0 }, h->meta.samples),
			 target);
	return dst;
}

static void elapsed_text(char *dst, size_t size, uint64_t ns)
{
	const uint64_t s = ns / NSEC_PER_SEC;

	snprintf(dst, size, "%02" PRIu64 ":%02u:%02u", s / 3600, (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
}

static void add_rate(struct items *is, const struct profile_meta *m)
{
	struct item *it;

	if (m->freq_got && m->freq_asked) {
		it = add(is, 0, RANK_RATE, m->freq_got < m->freq_asked - m->freq_asked / 10 ? STYLE_WARN : STYLE_TEXT,
			 "%u of %u Hz", m->freq_got, m->freq_asked);
		snprintf(it->brief, sizeof(it->brief), "%u/%u Hz", m->freq_got, m->freq_asked);
	} else {
		it = add(is, 0, RANK_RATE, STYLE_TEXT, "%u Hz", m->freq_asked);
	}
	it->right = true;
}

static void add_target(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char state[64], clock[32], count[UNITS_MAX];
	const enum rank rank = has_ended(m) || m->target_state == TARGET_WAITING ? RANK_ENDED : RANK_STATE;
	struct item *it;

	add(is, 0, RANK_TARGET, STYLE_TITLE, "%s", m->target[0] ? m->target : "target");
	if (has_ended(m) || !is_cut_off(h))
		add(is, 0, rank, has_ended(m) ? STYLE_ALERT : rank == RANK_ENDED ? STYLE_WARN : STYLE_RUNNING, "%s",
		    header_state(m, state, sizeof(state)));
	if (h->paused)
		add(is, 0, RANK_ENDED, STYLE_WARN, "view paused");
	if (is_cut_off(h)) {
		it = add(is, 0, RANK_LOST, STYLE_WARN, "recording was cut off");
		snprintf(it->brief, sizeof(it->brief), "recording cut off");
	}
	if (m->event[0])
		add(is, 0, RANK_EVENT, STYLE_TEXT, "%s", m->event)->right = true;
	add_rate(is, m);
	add(is, 0, RANK_SAMPLES, STYLE_TEXT, "%s sample%s", units_count(count, m->samples), m->samples == 1 ? "" : "s")->right = true;
	elapsed_text(clock, sizeof(clock), m->duration_ns);
	add(is, 0, RANK_ELAPSED, STYLE_TEXT, "%s", clock)->right = true;
}

/* CORES ran, as far as samples tell; LOW when many of them were lost. */
static void add_cores(struct items *is, bool low, double cores, const char *when)
{
	struct item *it = add(is, 1, RANK_CORES, low ? STYLE_WARN : STYLE_RUNNING, "%s%.2f cores %s", low ? "at least " : "~", cores,
			      when);

	snprintf(it->brief, sizeof(it->brief), "%s%.2f cores", low ? ">=" : "~", cores);
}

static void add_running(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const double now = history_now(&h->history);
	const double mean = m->duration_ns ? (double)m->oncpu_ns / (double)m->duration_ns : 0;
	const bool low = is_thin(m->samples, lost_samples(m));
	struct item *it;

	if (h->history.n) {
		it = add(is, 1, RANK_SPARK, STYLE_RUNNING, "on-CPU ");
		it->spark = true;
	}
	if (now >= 0 && !h->ended) {
		add_cores(is, h->thin, now, "now");
		add(is, 1, RANK_MEAN, STYLE_TEXT, "%s%.2f on average", low ? "at least " : "~", mean);
	} else if (m->samples) {
		add_cores(is, low, mean, "on average");
	}
}

/* The reason that cut most stacks; CUT_COMPLETE when none did. */
static unsigned int worst_cut(const struct profile_meta *m)
{
	unsigned int worst = CUT_COMPLETE;

	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++) {
		if (m->cut[i] && (worst == CUT_COMPLETE || m->cut[i] > m->cut[worst]))
			worst = i;
	}
	return worst;
}

static void add_stacks(struct items *is, const struct profile_meta *m)
{
	const unsigned int cut = worst_cut(m);
	char percent[UNITS_MAX], share[UNITS_MAX];
	double complete;
	struct item *it;

	if (!m->user_samples)
		return;
	complete = (double)m->cut[CUT_COMPLETE] / (double)m->user_samples;
	it = add(is, 1, RANK_STACKS, complete < 0.95 ? STYLE_ALERT : complete < 0.99 ? STYLE_WARN : STYLE_TEXT,
		 "stacks %s complete", units_percent(percent, complete));
	it->right = true;
	snprintf(it->brief, sizeof(it->brief), "stacks %s", percent);
	if (cut == CUT_COMPLETE)
		return;
	units_percent(share, (double)m->cut[cut] / (double)m->user_samples);
	it = add(is, 1, RANK_DETAIL, STYLE_DOUBT, "%s %s%s%s", share, cut_info(cut)->name, *cut_info(cut)->remedy ? ": " : "",
		 cut_info(cut)->remedy);
	it->right = true;
}

static void add_own(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char a[UNITS_MAX];
	double own = h->own_cores;

	if (own < 0 && m->duration_ns && m->user_cpu_ns != META_UNKNOWN)
		own = (double)own_cpu_ns(m) / (double)m->duration_ns;
	if (own >= 0 && !is_cut_off(h))
		add(is, 2, RANK_OWN, STYLE_TEXT, "sberf %s CPU", units_percent(a, own))->right = true;
	if (m->rss_bytes && m->rss_bytes != META_UNKNOWN && !is_cut_off(h))
		add(is, 2, RANK_OWN, STYLE_TEXT, "%s", units_bytes(a, m->rss_bytes))->right = true;
	if (m->file_bytes && m->file_bytes != META_UNKNOWN)
		add(is, 2, RANK_OWN, STYLE_TEXT, "file %s", units_bytes(a, m->file_bytes))->right = true;
}

static void add_quality(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char a[UNITS_MAX];

	if (!losses_total(&m->lost))
		add(is, 2, RANK_NO_LOSS, STYLE_TEXT, "lost 0");
	if (m->late)
		add(is, 2, RANK_PENDING, STYLE_DOUBT, "late %s", units_count(a, m->late));
	if (m->refused || m->folded)
		add(is, 2, RANK_PENDING, STYLE_DOUBT, "memory full: some stacks under (other)");
	if (is_cut_off(h))
		return;
	if (m->activity[0])
		add(is, 2, RANK_PENDING, STYLE_DOUBT, "%s", m->activity);
	else if (m->symbols_pending)
		add(is, 2, RANK_PENDING, STYLE_DOUBT, "%s symbol%s pending", units_count(a, m->symbols_pending),
		    m->symbols_pending == 1 ? "" : "s");
}

static void add_loss(struct items *is, const struct profile_meta *m, unsigned int reason)
{
	const struct reason_info *info = lost_info(reason);
	char n[UNITS_MAX];
	struct item *it;

	units_thousands(n, m->lost.n[reason]);
	it = add(is, LOSS_LINE, RANK_LOST, STYLE_ALERT, "lost %s %s: %s", n, info->name, *info->remedy ? info->remedy : info->text);
	snprintf(it->brief, sizeof(it->brief), "lost %s %s", n, info->name);
}

/* One item for every loss that happened, on lines of their own; on a small screen one for all. */
static void add_losses(struct items *is, const struct profile_meta *m, bool small)
{
	const uint64_t total = losses_total(&m->lost);
	char n[UNITS_MAX];

	if (small && total)
		add(is, LOSS_LINE, RANK_LOST, STYLE_ALERT, "lost %s", units_count(n, total));
	for (unsigned int i = 0; i < LOST_NR && !small; i++) {
		if (m->lost.n[i])
			add_loss(is, m, i);
	}
}

static void collect(struct items *is, const struct header *h, bool small)
{
	is->n = 0;
	if (!h->known)
		return;
	add_target(is, h);
	add_running(is, h);
	add_stacks(is, &h->meta);
	add_quality(is, h);
	add_losses(is, &h->meta, small);
	add_own(is, h);
}

/* Layout */

static int cols(const struct item *it)
{
	return (int)text_width(it->text, strlen(it->text)) + (it->spark ? SPARK_COLS : 0);
}

static int line_cols(const struct items *is, int line)
{
	int sum = 0, n = 0;

	for (int i = 0; i < is->n; i++) {
		if (is->item[i].line == line && !is->item[i].gone)
			sum += cols(&is->item[i]), n++;
	}
	return sum + (n > 1 ? (n - 1) * 3 : 0);
}

/* The least important item of LINE that can still shorten (BRIEF) or go; NULL when there is none. */
static struct item *least(struct items *is, int line, bool brief)
{
	struct item *found = NULL;

	for (int i = 0; i < is->n; i++) {
		struct item *it = &is->item[i];

		if (it->line == line && !it->gone && (brief ? it->brief[0] : it->rank > RANK_LOST) && (!found || it->rank >= found->rank))
			found = it;
	}
	return found;
}

/* Cuts the target's name so that what must stay beside it fits, to no less than SHORTEST columns. True when it got shorter. */
static bool squeeze_target(struct items *is, int line, int w, int shortest)
{
	struct item *it = &is->item[0];
	const int over = line_cols(is, line) - w, had = cols(it), want = had - over > shortest ? had - over : shortest;
	char text[ITEM_TEXT + 4];

	if (!is->n || it->rank != RANK_TARGET || it->line != line || over <= 0 || want >= had)
		return false;
	text_cut_middle(text, sizeof(text), it->text, strlen(it->text), (size_t)want, false);
	snprintf(it->text, sizeof(it->text), "%.*s", ITEM_TEXT - 1, text);
	return cols(it) < had;
}

static void shorten(struct item *it)
{
	memcpy(it->text, it->brief, sizeof(it->brief));
	it->brief[0] = '\0';
}

static void fit_line(struct items *is, int line, int w)
{
	struct item *it;

	while (line_cols(is, line) > w) {
		it = least(is, line, false);
		if (it && it->rank >= RANK_LUXURY) {
			it->gone = true;
		} else if (least(is, line, true)) {
			shorten(least(is, line, true));
		} else if (it && (it->rank > RANK_EVENT || !squeeze_target(is, line, w, TARGET_COLS))) {
			it->gone = true;
		} else if (!it) {
			squeeze_target(is, line, w, 1);
			return;
		}
	}
}

static int draw_item(const struct header *h, struct canvas *cv, const struct item *it, int x, int y)
{
	int used = canvas_text_cut(cv, x, y, cv->w - x - 1, it->spark ? STYLE_TEXT : (enum style)it->style, it->text, strlen(it->text));
	double top = 0;

	if (!it->spark)
		return used;
	for (unsigned int i = 0; i < h->history.n && i < SPARK_COLS; i++) {
		if (h->history.cores[i] > top)
			top = h->history.cores[i];
	}
	for (unsigned int i = 0; i < SPARK_COLS; i++) {
		if (i < h->history.n)
			canvas_spark(cv, x + used + (int)(SPARK_COLS - 1 - i), y, STYLE_RUNNING,
				     top > 0 ? h->history.cores[i] / top : 0);
	}
	return used + SPARK_COLS;
}

static void draw_side(const struct header *h, struct canvas *cv, const struct items *is, int line, bool right, int x, int y)
{
	bool first = true;

	for (int i = 0; i < is->n; i++) {
		const struct item *it = &is->item[i];

		if (it->line != line || it->gone || it->right != right)
			continue;
		if (!first)
			x += canvas_put(cv, x, y, STYLE_FAINT, SEPARATOR);
		first = false;
		x += draw_item(h, cv, it, x, y);
	}
}

static int side_cols(const struct items *is, int line, bool right)
{
	struct items side = { .n = 0 };

	for (int i = 0; i < is->n; i++) {
		if (is->item[i].right == right)
			side.item[side.n++] = is->item[i];
	}
	return line_cols(&side, line);
}

static void draw_line(const struct header *h, struct canvas *cv, struct items *is, int line, int y)
{
	int left, x;

	fit_line(is, line, cv->w - 2);
	left = side_cols(is, line, false);
	draw_side(h, cv, is, line, false, 1, y);
	x = cv->w - 1 - side_cols(is, line, true);
	if (left && x < 1 + left + 3)
		x = 1 + left + canvas_put(cv, 1 + left, y, STYLE_FAINT, x < cv->w - 1 ? SEPARATOR : "");
	draw_side(h, cv, is, line, true, x, y);
}

/* Lines as wide as W that the losses take. */
static int loss_lines(const struct items *is, int w)
{
	int lines = 0, used = w;

	for (int i = 0; i < is->n; i++) {
		const int need = cols(&is->item[i]);

		if (is->item[i].line != LOSS_LINE)
			continue;
		if (used + 3 + need > w) {
			lines++;
			used = need;
		} else {
			used += 3 + need;
		}
	}
	return lines;
}

/* Name and count of every loss go before remedies: these are cut from the last loss on until all fits into MOST lines. */
static void shorten_losses(struct items *is, int w, int most)
{
	for (int i = is->n - 1; i >= 0 && loss_lines(is, w) > most; i--) {
		if (is->item[i].line == LOSS_LINE && is->item[i].brief[0])
			shorten(&is->item[i]);
	}
}

/* Packs the losses into lines as wide as W, at most MOST of them; returns how many. What is left over is counted in one item. */
static int wrap_losses(struct items *is, int w, int most)
{
	int line = LOSS_LINE, used = 0, left = 0, last = -1, reserve;

	shorten_losses(is, w, most);
	reserve = loss_lines(is, w) > most ? MORE_COLS : 0;
	for (int i = 0; i < is->n; i++) {
		struct item *it = &is->item[i];

		if (it->line != LOSS_LINE)
			continue;
		if (used && used + 3 + cols(it) > w - (line - LOSS_LINE + 1 == most ? reserve : 0)) {
			line++;
			used = 0;
		}
		used += (used ? 3 : 0) + cols(it);
		it->line = (uint8_t)line;
		it->gone = line - LOSS_LINE >= most;
		left += it->gone;
		last = i;
	}
	if (left)
		add(is, LOSS_LINE + most - 1, RANK_LOST, STYLE_ALERT, "and %d more", left);
	return last < 0 ? 0 : line - LOSS_LINE + 1 < most ? line - LOSS_LINE + 1 : most;
}

static int base_lines(int w, int rows)
{
	return rows >= WIDE_ROWS && w >= NARROW_COLS ? 3 : rows >= 8 ? 2 : 1;
}

int header_lines(const struct header *h, int w, int rows)
{
	const int base = base_lines(w, rows);
	struct items is;

	collect(&is, h, base < 3);
	return base < 3 ? base : base + wrap_losses(&is, w - 2, rows / 4);
}

void header_draw(const struct header *h, struct canvas *cv, int y, int lines)
{
	struct items is;

	collect(&is, h, lines < 3);
	if (lines > 3)
		wrap_losses(&is, cv->w - 2, lines - 3);
	for (int i = 0; i < is.n; i++) {
		if (is.item[i].line >= lines)
			is.item[i].line = (uint8_t)(lines - 1);
	}
	for (int line = 0; line < lines; line++)
		draw_line(h, cv, &is, line, y + line);
}
