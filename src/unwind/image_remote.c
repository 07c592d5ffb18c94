// SPDX-License-Identifier: BSD-2-Clause
/* image_remote.c - a table of answers by kind and place. */
#include "config.h"

#include "unwind/image_remote.h"

#include "unwind/arch.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1ull << 30)           /* that the worker may say a file takes: all together may take no more */

static uint64_t kept_hash(enum image_op op, uint64_t offset)
{
	return hash_2u64(offset, op);
}

static uint64_t kept_rehash(const void *ctx, uint32_t id)
{
	const struct image_remote *r = ctx;

	return kept_hash(r->kept.v[id].op, r->kept.v[id].offset);
}

const struct kept_answer *image_remote_kept(const struct image_remote *r, enum image_op op, uint64_t offset)
{
	uint32_t id;

	hidx_each(&r->by_place, kept_hash(op, offset), id)
		if (r->kept.v[id].op == op && r->kept.v[id].offset == offset)
			return &r->kept.v[id];
	return NULL;
}

static void kept_answer_free(struct kept_answer *k)
{
	if (k->op == IMAGE_PAGES)
		free(k->rows);
	else if (k->op == IMAGE_ROW)
		free(k->row);
}

/* Takes BYTES of what K has over. */
static void image_remote_add(struct image_remote *r, struct kept_answer k, size_t bytes)
{
	struct kept_answer *slot = image_remote_kept(r, k.op, k.offset) ? NULL : vec_push(&r->kept);

	if (slot && hidx_add(&r->by_place, kept_hash(k.op, k.offset), (uint32_t)(r->kept.n - 1), kept_rehash, r)) {
		*slot = k;
		r->kept_bytes += sizeof(k) + bytes;
		return;
	}
	r->kept.n -= slot != NULL;
	kept_answer_free(&k);
}

static void *image_remote_copy(const void *from, size_t bytes)
{
	void *copy = malloc(bytes);

	return copy ? memcpy(copy, from, bytes) : NULL;
}

static void image_remote_keep_pages(struct image_remote *r, const struct image_message *m)
{
	size_t at = 0;

	for (uint32_t i = 0; i < m->head.pages; i++) {
		const struct rule_row *row;
		const uint32_t n = image_pages_next(m, &at, &row);
		const size_t bytes = n * sizeof(*row);
		struct kept_answer k = { .offset = m->head.offset + (uint64_t)i * IMAGE_PAGE_BYTES, .op = IMAGE_PAGES,
					 .n = n, .rows = image_remote_copy(row, bytes) };

		if (k.rows)
			image_remote_add(r, k, bytes);
	}
}

void image_remote_keep(struct image_remote *r, const struct image_message *m)
{
	struct kept_answer k = { .offset = m->head.offset, .n = m->head.length };

	switch (m->head.op) {
	case IMAGE_SAID_PAGES:
		image_remote_keep_pages(r, m);
		break;
	case IMAGE_SAID_PLACE:
		k.op = IMAGE_PLACE;
		memcpy(&k.rule, m->body, sizeof(k.rule));
		image_remote_add(r, k, 0);
		break;
	case IMAGE_SAID_ROW:
		k.op = IMAGE_ROW;
		k.row = k.n ? image_remote_copy(m->body, k.n) : NULL;
		if (k.row || !k.n)
			image_remote_add(r, k, k.n);
		break;
	default:
		break;
	}
}

void image_remote_forget(struct image_remote *r)
{
	for (size_t i = 0; i < r->kept.n; i++)
		kept_answer_free(&r->kept.v[i]);
	vec_free(&r->kept);
	hidx_free(&r->by_place);
	r->kept_bytes = 0;
}

static struct image_load image_remote_load(const struct image_opened_load *l)
{
	return (struct image_load){ .offset = l->offset, .filesz = l->filesz, .vaddr = l->vaddr, .memsz = l->memsz,
				    .exec = l->exec };
}

/* Is IM, which has been opened before, what O says? */
static bool image_remote_is(const struct image *im, const struct image_opened *o)
{
	if (im->machine != o->machine || im->nr_loads != o->nr_loads || im->build_id_len != o->build_id_len ||
	    memcmp(im->build_id, o->build_id, o->build_id_len) != 0)
		return false;
	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *a = &im->loads[i];
		const struct image_opened_load *b = &o->load[i];

		if (a->offset != b->offset || a->filesz != b->filesz || a->vaddr != b->vaddr || a->memsz != b->memsz ||
		    a->exec != b->exec)
			return false;
	}
	return true;
}

bool image_remote_take(struct image *im, const struct image_message *m)
{
	const struct image_opened *o = (const struct image_opened *)m->body;
	struct image_remote *r = im->remote;

	if (r->opened)
		return image_remote_is(im, o);
	im->loads = calloc(o->nr_loads + 1u, sizeof(*im->loads));
	if (!im->loads)
		return false;
	im->machine = (uint16_t)o->machine;
	im->arch = unwind_arch_of(o->machine);
	im->nr_loads = o->nr_loads;
	for (uint32_t i = 0; i < o->nr_loads; i++)
		im->loads[i] = image_remote_load(&o->load[i]);
	im->build_id_len = o->build_id_len;
	memcpy(im->build_id, o->build_id, sizeof(im->build_id));
	if (o->lacks_code)
		err_set(&im->lacks, o->lacks_code, "%s", o->lacks);
	r->bytes = o->bytes < BYTES_MAX ? o->bytes : BYTES_MAX;
	r->opened = true;
	return true;
}

size_t image_remote_bytes(const struct image_remote *r)
{
	return r ? sizeof(*r) + r->bytes : 0;
}
