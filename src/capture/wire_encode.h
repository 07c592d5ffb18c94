/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_encode.h - raw_event -> bytes of the wire record (bpf/wire.h): what wire_decode.h undoes.
 * Pure.
 *
 * What wire_decode_record() gives, encoded and decoded again, is the same: but for what a record
 * has no place for (weight, who an interrupt's waker was), which the source adds.
 */
#ifndef SBERF_CAPTURE_WIRE_ENCODE_H
#define SBERF_CAPTURE_WIRE_ENCODE_H

#include "model/raw.h"

/* Bytes that the longest record takes. */
#define ENCODED_MAX (512u * 1024)

/* Whether EV is of a kind that has a wire record: a sample, or the like. */
bool wire_encode_can(const struct raw_event *ev);

/*
 * EV to DST, SIZE bytes, 8-byte aligned. Returns how many it takes; 0 = there is no room, or no
 * such record.
 */
size_t wire_encode_record(const struct raw_event *ev, void *dst, size_t size);

/* What wire_decode_call() makes CALL of, for a wait in STATE; *RET_COMPAT: of the 32-bit ABI. */
int32_t wire_encode_call(uint32_t call, bool *ret_compat);

#endif
