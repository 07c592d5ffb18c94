/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_encode.h - encodes a raw_event as a wire record (bpf/wire.h): the reverse of wire_decode.h.
 * Pure.
 *
 * An event from wire_decode_record(), encoded and decoded again, is the same, except for what a
 * record cannot hold (weight, an interrupt's waker), which the source adds.
 */
#ifndef SBERF_CAPTURE_WIRE_ENCODE_H
#define SBERF_CAPTURE_WIRE_ENCODE_H

#include "model/raw.h"

/* Size of the longest record in bytes: with a stack that was read from outside (capture/peek.h). */
#define ENCODED_MAX ((8u << 20) + 512u * 1024)

/*
 * Writes EV as a record to DST, SIZE bytes, 8-byte aligned. Returns the bytes used; 0 = no room, or
 * no record for this kind.
 */
size_t wire_encode_record(const struct raw_event *ev, void *dst, size_t size);

/*
 * The reverse of wire_decode_call() for a wait in STATE; *RET_COMPAT: the call is of the 32-bit
 * ABI.
 */
int32_t wire_encode_call(uint32_t call, bool *ret_compat);

#endif
