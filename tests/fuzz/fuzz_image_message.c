/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_image_message.c - any bytes as a message of the worker that reads files for unwinding, or of sberf to it: what
 * passes the check can be kept, and every rule and row that is kept is one that can be used.
 */
#include "config.h"

#include "unwind/image_remote.h"
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void look_at_kept(const struct image_remote *r)
{
	for (size_t i = 0; i < r->kept.n; i++) {
		const struct kept_answer *k = &r->kept.v[i];

		must(image_remote_kept(r, k->op, k->offset) != NULL);
		for (uint32_t at = 0; k->op == IMAGE_PAGES && at < k->n; at++)
			must(rule_is_sound(&k->rows[at].rule) && k->rows[at].at < IMAGE_PAGE_BYTES);
		if (k->op == IMAGE_ROW && k->n)
			must(cfi_row_check(k->row, k->n));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_message *m = calloc(1, sizeof(*m));
	struct image *im = calloc(1, sizeof(*im));
	struct image_remote *r = calloc(1, sizeof(*r));
	uint64_t vaddr;

	must(m && im && r);
	r->fd = -1;
	im->remote = r;
	if (size > sizeof(*m))
		size = sizeof(*m);
	memcpy(m, data, size);
	must(!image_message_check(m, size, false) || !image_message_check(m, size, true));
	if (image_message_check(m, size, true) && !m->head.result) {
		if (m->head.op == IMAGE_OPENED) {
			must(image_remote_take(im, m));
			must(image_remote_take(im, m));
			(void)image_vaddr(im, m->head.offset, &vaddr);
			(void)image_holds(im, m->head.offset);
		} else {
			image_remote_keep(r, m);
			image_remote_keep(r, m);
		}
		look_at_kept(r);
	}
	image_free(im);
	free(m);
	return 0;
}
