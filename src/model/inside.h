/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inside.h - says inside of which calls of probes a sample or a wait was, and how long these took.
 *
 * All of it is one number: up to INSIDE_MAX parts of 16 bits, the one of the lowest probe in the highest
 * bits; 0 = inside of none. A part is the number of the probe (model/probes.h) and a class of lengths.
 * A class is a sixteenth of an octave wide, so its middle is at most 3.2 % off.
 */
#ifndef SBERF_MODEL_INSIDE_H
#define SBERF_MODEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#define INSIDE_MAX 4u
#define INSIDE_CLASSES 498u              /* of lengths: numbers from 1 on are below */
#define INSIDE_NO_LENGTH 511u            /* the class of a call whose length is not known at all */
#define INSIDE_SO_FAR 512u               /* added to a class: it lasted that long when it was seen last */
/* Nobody knows: probes in programs were not in place then (--budget). */
#define INSIDE_NOT_KNOWN ((uint64_t)0xffff << 48)

/* The class of a call of NS; longer ones than nine minutes are in the last one. */
unsigned int inside_class(uint64_t ns);
/* The shortest length in CLASS, ns; that of INSIDE_CLASSES is where the last one ends. */
uint64_t inside_class_from_ns(unsigned int class);

/* INSIDE and, beside that, in a call of PROBE of that CLASS; the same as before if there is no room. */
uint64_t inside_with(uint64_t inside, uint32_t probe, unsigned int class);
/* The class of the call of PROBE; 0 = INSIDE is not in one. Not of INSIDE_NOT_KNOWN. */
unsigned int inside_class_of(uint64_t inside, uint32_t probe);
/* Part I of INSIDE, below INSIDE_MAX: its class, and *RET_PROBE; 0 = there is none. */
unsigned int inside_part(uint64_t inside, unsigned int i, uint32_t *ret_probe);

#endif
