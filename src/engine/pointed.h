/* SPDX-License-Identifier: BSD-2-Clause */
/* pointed.h - figures of calls by pointers in call graphs of the kernel (pointers.h). */
#ifndef SBERF_ENGINE_POINTED_H
#define SBERF_ENGINE_POINTED_H

#include <stdint.h>

#define POINTED_NAMES 160u

struct pointed_figures {
	uint32_t sites;          /* calls by pointers that are watched, */
	uint32_t left_out;       /* and those for which there is no room */
	uint32_t called;         /* functions that are followed since they were called so */
	uint32_t functions;      /* these and what they call, as far as it is probed by now */
	uint64_t early;          /* calls of these before they were followed */
	uint64_t unfollowed;     /* calls of others, which are not followed: */
	char names[POINTED_NAMES];       /* of these, as many as there is room for: "f, g ..." */
	uint64_t full;           /* calls for which there was no room to be counted */
};

#endif
