/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_decode.h - decodes the bytes of a wire record (bpf/wire.h) into a raw_event. Pure.
 *
 * Nothing in the record is trusted: sizes, counts and order are checked against the bytes present.
 * Parts of unknown type are skipped, so that an older reader can read a newer record.
 */
#ifndef SBERF_CAPTURE_WIRE_DECODE_H
#define SBERF_CAPTURE_WIRE_DECODE_H

#include "model/raw.h"

/*
 * Decodes the record of LEN bytes at DATA, which must be 8-byte aligned. Pointers in *RET point
 * into DATA. Returns 1; 0 for a kind of record that this version does not know; or -EBADMSG. *RET
 * changes only when it returns 1. weight stays 0: the source knows what a period is worth.
 */
int wire_decode_record(const void *data, size_t len, struct raw_event *ret);

/*
 * Translates the kernel half's CALL (sb_part_wait.call, or that of an open wait), in STATE, to a
 * CALL_* of model/wait.h.
 */
uint32_t wire_decode_call(int32_t call, unsigned int state, bool compat);

/* The kind of a lock of the kernel that is of TYPE, SB_KLOCK_* or SB_CHANNEL_*; LOCK_KERNEL_OTHER for others. */
enum lock_kind wire_klock_kind(uint32_t type);

struct sb_lock;
/* What L, which has an address, says, to *RET. */
void wire_decode_lock(const struct sb_lock *l, struct lock_futex *ret);

#endif
