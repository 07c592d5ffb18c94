/* SPDX-License-Identifier: BSD-2-Clause */
/* mapway.c - see mapway.h. What is read through a collector comes as a file in memory: the map alone bounds it. */
#include "config.h"

#include "capture/mapway.h"

#include "base/cleanup.h"
#include "capture/hold_ask.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BATCH 1024u

static int mapway_tell(const struct mapway *m, enum hold_op op, const void *key, size_t key_size, const void *value,
		       size_t size)
{
	struct hold_entry entry = { .map = m->index };
	struct hold_answer answer;

	if (key_size > sizeof(entry.key) || size > sizeof(entry.value))
		return -E2BIG;
	if (key)
		memcpy(entry.key, key, key_size);
	if (value)
		memcpy(entry.value, value, size);
	return hold_tell(m->hold, op, 0, &entry, -1, &answer, NULL);
}

int mapway_put(const struct mapway *m, const void *key, size_t key_size, const void *value, size_t size)
{
	return m->hold ? mapway_tell(m, HOLD_PUT, key, key_size, value, size) :
		bpf_map_update_elem(m->fd, key, value, BPF_ANY);
}

int mapway_delete(const struct mapway *m, const void *key, size_t key_size)
{
	return m->hold ? mapway_tell(m, HOLD_DELETE, key, key_size, NULL, 0) : bpf_map_delete_elem(m->fd, key);
}

int mapway_get(const struct mapway *m, uint32_t key, void *value, size_t size)
{
	AUTO_FD int fd = -1;

	if (!m->hold)
		return bpf_map_lookup_elem(m->fd, &key, value);
	fd = hold_file(m->hold, HOLD_GET, m->index, key, NULL);
	return fd < 0 ? fd : pread(fd, value, size, 0) == (ssize_t)size ? 0 : -EIO;
}

/* Entries of a map, so many at a time. */
struct batch {
	uint8_t *key, *value;
	uint32_t n, position[4];
	bool begun, ended;
};

static bool mapway_batch(struct batch *b, size_t key_size, size_t value_size)
{
	b->key = calloc(BATCH, key_size);
	b->value = calloc(BATCH, value_size);
	return b->key && b->value;
}

static void mapway_batch_free(struct batch *b)
{
	free(b->key);
	free(b->value);
}

/* The next ones of the map FD. 0 or a negative errno. */
static int mapway_next(int fd, bool taken, struct batch *b)
{
	void *from = b->begun ? b->position : NULL;
	int r;

	b->n = BATCH;
	r = taken ? bpf_map_lookup_and_delete_batch(fd, from, b->position, b->key, b->value, &b->n, NULL) :
		bpf_map_lookup_batch(fd, from, b->position, b->key, b->value, &b->n, NULL);
	b->begun = true;
	b->ended = r == -ENOENT;
	return b->ended ? 0 : r;
}

static int mapway_walk(int fd, size_t key_size, size_t value_size, bool taken, mapway_fn *each, void *ctx)
{
	struct batch b = { 0 };
	int n = 0, r = mapway_batch(&b, key_size, value_size) ? 0 : -ENOMEM;

	while (!r && !b.ended) {
		r = mapway_next(fd, taken, &b);
		for (uint32_t i = 0; !r && i < b.n; i++, n++)
			r = each(ctx, b.key + i * key_size, b.value + i * value_size);
	}
	mapway_batch_free(&b);
	return r ? r : n;
}

int mapway_read(const struct mapway *m, size_t key_size, size_t value_size, bool taken, mapway_fn *each, void *ctx)
{
	const size_t size = key_size + value_size;
	AUTO_FREE uint8_t *entry = malloc(size);
	int fd, n = 0, r = 0;

	if (!m->hold)
		return mapway_walk(m->fd, key_size, value_size, taken, each, ctx);
	fd = hold_file(m->hold, taken ? HOLD_TAKE : HOLD_READ, m->index, 0, NULL);
	if (fd < 0)
		return fd;
	AUTO_FILE FILE *f = fdopen(fd, "r");

	if (!f)
		close(fd);
	for (r = f && entry ? 0 : -ENOMEM; !r && fread(entry, size, 1, f) == 1; n++)
		r = each(ctx, entry, entry + key_size);
	return r ? r : ferror(f) ? -EIO : n;
}

/* ---- for who holds the map ---- */

struct writing {
	FILE *to;
	size_t key_size, value_size;
};

static int mapway_write(void *ctx, const void *key, const void *value)
{
	const struct writing *w = ctx;

	return fwrite(key, w->key_size, 1, w->to) == 1 && fwrite(value, w->value_size, 1, w->to) == 1 ? 0 : -ENOMEM;
}

/* A new file in memory: to be written by *RET, the caller's, and to be given away. A negative errno. */
static int mapway_new_file(FILE **ret)
{
	AUTO_FD int file = memfd_create("sberf-map", MFD_CLOEXEC);
	const int copy = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 3);

	*ret = copy < 0 ? NULL : fdopen(copy, "w");
	if (!*ret && copy >= 0)
		close(copy);
	return *ret ? take_fd(&file) : -ENOMEM;
}

/* FILE, which was written by TO, is read from its begin by who gets it. */
static int mapway_give(int file, FILE *to, int r)
{
	if (fclose(to) && r >= 0)
		r = -ENOMEM;
	if (r >= 0 && !lseek(file, 0, SEEK_SET))
		return file;
	close(file);
	return r < 0 ? r : -EIO;
}

int mapway_file(int fd, size_t key_size, size_t value_size, bool taken)
{
	struct writing w = { .key_size = key_size, .value_size = value_size };
	const int file = mapway_new_file(&w.to);

	return file < 0 ? file :
		mapway_give(file, w.to, mapway_walk(fd, key_size, value_size, taken, mapway_write, &w));
}

int mapway_file_of(int fd, uint32_t key, size_t size)
{
	AUTO_FREE void *value = calloc(1, size);
	FILE *to = NULL;
	const int file = mapway_new_file(&to);
	int r = value ? 0 : -ENOMEM;

	if (file < 0)
		return file;
	r = r ? r : bpf_map_lookup_elem(fd, &key, value);
	if (!r && fwrite(value, size, 1, to) != 1)
		r = -ENOMEM;
	return mapway_give(file, to, r);
}
