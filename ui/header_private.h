/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header_private.h - the items of the header, shared by header.c (content) and headerline.c
 * (layout).
 */
#ifndef SBERF_UI_HEADER_PRIVATE_H
#define SBERF_UI_HEADER_PRIVATE_H

#include "ui/header.h"

#include <stdbool.h>
#include <stdint.h>

#define ITEM_TEXT 160
#define ITEMS_MAX (24 + LOST_NR)
#define LOSS_LINE 3                      /* losses stand from this line on */

/* Smaller is more important. */
enum rank {
	RANK_TARGET, RANK_ENDED, RANK_FILTER, RANK_LOST, RANK_RECORDING, RANK_CORES, RANK_BLOCKED, RANK_NO_LOSS,
		RANK_STACKS, RANK_RUNNABLE,
	RANK_SAMPLES, RANK_RATE, RANK_EVENT, RANK_OWN, RANK_ELAPSED, RANK_PENDING, RANK_STATE, RANK_SPARK,
	RANK_DETAIL, RANK_MEAN,
	/* items from here on are dropped before more important ones are shortened */
	RANK_LUXURY = RANK_DETAIL,
};

/*
 * An item: a word, a sparkline of the last seconds of a kind of time, and text; each may be
 * missing.
 */
struct item {
	uint8_t line, rank, style;
	bool right, gone;
	bool spark;
	uint8_t kind;                    /* enum time_kind of the sparkline */
	const char *lead;                /* a word before the sparkline; NULL = none */
	char text[ITEM_TEXT];
	char brief[80];                  /* shorter form of the text, "" = none */
};

struct items {
	struct item item[ITEMS_MAX];
	int n;
};

/* Appends an item; without room it replaces the last. */
struct item *header_add(struct items *is, int line, enum rank rank, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Collects the items of H; on a SMALL screen all losses are one item. */
void header_collect(struct items *is, const struct header *h, bool small);

#endif
