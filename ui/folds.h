/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folds.h - remembers which nodes of a tree are open, by tree_node.key, so that it survives every
 * refresh.
 */
#ifndef SBERF_UI_FOLDS_H
#define SBERF_UI_FOLDS_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum fold {
	FOLD_UNSET,              /* not set: the default of the table applies */
	FOLD_OPEN,
	FOLD_CLOSED,
};

struct fold_entry {
	uint64_t key;
	uint8_t fold;            /* enum fold */
};

/* A zeroed table is empty; what it does not know is closed. */
struct folds {
	VEC(struct fold_entry) entry;
	struct hidx index;
	bool open_default;
};

void folds_free(struct folds *f);
/* Forgets everything; what is not in the table is open when OPEN_DEFAULT. */
void folds_clear(struct folds *f, bool open_default);

enum fold folds_get(const struct folds *f, uint64_t key);
bool folds_open(const struct folds *f, uint64_t key);
/* Sets the fold of KEY; without memory it changes nothing. */
void folds_set(struct folds *f, uint64_t key, enum fold fold);

#endif
