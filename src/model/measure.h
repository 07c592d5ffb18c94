/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h - the table of what can be counted: time running, blocked, in the run queue, accesses
 * to far memory, faults, what an import counts.
 *
 * A *measure* says which facts count, by their weight or their number, in what unit, and how it is
 * named and shown. There is one table of measures (measure.c), and no other place knows which there
 * are: a new measure is one row there, and its kind of fact one row of kind.h. A question
 * (query/query.h) asks for a set of measures, a node of a tree has a value of each. Those that add
 * up to wall time add up to the total of the node; else the total is the first one of the set.
 *
 * Behind those of the table come those of probes that somebody placed (model/probes.h), which are
 * only known when they are.
 */
#ifndef SBERF_MODEL_MEASURE_H
#define SBERF_MODEL_MEASURE_H

#include "base/units.h"
#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

/* What a value is made of. */
enum measure_unit {
	UNIT_TIME,               /* nanoseconds */
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_OWN,                /* what an import calls its numbers (profile_meta.unit), with three decimals */
	UNIT_NR
};

/* What shows it: the hue of its column and of its part of a bar. */
enum measure_style { MEASURE_STYLE_RUNNING, MEASURE_STYLE_RUNNABLE, MEASURE_STYLE_BLOCKED, MEASURE_STYLE_FAR,
		     MEASURE_STYLE_OTHER };

/* What a measure may look at to say whether a fact, or an event, counts. */
struct measured {
	unsigned int kind;       /* enum event_kind */
	unsigned int node;       /* of the CPU */
	unsigned int place_node; /* of memory, of kinds that carry a place; NODE_UNKNOWN */
	uint64_t argument;       /* of kinds that carry one; 0 */
	uint32_t probe;          /* of hits: the number of the probe (model/probes.h), + 1; 0 */
};

struct measure {
	const char *name;        /* as --metric and recordings have it; never changes */
	const char *title;       /* what a view of it is called: "far accesses" */
	const char *head, *brief;        /* of its column; BRIEF has five columns at most */
	const char *json;        /* the name of its parts in JSON, without the unit: "running" */
	const char *about;       /* a line of the manual, behind its name; NULL = nobody asks for it by name */
	enum measure_unit unit;
	enum measure_style style;
	uint32_t kinds;          /* whose facts count: mask of 1 << enum event_kind */
	bool (*counts)(const struct measured *x);        /* of these, which; NULL = all */
	uint32_t probe;          /* only hits of this probe, + 1; 0 = of any */
	bool wall;               /* adds up to wall time with the others that do */
	bool estimate;           /* known from samples alone: shown with "~", and how many there were */
	bool events;             /* its value is the number of its events, whatever they weigh */
	const char *pprof;       /* type of its values in pprof */
	const char *counted;     /* what its events are in pprof: "samples"; NULL = they are what it counts */
};

/*
 * Those that have a name in the code. The others are only in the table. The first three are where
 * enum time_kind says.
 */
enum measure_id {
	MEASURE_RUNNING, MEASURE_RUNNABLE, MEASURE_BLOCKED, MEASURE_FAR,
	MEASURE_IMPORTED,        /* what an import counts; never asked for by name */
	MEASURE_ALLOCATED, MEASURE_IN_USE,       /* bytes of memory (model/allocation.h) */
};

/* The parts of wall time: these have the first places of any set of measures. */
enum time_kind {
	TIME_RUNNING = MEASURE_RUNNING, TIME_RUNNABLE = MEASURE_RUNNABLE, TIME_BLOCKED = MEASURE_BLOCKED,
	TIME_NR
};

/* MEASURE_BIT(id) of each measure of a set: those of the table, and those of 64 probes */
__extension__ typedef unsigned __int128 measure_mask;

#define MEASURES_MAX 128u        /* in all */
#define MEASURE_NONE UINT8_MAX
#define MEASURE_BIT(id) ((measure_mask)1 << (id))
#define MEASURES_ON_CPU MEASURE_BIT(MEASURE_RUNNING)
#define MEASURES_OFF_CPU (MEASURE_BIT(MEASURE_BLOCKED) | MEASURE_BIT(MEASURE_RUNNABLE))
#define MEASURES_WALL (MEASURES_ON_CPU | MEASURES_OFF_CPU)
#define MEASURES_FAR MEASURE_BIT(MEASURE_FAR)
#define MEASURES_IMPORTED MEASURE_BIT(MEASURE_IMPORTED)
#define MEASURES_MEMORY (measures_of_kind(EVENT_ALLOC) | measures_of_kind(EVENT_FREE) | \
			 measures_of_kind(EVENT_IN_USE) | measures_of_kind(EVENT_PEAK))

