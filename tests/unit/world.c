/* SPDX-License-Identifier: BSD-2-Clause */
/* world.c - see world.h. */
#include "config.h"

#include "tests/unit/world.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"

void world_begin(struct world *w, void (*fill)(struct made_session *f), int cols, int rows, bool ascii,
		 const char *keys)
{
	madesession_init(&w->f);
	fill(&w->f);
	driver_init(&w->d, &w->f, cols, rows, ascii);
	driver_press(&w->d, keys);
}

void world_end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

void world_golden(void (*fill)(struct made_session *f), const char *path, int cols, int rows, bool ascii,
		  const char *keys)
{
	struct world w;

	world_begin(&w, fill, cols, rows, ascii, keys);
	golden_screen(w.d.canvas, path);
	world_end(&w);
}
