// SPDX-License-Identifier: BSD-2-Clause
/*
 * plugin.c - what dlopen_cycle opens: built twice, with PLUGIN_A and PLUGIN_B. The second one has
 * other code in front, so that the same offset is another function with another frame. When it is
 * unmapped, it works for some milliseconds more: that is called by code without call-frame
 * information (__do_global_dtors_aux of gcc's crtstuff.c), as destructors of C++ are.
 */
#include <stdint.h>
#include <stdlib.h>

typedef void plugin_fn(void (*work)(void));

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

volatile uint64_t plugin_sink;

#ifdef PLUGIN_A
#define ENTRY plugin_a_work
#define INNER plugin_a_inner
#define FRAME 40
#else
#define ENTRY plugin_b_work
#define INNER plugin_b_inner
#define FRAME 408

NOINLINE void plugin_b_first(char *p);
NOINLINE void plugin_b_first(char *p)
{
	for (int i = 0; i < FRAME; i++)
		plugin_sink += (uint64_t)p[i];
}
#endif

NOINLINE void INNER(void (*work)(void));
plugin_fn ENTRY;

NOINLINE void INNER(void (*work)(void))
{
	char frame[FRAME];

	for (int i = 0; i < FRAME; i++)
		frame[i] = (char)plugin_sink;
#ifdef PLUGIN_B
	plugin_b_first(frame);
#endif
	work();
	plugin_sink += (uint64_t)frame[plugin_sink % FRAME];
}

void ENTRY(void (*work)(void))
{
	INNER(work);
	plugin_sink++;
}

static void leave(void)
{
	for (int i = 0; i < 5000000; i++)
		plugin_sink++;
}

__attribute__((constructor)) static void enter(void)
{
	atexit(leave);
}
