/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screenout.h - sends each drawing to the terminal in one piece.
 *
 * The terminal library writes after each cursor movement (ncurses 6.4: mvcur() flushes), more than
 * a hundred times per screen. A terminal emulator would be woken for each piece, show half-drawn
 * screens, and on a busy machine get the last piece many scheduler turns later. The library writes
 * to a descriptor and cannot be told otherwise; so during a drawing that descriptor is a file in
 * memory.
 */
#ifndef SBERF_UI_SCREENOUT_H
#define SBERF_UI_SCREENOUT_H

struct screenout {
	int fd;                  /* the library's */
	int tty, mem;            /* -1: output is not collected */
	/* buffer; a screen takes a small part of it, larger output goes in several pieces */
	char text[1 << 16];
};

/*
 * Output to FD, which stays the caller's, between begin and end is collected and then written to
 * TTY, which must outlive O. Where the kernel has no memory files, it goes to FD at once. Call
 * screenout_close() in any case.
 */
void screenout_open(struct screenout *o, int fd, int tty);
void screenout_close(struct screenout *o);

void screenout_begin(struct screenout *o);
/*
 * Sends the collected output. Skips a terminal that is gone, and waits for one that is full, as the
 * library does.
 */
void screenout_end(struct screenout *o);

#endif
