/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapway.h - how entries of maps of the kernel half are read and changed: by bpf(2), or through the collector that
 * holds them (hold_ask.h). The latter is for a sberf that has given up its privileges on a kernel that lets nobody
 * without them ask for an entry (before Linux 5.19: commit c8644cd0efe7). Maps that are mapped need neither.
 */
#ifndef SBERF_CAPTURE_MAPWAY_H
#define SBERF_CAPTURE_MAPWAY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hold;

/* A map whose entries are asked for. */
struct mapway {
	int fd;                  /* -1 = there is none; else borrowed */
	struct hold *hold;       /* who is asked; NULL = the kernel */
	uint32_t index;          /* what that one calls it: HOLD_MAP */
};

/*
 * Puts the SIZE bytes at VALUE in place of what M has for the KEY_SIZE bytes at KEY, NULL of a queue. 0 or a negative
 * errno; -E2BIG: they do not fit into a request.
 */
int mapway_put(const struct mapway *m, const void *key, size_t key_size, const void *value, size_t size);
/* Takes out what M has for KEY. 0 or a negative errno; -ENOENT: there is none. */
int mapway_delete(const struct mapway *m, const void *key, size_t key_size);
/* Copies the SIZE bytes that M has for KEY to VALUE: of a map of each CPU, those of all CPUs. 0 or a negative errno. */
int mapway_get(const struct mapway *m, uint32_t key, void *value, size_t size);

/* Gets an entry; a negative errno of it ends the reading. */
typedef int mapway_fn(void *ctx, const void *key, const void *value);
/*
 * Hands all entries of M, of these sizes, to EACH, and takes them out if they are to be TAKEN. Some may come and go
 * meanwhile, and be missed. How many, or a negative errno.
 */
int mapway_read(const struct mapway *m, size_t key_size, size_t value_size, bool taken, mapway_fn *each, void *ctx);

/* The same for who holds the map FD: a file of entries, each a key and its value, the caller's. Or a negative errno. */
int mapway_file(int fd, size_t key_size, size_t value_size, bool taken);
/* And of one entry: its value, of SIZE bytes. */
int mapway_file_of(int fd, uint32_t key, size_t size);

#endif
