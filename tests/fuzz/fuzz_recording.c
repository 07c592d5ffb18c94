/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_recording.c - no bytes may make the reader crash, hang, misjudge a size or hand out an id that does not exist.
 *
 * The checksums are put right first, where a block header stands where it should, so that a mutation reaches what lies behind
 * them; an input that begins with another byte than 'S' is read as it is behind that byte.
 */
#include "config.h"

#include "record/reader.h"

#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static ssize_t take(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

static void check_event(void *ctx, const struct event *ev)
{
	const struct dict *d = profile_dict(ctx);

	must(ev->kind == EVENT_SAMPLE || ev->kind == EVENT_BLOCKED || ev->kind == EVENT_RUNNABLE);
	must(dict_get_thread(d, ev->thread) && dict_get_stack(d, ev->stack));
	must(ev->cut_module == ID_NONE || dict_get_module(d, ev->cut_module));
	if (ev->kind == EVENT_SAMPLE)
		return;
	must(ev->wait.call <= CALL_MAX && ev->wait.own_ns <= WEIGHT_MAX);
	must(ev->wait.waker == ID_NONE || dict_get_thread(d, ev->wait.waker));
	must(ev->wait.waker_stack == STACK_ROOT || dict_get_stack(d, ev->wait.waker_stack));
}

static void check_names(const struct dict *d, const struct names *ns)
{
	for (frame_id id = 0; id < dict_frames(d); id++) {
		const struct frame_names *fn = names_get(ns, id);

		for (uint16_t i = 0; fn && i < fn->n; i++)
			must(names_func(ns, fn->name[i].func) && fn->name[i].file < names_strings(ns));
	}
}

static void put_right(uint8_t *p, size_t n)
{
	size_t at = HEADER_SIZE;
	struct block b;

	if (n < HEADER_SIZE)
		return;
	put_le(p + HEADER_AT_CRC, crc32(0, p, HEADER_AT_CRC), 4);
	while (n - at >= BLOCK_HEADER_SIZE && block_get(p + at, &b) && b.stored_len <= n - at - BLOCK_HEADER_SIZE) {
		const uint32_t head = (uint32_t)crc32(0, p + at, BLOCK_AT_CRC);

		put_le(p + at + BLOCK_AT_CRC, crc32(head, p + at + BLOCK_HEADER_SIZE, b.stored_len), 4);
		at += BLOCK_HEADER_SIZE + b.stored_len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool as_it_is = size && data[0] != RECORD_MAGIC[0];
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *ns = names_new();
	AUTO_FREE uint8_t *copy = malloc(size + 1);
	struct load_report report;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	const struct load_target t = {
		.profile = p, .names = ns, .meta = &meta, .report = &report,
		/* One input in two leaves waits out. */
		.options = { .min_block_ns = size & 1 ? 1000000 : 0, .each = check_event, .ctx = p },
	};
	struct cursor in;
	int r;

	must(p && ns && copy);
	memcpy(copy, data + as_it_is, size - as_it_is);
	in = (struct cursor){ copy, copy + size - as_it_is };
	if (!as_it_is)
		put_right(copy, size);
	r = recording_read("fuzz.data", take, &in, &t, &e);
	must((r == 0) == (e.code == 0) && r <= 0);
	check_names(profile_dict(p), ns);
	return 0;
}
