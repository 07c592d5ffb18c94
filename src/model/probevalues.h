/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probevalues.h - which values the arguments of a probe had most often: one short list for each
 * argument, by its name.
 *
 * The values come of hits that are looked at, each for so many others (raw_hit.look). A list has room
 * for some; a value for which there is none replaces the rarest and takes over what that had, which is
 * noted as the most that its count may be too high (Metwally's "space-saving"). So a value that makes up
 * a twentieth of all hits is never missed.
 */
#ifndef SBERF_MODEL_PROBEVALUES_H
#define SBERF_MODEL_PROBEVALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_VALUE_TEXT_MAX 56u
#define PROBE_VALUES_KEPT 24u    /* of one argument, while they are counted */
#define PROBE_VALUES_MAX 6u      /* of these are told: the most frequent */
#define PROBE_LISTS_MAX 8u       /* arguments of one probe, with its result */

struct probe_value {
	char text[PROBE_VALUE_TEXT_MAX];         /* sanitised */
	uint64_t count;          /* hits that had it */
	uint64_t error;          /* it may be so much too high */
};

/* The values of one argument that were seen most, by falling count. */
struct probe_values {
	char name[24];           /* of the argument; sanitised, not empty */
	uint64_t total;          /* hits that had any value */
	uint32_t n;
	struct probe_value v[PROBE_VALUES_MAX];
};

/* The values of one probe. */
struct probe_seen {
	uint64_t looked;         /* hits that were looked at */
	uint64_t looked_for;     /* hits that they stand for, themselves included */
	uint32_t n;
	struct probe_values list[PROBE_LISTS_MAX];       /* in the order of the arguments */
};

/* Of PROBE (model/probes.h) a hit was looked at that stands for COUNT. Any thread; nothing for no probe. */
void probe_values_look(uint32_t probe, uint64_t count);
/* Its argument NAME, number AT of its probe, was TEXT. The same. */
void probe_values_see(uint32_t probe, unsigned int at, const char *name, const char *text, uint64_t count);
/* What is known of PROBE, in this run. */
void probe_values_get(uint32_t probe, struct probe_seen *ret);

/* Adds SRC to DST; of lists without room in DST, and of values, the most frequent stay. */
void probe_seen_add(struct probe_seen *dst, const struct probe_seen *src);
/* Takes from NOW what there was THEN, earlier in the same capture. */
void probe_seen_since(struct probe_seen *now, const struct probe_seen *then);
/* The list called NAME, which is added if it is not there; NULL = there is no room, or NAME is empty. */
struct probe_values *probe_seen_list(struct probe_seen *s, const char *name);
/* Adds VALUE to L, which stays in its order. */
void probe_values_add(struct probe_values *l, const struct probe_value *value);

#define PROBE_PARAM_NAME 24u     /* bytes, with the end */

/* How the parameters of the functions of a probe are called, where that is known. */
struct probe_param {
	char name[PROBE_PARAM_NAME];     /* "" = nothing is known, or functions differ */
	uint8_t size;            /* bytes of a number */
	bool is_signed, is_pointer;
};

#define PROBE_PRINTS_MAX 4u

/* How what a probe tells beside its arguments is to be read (sb_loads.print of bpf/wire.h). */
struct probe_print {
	bool known;              /* false = its functions have no such value, or they differ */
	uint8_t from;            /* the argument that it starts from; 6 = the result */
	bool there;              /* it is that argument itself, of which nothing is told */
	uint8_t size;            /* bytes of a number; 0 = a string */
	bool is_signed;
};

/* Value AT of PROBE is P. What is not the same everywhere is not known. Nothing for no probe. */
void probe_print_note(uint32_t probe, unsigned int at, const struct probe_print *p);
struct probe_print probe_print_get(uint32_t probe, unsigned int at);

/*
 * Argument AT of a function of PROBE is P; NULL: it cannot be seen there. What is not the same in all of its
 * functions is not known. Nothing for no probe.
 */
void probe_param_note(uint32_t probe, unsigned int at, const struct probe_param *p);
struct probe_param probe_param_get(uint32_t probe, unsigned int at);

#endif
