/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_decode.h - bytes of the wire record (bpf/wire.h) -> raw_event. Pure.
 *
 * The record is believed in nothing: sizes, counts and order are checked against the bytes that are there. Parts of
 * unknown type are skipped, so that an older reader takes a newer record.
 */
#ifndef SBERF_CAPTURE_WIRE_DECODE_H
#define SBERF_CAPTURE_WIRE_DECODE_H

#include "model/raw.h"

/*
 * Decodes the record of LEN bytes at DATA, which must be 8-byte aligned. The pointers in *RET reach into DATA. Returns 1, or
 * 0 for a kind of record that this version does not know, or -EBADMSG; *RET changes only when it returns 1.
 * weight is left 0: the source knows what a period is worth.
 */
int wire_decode_record(const void *data, size_t len, struct raw_event *ret);

/* What the kernel half says of a call (sb_part_wait.call, or an open wait's), in STATE, as a CALL_* of model/wait.h. */
uint32_t wire_decode_call(int32_t call, unsigned int state, bool compat);

#endif
