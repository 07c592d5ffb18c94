/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.h - finds which memory the code under a sample was accessing, from the instructions around
 * it and its registers.
 *
 * A sample that interrupts user code lands on the instruction that has not been executed yet. The
 * one before it has, and most often it is the one that the CPU was waiting for. So its operand
 * tells what was accessed, as long as it did not change the registers that the address was made of.
 * Else the one that it landed on, and the ones after it, tell what comes next.
 *
 * Two steps: a *rule* for a place in the code, decoded once (capstone knows the instructions), and
 * its application to the registers of a sample, which costs nanoseconds. Both are pure. What
 * depends on the architecture is in access_NAME.c.
 */
#ifndef SBERF_NUMA_ACCESS_H
#define SBERF_NUMA_ACCESS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/memory.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCESS_REG_NONE 0xffu
#define ACCESS_CODE_BEFORE 256u          /* bytes of code before a place that are worth reading, at most */
#define ACCESS_CODE_BEHIND 128u          /* and behind its first byte */

/* How the address of one place comes about: base + index * scale + disp, in registers as raw.h numbers them. */
struct access_rule {
	uint8_t how;             /* enum access_how; 0 = there is none, for the reason in MISS */
	uint8_t miss;            /* enum access_miss */
	uint8_t base, index;     /* ACCESS_REG_NONE = none */
	uint8_t scale;           /* 1, 2, 4, 8 */
	uint8_t size;            /* bytes accessed, 0 = not known */
	bool write;              /* it stores, perhaps beside a load */
	bool absolute32;         /* the address has 32 bits: the upper half is cut off */
	int64_t disp;            /* base may be the pc: that of the place */
};

struct access_decoder;

/* Opens the disassembler for this architecture. -EOPNOTSUPP where there is none. */
int access_decoder_new(struct access_decoder **ret, struct err *e);
void access_decoder_free(struct access_decoder *d);      /* NULL is fine */

/*
 * The rule of the place at CODE + AT. CODE are LEN bytes, of which the first begins an instruction:
 * the start of a function, or of the piece of it that has unwind information. When that is more
 * than ACCESS_CODE_BEFORE bytes away the first may be any byte so far before the place: from
 * wherever decoding begins, it is in step with the instructions well before it gets there (of
 * 600,000 places in three programs none was missed from 256 bytes away, 4 from 192, 290 from 64).
 */
struct access_rule access_decode(struct access_decoder *d, const uint8_t *code, size_t len, size_t at);

/* The address by RULE for the registers of S. False: *RET_MISS says why not. */
bool access_address(const struct access_rule *rule, const struct raw_sample *s, uint64_t *ret_addr,
		    enum access_miss *ret_miss);

DEFINE_AUTO(access_decoder_free, struct access_decoder);

#endif
