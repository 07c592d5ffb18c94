/* SPDX-License-Identifier: BSD-2-Clause */
/* prompt.c - edits a line of input, with a suggestion and with earlier lines. */
#include "config.h"

#include "ui/prompt.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

void prompt_set(struct prompt *p, const char *text)
{
	const size_t len = strlen(text);

	p->len = len < PROMPT_MAX ? len : text_whole(text, PROMPT_MAX - 1);
	memmove(p->text, text, p->len);
	p->text[p->len] = '\0';
	p->suggested = false;
}

void prompt_begin(struct prompt *p, const char *suggestion)
{
	prompt_set(p, suggestion);
	p->suggested = p->len > 0;
	p->at = 0;
	p->typed[0] = '\0';
}

/* Puts a "!" before the text, or takes it away. */
static void prompt_turn(struct prompt *p)
{
	if (p->text[0] == '!') {
		memmove(p->text, p->text + 1, p->len--);
	} else if (p->len + 1 < PROMPT_MAX) {
		memmove(p->text + 1, p->text, ++p->len);
		p->text[0] = '!';
	}
}

void prompt_type(struct prompt *p, uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp > 0x10FFFF)
		return;
	if (p->suggested && cp == '!') {
		prompt_turn(p);
		return;
	}
	if (p->suggested)
		prompt_set(p, p->text[0] == '!' ? "!" : "");
	if (p->len + 4 >= PROMPT_MAX)
		return;
	p->len += text_encode(cp, p->text + p->len);
	p->text[p->len] = '\0';
}

void prompt_erase(struct prompt *p, bool all)
{
	while (p->len) {
		const bool start = ((unsigned char)p->text[--p->len] & 0xC0) != 0x80;

		if (start && !all && !p->suggested)
			break;
	}
	p->text[p->len] = '\0';
	p->suggested = false;
}

bool prompt_recall(struct prompt *p, int by)
{
	if (by < 0 ? !p->at : p->at >= p->nr_past)
		return false;
	if (!p->at)
		memcpy(p->typed, p->text, sizeof(p->typed));
	p->at = by < 0 ? p->at - 1 : p->at + 1;
	prompt_set(p, p->at ? p->past[p->at - 1] : p->typed);
	return true;
}

void prompt_enter(struct prompt *p)
{
	char text[PROMPT_MAX];
	unsigned int n = 0;

	memcpy(text, p->text, sizeof(text));
	while (n < p->nr_past && strcmp(p->past[n], text))
		n++;
	if (n == p->nr_past && p->nr_past < PROMPT_PAST)
		p->nr_past++;
	n = n < p->nr_past ? n : p->nr_past - 1;
	memmove(p->past[1], p->past[0], n * sizeof(p->past[0]));
	memcpy(p->past[0], text, sizeof(text));
}
