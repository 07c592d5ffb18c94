/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owncode.h - small functions of sberf itself, with places at which probes can be measured: one
 * instruction is between each begin and its end. By architecture.
 */
#ifndef SBERF_CAPTURE_OWNCODE_H
#define SBERF_CAPTURE_OWNCODE_H

struct owncode {
	/* functions whose first instruction the kernel emulates, runs from a copy, and emulates again */
	void (*emulated)(void), (*stepped)(void), (*returned)(void);
	const char *emulated_end, *stepped_end;  /* the second instruction of the first two */
};

/* NULL where there are none for this machine. */
const struct owncode *owncode_here(void);

#endif
