/* SPDX-License-Identifier: BSD-2-Clause */
/* madedump.h - jitdump files made by hand: functions with and without call-frame information. */
#ifndef SBERF_TESTS_UNIT_MADEDUMP_H
#define SBERF_TESTS_UNIT_MADEDUMP_H

#include "base/vec.h"
#include "symbol/jitdump.h"
#include "tests/unit/cmocka_all.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#define DUMP_CODE_SIZE 11u            /* sub $64,%rsp; call *%rdi; add $64,%rsp; ret */
#define DUMP_TABLE_AT 16              /* of .eh_frame, behind the start of the code */

struct __attribute__((packed)) dump_eh {
	uint32_t cie_len, cie_id;
	uint8_t version, augmentation[3], code_align, data_align, ra, aug_len, enc, cie_ops[7];
	uint32_t fde_len, cie_at;
	int32_t start;
	uint32_t size;
	uint8_t fde_aug, fde_ops[7], end[4];
};

typedef VEC(uint8_t) dump_bytes;

static inline void dump_put(dump_bytes *b, const void *data, size_t len)
{
	assert_true(vec_reserve(b, len));
	memcpy(b->v + b->n, data, len);
	b->n += len;
}

/* A record of ID with the N bytes at BODY, and more of them behind. */
static inline void dump_put_record(dump_bytes *b, uint32_t id, const void *body, size_t n,
				   const void *more, size_t nr_more)
{
	const uint32_t head[2] = { id, (uint32_t)(16 + n + nr_more) };
	const uint64_t time = 1;

	dump_put(b, head, sizeof(head));
	dump_put(b, &time, sizeof(time));
	dump_put(b, body, n);
	dump_put(b, more, nr_more);
}

static inline void dump_begin(dump_bytes *b, uint32_t machine)
{
	const uint32_t header[10] = { JITDUMP_MAGIC, 1, sizeof(header), machine };

	*b = (dump_bytes){ 0 };
	dump_put(b, header, sizeof(header));
}

static inline struct dump_eh dump_table(void)
{
	struct dump_eh eh = { .cie_len = 20, .version = 1, .augmentation = "zR", .code_align = 1, .data_align = 0x78,
			 .ra = 16, .aug_len = 1, .enc = 0x1b,
			 /* cfa = rsp + 8, ra at cfa - 8 */
			 .cie_ops = { 0x0c, 7, 8, 0x90, 1 },
			 .fde_len = 20, .size = DUMP_CODE_SIZE, .fde_ops = { 0x44, 0x0e, 72, 0x46, 0x0e, 8 } };

	eh.cie_at = offsetof(struct dump_eh, cie_at);
	eh.start = -(int32_t)(DUMP_TABLE_AT + offsetof(struct dump_eh, start));
	return eh;
}

/* SIZE is what the record says of both tables, of which only .eh_frame is looked at. */
static inline void dump_put_unwinding(dump_bytes *b, const struct dump_eh *eh, uint64_t size, uint64_t hdr_size)
{
	const struct jitdump_unwinding u = { .size = size, .hdr_size = hdr_size };
	const uint8_t hdr[20] = { 1 };
	uint8_t both[sizeof(*eh) + sizeof(hdr)];

	memcpy(both, eh, sizeof(*eh));
	memcpy(both + sizeof(*eh), hdr, sizeof(hdr));
	dump_put_record(b, JITDUMP_UNWINDING, &u, sizeof(u), both, sizeof(both));
}

static inline void dump_put_load(dump_bytes *b, uint64_t addr, uint64_t size, uint64_t index)
{
	const struct jitdump_load load = { .code_addr = addr, .code_size = size, .code_index = index };

	dump_put_record(b, JITDUMP_LOAD, &load, sizeof(load), "made", 5);
}

static inline void dump_put_move(dump_bytes *b, uint64_t addr, uint64_t index)
{
	const struct jitdump_move move = { .new_addr = addr, .code_size = DUMP_CODE_SIZE, .code_index = index };

	dump_put_record(b, JITDUMP_MOVE, &move, sizeof(move), "", 0);
}

#endif