/* How many there are. It grows when a probe is placed. */
unsigned int measures_count(void);
/*
 * Adds M, which must stay as it is to the end of the program, and returns its id; MEASURE_NONE when
 * there are MEASURES_MAX. For one thread at a time; others may read meanwhile.
 */
unsigned int measure_add(const struct measure *m);
/* That of ID; NULL when there is none. */
const struct measure *measure_get(unsigned int id);
/* The id of the measure of that NAME of LEN bytes; MEASURE_NONE. */
unsigned int measure_named(const char *name, size_t len);
/* Which measures facts of KIND can count in. */
measure_mask measures_of_kind(unsigned int kind);

#define MEASURES_ASKED 6u        /* that one question can ask for: wall time, and three others */

/*
 * A set of measures in places: where their values are in a node. Parts of wall time are where enum
 * time_kind says. Others take what is left, the one that was asked for first before those of the
 * table's order. What value a fact adds to each of them, measure_value() says.
 */
struct measure_set {
	uint8_t at[MEASURES_ASKED];      /* the measure in that place; MEASURE_NONE */
	uint8_t lead;                    /* places that add up to the total, as a mask */
	uint8_t first;                   /* the first of these: the measure whose unit the total has */
	uint8_t events;                  /* places whose measures are numbers of events, as a mask */
};

/*
 * The places of the measures in MASK; those that find none are left out. An empty MASK has none.
 * LEAD, an id and one, is the measure whose total leads, where it is one of MASK: wall time as a
 * whole where it is a part of that. 0: wall time where there is some, else the first of the table.
 */
struct measure_set measure_set(measure_mask mask, unsigned int lead);
/* Whether all of MASK find one. */
bool measures_fit(measure_mask mask);
/* The first of MASK, by the table's order and then that of the probes; MEASURE_NONE when it is empty. */
unsigned int measures_first(measure_mask mask);

/* What a fact or an event of WEIGHT that stands for COUNT adds to the measure in PLACE of S, in which it counts. */
static inline uint64_t measure_value(const struct measure_set *s, unsigned int place, uint64_t weight, uint64_t count)
{
	return s->events >> place & 1 ? count : weight;
}

/* And what to the total. */
static inline uint64_t measure_total(const struct measure_set *s, uint64_t weight, uint64_t count)
{
	return measure_value(s, s->first, weight, count);
}

/*
 * The place that comes as number N < MEASURES_ASKED where measures are listed: blocked time before
 * time in the run queue, as that is what is looked for.
 */
static inline unsigned int measure_place_shown(unsigned int n)
{
	return n == TIME_RUNNABLE ? TIME_BLOCKED : n == TIME_BLOCKED ? TIME_RUNNABLE : n;
}

/* The measure in PLACE of S; NULL. */
static inline const struct measure *measure_in(const struct measure_set *s, unsigned int place)
{
	return place < MEASURES_ASKED ? measure_get(s->at[place]) : NULL;
}

/*
 * That whose column stands in PLACE; NULL = there is none. Wall time has the columns of all of its
 * parts, also of those that were not asked for, so that columns stay where they are.
 */
const struct measure *measure_column(const struct measure_set *s, unsigned int place);

/* That of which the total is; never NULL. */
const struct measure *measure_lead(const struct measure_set *s);
/* Whether that is a part of wall time. */
bool measure_set_is_wall(const struct measure_set *s);
/*
 * Parts of wall time, a mask of 1 << enum time_kind, by the names that people have for them:
 * "on-CPU", "off-CPU", "all time".
 */
const char *measure_wall_title(unsigned int parts);
/*
 * What S is about, in words: "on-CPU", "all time", "far accesses", "page faults, migrations". OWN:
 * of UNIT_OWN; NULL. Returns DST.
 */
char *measure_set_title(const struct measure_set *s, const char *own, char *dst, size_t size);

/* Whether X counts in M. */
static inline bool measure_counts(const struct measure *m, const struct measured *x)
{
	return m->kinds >> x->kind & 1 && (!m->probe || m->probe == x->probe) && (!m->counts || m->counts(x));
}

/* VALUE of M for people: "1.20 s", "21 MB", "1,204". */
char *measure_text(const struct measure *m, uint64_t value, char dst[UNITS_MAX]);
/* VALUE as a number of units, rounded: ns, bytes, events, or what the import counts. */
uint64_t measure_whole(const struct measure *m, uint64_t value);
/* How many of a value are one unit: 1, but for UNIT_OWN. */
unsigned int measure_one(const struct measure *m);
/* "ns", "bytes", "count", or "" for UNIT_OWN: in recordings and JSON. */
const char *measure_unit_name(enum measure_unit unit);
/* "nanoseconds", "bytes", "count": in pprof. */
const char *measure_unit_pprof(enum measure_unit unit);

#endif
