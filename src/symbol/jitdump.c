/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jitdump.c - from record to record by their sizes, none of which is believed beyond the end of the
 * file.
 */
#include "config.h"

#include "symbol/jitdump.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct header {
	uint32_t magic, version, total_size, elf_mach, pad, pid;
	uint64_t timestamp, flags;
};

struct record {
	uint32_t id, total_size;
	uint64_t timestamp;
};

size_t jit_input_read(const struct jit_input *in, uint64_t offset, void *buf, size_t len)
{
	size_t done = 0;

	if (offset >= in->size)
		return 0;
	if (len > in->size - offset)
		len = (size_t)(in->size - offset);
	if (in->fd < 0) {
		memcpy(buf, in->mem + offset, len);
		return len;
	}
	while (done < len) {
		const ssize_t n = pread(in->fd, (char *)buf + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

bool jitdump_is(const struct jit_input *in)
{
	uint32_t magic = 0;

	return jit_input_read(in, 0, &magic, sizeof(magic)) == sizeof(magic) && magic == JITDUMP_MAGIC;
}

/* Shows the record R, which is at AT of IN, if it is wanted. */
static bool jitdump_show(const struct jit_input *in, uint64_t at, const struct record *r,
			 const struct jitdump_visitor *v)
{
	size_t len = r->total_size - sizeof(*r);

	if (r->id >= 32 || !(v->ids >> r->id & 1))
		return true;
	if (len > v->body_max)
		len = v->body_max;
	return v->record(v->ctx, r->id, jit_input_read(in, at + sizeof(*r), v->body, len));
}

bool jitdump_each(const struct jit_input *in, const struct jitdump_visitor *v, uint32_t *ret_machine, bool *ret_refused)
{
	struct header header;
	struct record rec;

	*ret_machine = 0;
	*ret_refused = false;
	if (jit_input_read(in, 0, &header, sizeof(header)) < sizeof(header) || header.total_size < sizeof(header))
		return true;
	*ret_machine = header.elf_mach;
	for (uint64_t at = header.total_size; jit_input_read(in, at, &rec, sizeof(rec)) == sizeof(rec);
	     at += rec.total_size) {
		*ret_refused = rec.total_size < sizeof(rec);
		/* A record whose end is not there yet is still being written. */
		if (*ret_refused || rec.total_size > in->size - at)
			return true;
		if (!jitdump_show(in, at, &rec, v))
			return false;
	}
	return true;
}
