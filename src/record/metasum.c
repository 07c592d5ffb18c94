/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "record/metasum.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct profile_meta, member)

/* Counters, which only grow while a recording goes on. */
static const size_t counters[] = {
	AT(late), AT(refused), AT(user_cpu_ns), AT(bpf_cpu_ns), AT(engine_cpu_ns), AT(wait_short_ns), AT(wait_short),
		AT(wait_outside),
	AT(wait_hung), AT(wait_denied), AT(wait_inferred), AT(wait_summed), AT(wait_unsummed), AT(wait_not_handed),
	AT(numa_too_large),
	AT(verify_checked), AT(verify_incomplete), AT(verify_kernel_checked), AT(verify_kernel_different),
	AT(verify_different), AT(rules_evicted),
	AT(script_stacks), AT(script_whole), AT(script_unread), AT(script_cut), AT(script_unmatched),
	AT(script_nameless), AT(script_refused), AT(split_asked), AT(split_refused), AT(worker_ended), AT(files_left),
	AT(images_in_worker), AT(rows_asked), AT(rows_late),
#define X(id, name, text) AT(verify_cause[VERIFY_##id]),
	VERIFY_CAUSES(X)
#undef X
#define X(nr, id, name, text, remedy) AT(lost.n[nr]),
	LOST_REASONS(X)
#undef X
};

#define NR_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t *metasum_counter(struct profile_meta *m, size_t i)
{
	return (uint64_t *)((char *)m + counters[i]);
}

/* What is not known of one is not known of both. */
static uint64_t metasum_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return a == META_UNKNOWN || b == META_UNKNOWN || __builtin_add_overflow(a, b, &sum) ? META_UNKNOWN : sum;
}

static uint64_t metasum_minus(uint64_t a, uint64_t b)
{
	if (a == META_UNKNOWN || b == META_UNKNOWN)
		return META_UNKNOWN;
	return a > b ? a - b : 0;
}

/* The larger one of two, of those that are known. */
static uint64_t metasum_larger(uint64_t a, uint64_t b)
{
	if (a == META_UNKNOWN || b == META_UNKNOWN)
		return a < b ? a : b;
	return a > b ? a : b;
}

/* Whether PART is one of the texts of ALL, which has "; " between them. */
static bool metasum_holds(const char *all, const char *part)
{
	const size_t len = strlen(part);

	for (const char *at = strstr(all, part); at; at = strstr(at + 1, part))
		if ((at == all || !strncmp(at - 2, "; ", 2)) && (!at[len] || !strncmp(at + len, "; ", 2)))
			return true;
	return false;
}

static void metasum_add_text(char *dst, size_t size, const char *src)
{
	const size_t used = strlen(dst);
	static const char more[] = "; ...";

	if (!*src || metasum_holds(dst, src))
		return;
	if (!used)
		snprintf(dst, size, "%s", src);
	else if (used + 2 + strlen(src) + sizeof(more) <= size)
		snprintf(dst + used, size - used, "; %s", src);
	else if (used + sizeof(more) <= size && !metasum_holds(dst, "..."))
		memcpy(dst + used, more, sizeof(more));
}

static void add_texts(struct profile_meta *dst, const struct profile_meta *src)
{
	const uint64_t unread = metasum_plus(dst->unread.n, src->unread.n);

	unread_join(&dst->unread, &src->unread);
	dst->unread.n = unread;
	metasum_add_text(dst->version, sizeof(dst->version), src->version);
	metasum_add_text(dst->host, sizeof(dst->host), src->host);
	metasum_add_text(dst->kernel, sizeof(dst->kernel), src->kernel);
	metasum_add_text(dst->kernel_without, sizeof(dst->kernel_without), src->kernel_without);
	metasum_add_text(dst->plugins, sizeof(dst->plugins), src->plugins);
	metasum_add_text(dst->arch, sizeof(dst->arch), src->arch);
	metasum_add_text(dst->target, sizeof(dst->target), src->target);
	metasum_add_text(dst->cmdline, sizeof(dst->cmdline), src->cmdline);
	metasum_add_text(dst->written_when, sizeof(dst->written_when), src->written_when);
	metasum_add_text(dst->event, sizeof(dst->event), src->event);
}

void meta_add(struct profile_meta *dst, const struct profile_meta *src)
{
	struct profile_meta from = *src;

	add_texts(dst, src);
	for (size_t i = 0; i < NR_COUNTERS; i++)
		*metasum_counter(dst, i) = metasum_plus(*metasum_counter(dst, i), *metasum_counter(&from, i));
	if (dst->freq_asked != src->freq_asked)
		dst->freq_asked = 0;
	if (dst->freq_got != src->freq_got)
		dst->freq_got = 0;
	if (strcmp(dst->executed, src->executed) != 0)
		dst->executed[0] = '\0';
	if (dst->target_state != src->target_state || dst->end_code != src->end_code) {
		dst->target_state = TARGET_ENDED;
		dst->end_code = 0;
	}
	dst->off_cpu |= src->off_cpu;
	dst->wakers |= src->wakers;
	dst->symbols_pending = metasum_plus(dst->symbols_pending, src->symbols_pending);
	if (src->rss_bytes > dst->rss_bytes)
		dst->rss_bytes = src->rss_bytes;
	dst->rules_pages = metasum_larger(dst->rules_pages, src->rules_pages);
	dst->rules = metasum_larger(dst->rules, src->rules);
	dst->rules_processes = metasum_larger(dst->rules_processes, src->rules_processes);
	dst->rules_bytes = metasum_larger(dst->rules_bytes, src->rules_bytes);
	if (src->wait_period_ns > dst->wait_period_ns)
		dst->wait_period_ns = src->wait_period_ns;
}

void meta_since(struct profile_meta *now, const struct profile_meta *then)
{
	struct profile_meta from = *then;
	const uint64_t gone_ns = then->duration_ns;

	for (size_t i = 0; i < NR_COUNTERS; i++)
		*metasum_counter(now, i) = metasum_minus(*metasum_counter(now, i), *metasum_counter(&from, i));
	now->start_real_ns += gone_ns;
	now->start_mono_ns += gone_ns;
	now->duration_ns = metasum_minus(now->duration_ns, gone_ns);
}

/* The first members of struct numa_figures are counters; behind them stand the most that was met at a time. */
#define NR_FIGURES (offsetof(struct numa_figures, threads_left) / sizeof(uint64_t))

void numa_figures_add(struct numa_figures *dst, const struct numa_figures *src)
{
	uint64_t to[NR_FIGURES], from[NR_FIGURES];

	memcpy(to, dst, sizeof(to));
	memcpy(from, src, sizeof(from));
	for (size_t i = 0; i < NR_FIGURES; i++)
		to[i] += from[i];
	memcpy(dst, to, sizeof(to));
	if (src->threads_left > dst->threads_left)
		dst->threads_left = src->threads_left;
	if (src->processes_left > dst->processes_left)
		dst->processes_left = src->processes_left;
}

void numa_figures_since(struct numa_figures *now, const struct numa_figures *then)
{
	uint64_t to[NR_FIGURES], from[NR_FIGURES];

	memcpy(to, now, sizeof(to));
	memcpy(from, then, sizeof(from));
	for (size_t i = 0; i < NR_FIGURES; i++)
		to[i] = metasum_minus(to[i], from[i]);
	memcpy(now, to, sizeof(to));
}
