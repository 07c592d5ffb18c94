/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prompt.h - a line of input: text, a suggestion to begin with, and earlier lines. Pure.
 *
 * A *suggestion* is offered text: the first typed character replaces it; any other key accepts it
 * as if it had been typed.
 */
#ifndef SBERF_UI_PROMPT_H
#define SBERF_UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROMPT_MAX 1024u         /* bytes of text, with the NUL */
#define PROMPT_PAST 16u          /* lines that are remembered */

struct prompt {
	char text[PROMPT_MAX];           /* UTF-8 */
	size_t len;
	bool suggested;                  /* the text is a suggestion, but for a "!" that was typed before it */
	char past[PROMPT_PAST][PROMPT_MAX];      /* the latest first */
	unsigned int nr_past;
	unsigned int at;                 /* which of them is in text, from 1; 0 = what was typed */
	char typed[PROMPT_MAX];          /* that, while another one is shown */
};

/* Starts a line with SUGGESTION ("" = none). */
void prompt_begin(struct prompt *p, const char *suggestion);
/*
 * Appends a character. Control characters and what does not fit are ignored. A "!" goes before a
 * suggestion, or away again.
 */
void prompt_type(struct prompt *p, uint32_t cp);
/* Takes away the last character, or ALL; a suggestion is erased as a whole. */
void prompt_erase(struct prompt *p, bool all);
/* Replaces the text by TEXT; what does not fit is left out. */
void prompt_set(struct prompt *p, const char *text);
/* Goes BY lines back in what was entered before (-1: forward). False when there is none. */
bool prompt_recall(struct prompt *p, int by);
/* Remembers the text, as the latest. */
void prompt_enter(struct prompt *p);

#endif
