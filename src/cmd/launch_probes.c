/* SPDX-License-Identifier: BSD-2-Clause */
/* launch_probes.c - see launch_probes.h. */
#include "config.h"

#include "cmd/launch_probes.h"

#include "base/text.h"
#include "base/units.h"
#include "engine/budget.h"
#include "model/measure.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Writes where probes are, as F has it, some in the KERNEL: "in the kernel, at 2 places in 1 process". */
static void launch_put_places(const struct placer_figures *f, bool kernel)
{
	char text[UNITS_MAX];

	if (kernel)
		fputs("in the kernel", stderr);
	if (f->places || f->failed)
		fprintf(stderr, "%sat %s place%s in ", kernel ? ", " : "", units_thousands(text, f->places),
			f->places == 1 ? "" : "s");
	if ((f->places || f->failed) && f->everywhere)
		fputs("every process", stderr);
	else if (f->places || f->failed)
		fprintf(stderr, "%u process%s", f->processes, f->processes == 1 ? "" : "es");
	if (f->failed)
		fprintf(stderr, "; %s more cannot be probed", units_thousands(text, f->failed));
}

bool launch_say_placed(struct launch *s, const char *command)
{
	const bool kernel = s->placing && placing_in_kernel(s->placing);
	const bool programs = s->placing && placing_in_programs(s->placing);
	struct placer_figures f;

	/* In the kernel they are in place before a command begins: nobody has to wait for that. */
	if (s->placed_said || !(programs || (kernel && !s->child.pid)))
		return true;
	engine_probes(s->engine, &f);
	if (programs && !f.processes)
		return false;
	fprintf(stderr, "sberf %s: probes placed ", command);
	launch_put_places(&f, kernel);
	fputc('\n', stderr);
	s->placed_said = true;
	s->placed = f;
	return true;
}

void launch_say_probes(struct launch *s, const char *command)
{
	const struct placer_figures *then = &s->placed;
	struct placer_figures f;
	char text[UNITS_MAX];

	engine_probes(s->engine, &f);
	if (!f.places && !f.failed && f.why.text[0])
		fprintf(stderr, "sberf %s: no place was found for a probe in programs: %s\n", command, f.why.text);
	if (f.places != then->places || f.failed != then->failed || f.processes != then->processes) {
		fprintf(stderr, "sberf %s: probes placed in all ", command);
		launch_put_places(&f, false);
		fputc('\n', stderr);
	}
	if (f.unseen)
		fprintf(stderr, "sberf %s: what %s process%s allocate%s is not seen: %s\n", command,
			units_thousands(text, f.unseen), f.unseen == 1 ? "" : "es", f.unseen == 1 ? "s" : "",
			f.unseen_why.text);
	if (f.left)
		fprintf(stderr, "sberf %s: %s call%s did not return (longjmp, exceptions)\n", command,
			units_thousands(text, f.left), f.left == 1 ? "" : "s");
}

static void launch_say_span(void *ctx, uint32_t probe, const struct source_span *span)
{
	const char *command = ctx;
	const uint64_t open = span->begun > span->ended ? span->begun - span->ended : 0;
	char clean[3 * 100 + 1], begun[UNITS_MAX], ends[UNITS_MAX];
	const struct measure *m = probes_measure(probe);

	if (!m || (!open && !span->unbegun))
		return;
	text_sanitise(clean, sizeof(clean), m->name, strnlen(m->name, 100));
	fprintf(stderr, "sberf %s: %s: %s begun and not ended, %s ends without a begin\n", command, clean,
		units_thousands(begun, open), units_thousands(ends, span->unbegun));
}

void launch_say_spans(struct launch *s, const char *command)
{
	engine_spans(s->engine, launch_say_span, (void *)(uintptr_t)command);
}

/*
 * Does what F says cost more than the budget, and nothing is done about it? A trace has a line for each hit in the
 * kernel, and a raw capture each by itself.
 */
static bool launch_is_unbounded(const struct launch *s, const struct placer_figures *f)
{
	return s->placing && placing_in_kernel(s->placing) && !s->config.plan.hits_bounded &&
		s->config.probe_budget != BUDGET_NONE && f->share > s->config.probe_budget;
}

/* What is done about a price that is above the budget. */
static void launch_say_slices(const struct launch *s, const struct placer_figures *f)
{
	char floor[UNITS_MAX];

	if (launch_is_unbounded(s, f) && f->most_scale <= 1)
		fprintf(stderr, ": more than --budget, which does not make hits in the kernel fewer where each is "
			"told; --every and --max-rate do");
	if (f->most_scale > 1)
		fprintf(stderr, ": more than --budget, so those in programs are in place for 1/%u of the time, and "
			"numbers are estimates", f->most_scale);
	if (f->most_thin > 1)
		fprintf(stderr, "%s of one hit in %u the stack is taken; totals are exact",
			f->most_scale > 1 ? ";" : ": more than --budget, so", f->most_thin);
	if (f->most_thin > 1 && f->floor)
		fprintf(stderr, ", but to count alone costs %s", units_percent(floor, (double)f->floor / 1e6));
}

void launch_say_price(struct launch *s, const char *command)
{
	char hits[UNITS_MAX], share[UNITS_MAX];
	struct placer_figures f;

	engine_probes(s->engine, &f);
	if (!f.most_scale || (s->price_said && (s->slices_said || f.most_scale == 1) &&
			      (s->thin_said || f.most_thin <= 1) &&
			      (s->unbounded_said || !launch_is_unbounded(s, &f))))
		return;
	s->price_said = true;
	s->unbounded_said |= launch_is_unbounded(s, &f);
	s->slices_said |= f.most_scale > 1;
	s->thin_said |= f.most_thin > 1;
	fprintf(stderr, "sberf %s: probes: %s hits a second, which cost the target %s of one CPU", command,
		units_thousands(hits, f.hits_per_s), units_percent(share, (double)f.share / 1e6));
	launch_say_slices(s, &f);
	fputc('\n', stderr);
}
