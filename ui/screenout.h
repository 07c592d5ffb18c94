/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screenout.h - what a drawing sends reaches the terminal in one piece.
 *
 * The terminal library writes after each move of the cursor (ncurses 6.4: mvcur() flushes), more than a hundred times a screen. Whoever
 * shows that is woken for each piece, shows halves of screens, and on a busy machine the last of them comes many turns of the scheduler
 * later. The library cannot be told otherwise, as it writes to a descriptor; so during a drawing that one is a file in memory.
 */
#ifndef SBERF_UI_SCREENOUT_H
#define SBERF_UI_SCREENOUT_H

struct screenout {
	int fd;                  /* the library's */
	int tty, mem;            /* -1: what is written goes out as it comes */
	char text[1 << 16];      /* of which a screen is a small part; what is larger goes in several */
};

/*
 * Between begin and end, what is written to FD, which stays the caller's, is kept and then written to TTY, which stays open longer than O.
 * Where the kernel has no files in memory, it goes to FD at once. Close it in any case.
 */
void screenout_open(struct screenout *o, int fd, int tty);
void screenout_close(struct screenout *o);

void screenout_begin(struct screenout *o);
/* A terminal that is gone gets nothing, and one that is full is waited for, as by the library. */
void screenout_end(struct screenout *o);

#endif
