/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placer.h - places probes in the programs of a target while it runs: in those that are there, and
 * in what they fork, execute and load later. A thread of its own does so, since looking up functions
 * reads files, and attaching takes the kernel milliseconds.
 *
 * It also counts the hits, a tenth of a second after the beginning for the first time, and knows what
 * they cost the target: by where they are, and by how long the kernel half was busy with some of them.
 * Where that is more than the budget (engine/budget.h), of hits in the kernel fewer are told, whose
 * totals stay exact; and probes in programs are taken off and put back in time slices. A call that a
 * slice does not see whole is not counted, so calls of more than a slice are missing then.
 */
#ifndef SBERF_ENGINE_PLACER_H
#define SBERF_ENGINE_PLACER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parse.h"
#include "capture/source.h"
#include "engine/placing.h"
#include "engine/pointed.h"
#include "model/probes.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct placer;

struct placer_figures {
	uint32_t processes;      /* in which something was placed; where a file of it was found first, if everywhere */
	bool everywhere;         /* placer_config.everywhere */
	uint32_t places;         /* in all of them */
	uint32_t failed;         /* places that the kernel refused */
	struct err why;          /* code 0, or why a file has no place of a probe that is about it: the last such */
	bool blocks;             /* blocks of memory are followed by functions that allocate */
	/* some of them may have been freed unseen: probes were in slices, or off, since they have been followed */
	bool unfollowed;
	/* where programs tell of their memory: processes of programs that cannot, and why the first one */
	uint32_t unseen;
	struct err unseen_why;
	struct pointed_figures pointed;  /* calls by pointers in call graphs */
	uint64_t left;           /* calls that ended without a return; 0 while the capture runs */
	/* what follows is 0 before the first look */
	uint64_t hits_per_s;     /* of all probes, while they are in place */
	uint32_t share;          /* what these cost the target, in millionths of one CPU; of known costs */
	uint32_t most_scale;     /* probes were in place one of so many parts of the time at the worst */
	uint32_t most_thin;      /* of hits of a probe in the kernel one of so many was told at the worst; 1 = all */
	/* of the share, what is left when none in the kernel is told, if that is more than the budget; 0 = it is not */
	uint32_t floor;
	/* of a hit, by probe: at its dearest place; of one in the kernel if it is told, lately; 0 = not known */
	uint32_t cost_ns[PROBES_MAX];
};

/* What came of a probe that was asked for while the capture runs. */
struct placer_answer {
	uint32_t probe;          /* its number (model/probes.h); PROBE_NONE with ERR */
	/* code 0, or why it was not placed; of placer_growth() and placer_blocks() a sentence in any case */
	struct err err;
	/*
	 * its price is known: what follows; else it has just been placed, or taken off when OFF, and another
	 * answer comes
	 */
	bool priced, off;
	uint64_t hits_per_s;
	uint32_t cost_ns;        /* of a hit, at its dearest place; 0 = not known */
	uint32_t share;          /* what its hits cost the target, in millionths of one CPU; of known costs */
	uint32_t scale;          /* all probes in programs are in place one of so many parts of the time */
	uint32_t thin;           /* in the kernel: one of so many hits is told; 1 = all */
};

struct placer_config {
	const struct placing *what;      /* outlives the placer, as does source */
	struct source *source;
	const uint32_t *pids;            /* processes to begin with; read by placer_new() alone */
	size_t n;
	uint32_t budget;         /* what hits may cost the target, in millionths of one CPU; BUDGET_NONE (budget.h) */
	bool thins;              /* of hits in the kernel fewer may be told for it (capture_plan.hits_bounded) */
	/*
	 * not in the processes of the target, but in every process that has a file in which there
	 * is something to be placed; pids are all there are
	 */
	bool everywhere;
	/* a sentence that says why probes in programs cannot be added, borrowed; NULL = they can */
	const char *no_programs;
};

/*
 * Begins with the processes that there are, whose places are there before it returns. 0, or a negative
 * errno with a sentence.
 */
int placer_new(const struct placer_config *c, struct placer **ret, struct err *e);
/* Looks for nothing from now on; the figures are the last ones. */
void placer_end(struct placer *p);
/* Takes all probes off, in the background, and waits for a file that is being read. NULL is fine. */
void placer_free(struct placer *p);

/* EV, of any process, may mean that something new is to be probed. For the engine's thread. */
void placer_event(struct placer *p, const struct raw_event *ev);

/*
 * Places the probe TEXT (sberf-probe(7)) as well, soon; placer_told() says what came of it, and a tenth of
 * a second later what it costs. Any thread, at most once until that.
 */
void placer_add(struct placer *p, const char *text);
/*
 * Follows what makes memory grow, sampled by INTERVAL bytes, or no more, 0, soon. placer_told() has a sentence
 * then. Any thread.
 */
void placer_growth(struct placer *p, uint32_t interval);
/*
 * Follows blocks of memory from where they are allocated to where they are freed, sampled by INTERVAL bytes, or no
 * more, 0, soon. placer_told() has a sentence then, and placer_figures() says whether they are. Any thread.
 */
void placer_blocks(struct placer *p, uint32_t interval);
/* Takes PROBE off, soon, which keeps what was counted of it; placer_told() says when. Any thread. */
void placer_remove(struct placer *p, uint32_t probe);
/* What came of the above since the last call; false = nothing new. Any thread. */
bool placer_told(struct placer *p, struct placer_answer *ret);

/* The processes of the target, into *RET; none where there are no particular ones. Any thread. */
void placer_targets(struct placer *p, u32_vec *ret);

/* The present figures. Any thread. */
void placer_figures(struct placer *p, struct placer_figures *ret);

DEFINE_AUTO(placer_free, struct placer);

#endif
