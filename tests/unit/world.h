/* SPDX-License-Identifier: BSD-2-Clause */
/* world.h - a made session and a view of it that is driven by keys, for tests of one kind of pane. */
#ifndef SBERF_TESTS_UNIT_WORLD_H
#define SBERF_TESTS_UNIT_WORLD_H

#include "tests/unit/keys.h"

struct world {
	struct made_session f;
	struct driver d;
};

/* Begins with a session that FILL has filled, and presses KEYS. To be ended with world_end(). */
void world_begin(struct world *w, void (*fill)(struct made_session *f), int cols, int rows, bool ascii,
		 const char *keys);
void world_end(struct world *w);
/* The screen of such a world is the golden file PATH. */
void world_golden(void (*fill)(struct made_session *f), const char *path, int cols, int rows, bool ascii,
		  const char *keys);

#endif
