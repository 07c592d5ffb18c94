// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_serving.c - images behind a socket: what the unwinder computes of a file is computed here, by the same code,
 * and under the same limits of time.
 */
#include "config.h"

#include "worker/image_serving.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "plugin/sandbox.h"
#include "unwind/image_impl.h"
#include "unwind/image_message.h"
#include "unwind/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* sberf opens no more files when its images take a gigabyte; reading one takes some times the largest section. */
static const struct sandbox_needs needs = {
	.memory_bytes = 6ull << 30, .stack_bytes = 8u << 20, .files = 32, .cpu_seconds = UINT32_MAX,
	.reads_files = true,
};

static struct serving_images {
	int socket;
	bool gone;                   /* sberf is, or has said what makes no sense */
	VEC(struct image *) images;  /* by number - 1; NULL = none */
	struct unwinder *limits;     /* looks after the time that files take */
	struct image_message call, out;
} serving;

/* Answers the call with what is in serving.out: its body, and RESULT. */
static void image_serving_send(int result)
{
	struct serving_images *s = &serving;
	const struct image_head *h = &s->call.head;

	s->out.head = (struct image_head){ .op = image_message_answer(h->op), .length = s->out.head.length,
					   .image = h->image, .result = result, .offset = h->offset,
					   .pages = h->pages };
	s->gone = s->gone || image_message_send(s->socket, &s->out, -1);
	s->out.head.length = 0;
}

/* The image that is asked about; NULL = there is none. */
static struct image *image_serving_image(void)
{
	const uint32_t number = serving.call.head.image;

	return number && number <= serving.images.n ? serving.images.v[number - 1] : NULL;
}

/* What IM is, as the body of the answer. False: it has too many loads. */
static bool image_serving_describe(const struct image *im)
{
	struct image_opened *o = (struct image_opened *)serving.out.body;

	if (im->nr_loads > IMAGE_LOADS_MAX)
		return false;
	memset(o, 0, sizeof(*o));
	o->bytes = image_bytes(im);
	o->machine = im->machine;
	o->nr_loads = im->nr_loads;
	o->lacks_code = im->lacks.code;
	memcpy(o->lacks, im->lacks.text, sizeof(o->lacks));
	o->build_id_len = image_build_id(im, o->build_id);
	for (uint32_t i = 0; i < im->nr_loads; i++)
		o->load[i] = (struct image_opened_load){ im->loads[i].offset, im->loads[i].filesz, im->loads[i].vaddr,
							 im->loads[i].memsz, im->loads[i].exec };
	serving.out.head.length = (uint32_t)(sizeof(*o) + o->nr_loads * sizeof(o->load[0]));
	return true;
}

/* Keeps IM under the number of the call. */
static bool image_serving_keep(struct image *im)
{
	while (serving.images.n < serving.call.head.image) {
		struct image **more = vec_push(&serving.images);

		if (!more)
			return false;
		*more = NULL;
	}
	image_free(serving.images.v[serving.call.head.image - 1]);
	serving.images.v[serving.call.head.image - 1] = im;
	return true;
}

static void image_serving_open(int fd)
{
	AUTO(image_free) struct image *im = NULL;
	struct err e = ERR_INIT;
	int r = fd < 0 ? -EBADF : image_open(fd, &im, &e);

	if (!r && !image_serving_describe(im))
		r = err_set(&e, ENOEXEC, "it has more segments than programs have");
	if (!r && !image_serving_keep(im))
		r = err_nomem(&e, "an ELF image");
	if (!r)
		(void)take_ptr(im);
	if (r) {
		serving.out.head.length = (uint32_t)strlen(e.text) + 1;
		memcpy(serving.out.body, e.text, serving.out.head.length);
	}
	image_serving_send(r);
}

static void image_serving_pages(struct image *im)
{
	for (uint32_t i = 0; i < serving.call.head.pages; i++) {
		const uint64_t offset = serving.call.head.offset + (uint64_t)i * IMAGE_PAGE_BYTES;
		struct rule_row row[IMAGE_ROWS_MAX];

		if (!image_pages_add(&serving.out, row, rows_of(im, offset, IMAGE_PAGE_BYTES, row, IMAGE_ROWS_MAX)))
			break;
	}
	image_serving_send(0);
}

static void image_serving_place(struct image *im)
{
	const uint64_t began_ns = clock_mono_ns();
	struct rule rule;

	if (!walk_may_ask(serving.limits, im, began_ns)) {
		image_serving_send(-EBUSY);
		return;
	}
	rule = walk_learn(im, serving.call.head.offset);
	walk_has_asked(serving.limits, im, began_ns);
	memcpy(serving.out.body, &rule, sizeof(rule));
	serving.out.head.length = sizeof(rule);
	image_serving_send(0);
}

static void image_serving_row(struct image *im)
{
	const uint64_t began_ns = clock_mono_ns();
	AUTO_FREE struct cfi_row *row = NULL;
	int r;

	if (!walk_may_ask(serving.limits, im, began_ns)) {
		image_serving_send(-EBUSY);
		return;
	}
	r = cfi_row_of(im, serving.call.head.offset, &row);
	walk_has_asked(serving.limits, im, began_ns);
	if (row) {
		serving.out.head.length = (uint32_t)cfi_row_bytes(row->nr_ops);
		memcpy(serving.out.body, row, serving.out.head.length);
	}
	image_serving_send(r);
}

static void image_serving_close(void)
{
	if (!image_serving_image())
		return;
	image_free(serving.images.v[serving.call.head.image - 1]);
	serving.images.v[serving.call.head.image - 1] = NULL;
}

/* Does what is asked, with FD, which came with it. */
static void image_serving_do(int fd)
{
	struct image *im = image_serving_image();

	if (serving.call.head.op == IMAGE_OPEN)
		image_serving_open(fd);
	else if (serving.call.head.op == IMAGE_CLOSE)
		image_serving_close();
	else if (!im)
		image_serving_send(-ENOENT);
	else if (serving.call.head.op == IMAGE_PAGES)
		image_serving_pages(im);
	else if (serving.call.head.op == IMAGE_PLACE)
		image_serving_place(im);
	else
		image_serving_row(im);
}

int image_serving_run(int socket)
{
	struct err e = ERR_INIT;

	serving.socket = socket;
	serving.limits = unwinder_new();
	if (!sandbox_enter(&needs, &e))
		sandbox_close(&needs, &e);
	serving.out.head = (struct image_head){ .op = IMAGE_HELLO, .result = serving.limits ? -e.code : -ENOMEM };
	serving.gone = image_message_send(socket, &serving.out, -1);
	while (!serving.gone && !e.code && serving.limits) {
		AUTO_FD int fd = -1;
		const ssize_t n = image_message_take(socket, false, &serving.call, &fd);

		if (n <= 0)
			return n ? 1 : 0;
		image_serving_do(fd);
	}
	return 1;
}
