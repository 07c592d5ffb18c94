/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qualitypane.h - how far the figures can be trusted, and what can be done about it: truncated
 * stacks by reason and by the module where the walk ended, lost events, how stacks of samples and
 * waits were unwound, and other doubts.
 *
 * The number of a row leads to its content.
 */
#ifndef SBERF_UI_PANES_QUALITYPANE_H
#define SBERF_UI_PANES_QUALITYPANE_H

#include "base/cleanup.h"
#include "profile/meta.h"
#include "query/query.h"
#include "ui/canvas.h"
#include "ui/outline.h"
#include "ui/search.h"
#include "ui/treeview.h"

enum quality_part {              /* in the order in which they stand */
	QUALITY_SAMPLES,         /* stacks of samples */
	QUALITY_BLOCKED,         /* of waits, */
	QUALITY_QUEUED,          /* and of waits for a CPU */
	QUALITY_LOST,            /* events that did not arrive */
	QUALITY_WAYS,            /* how stacks of samples were unwound, */
	QUALITY_WAIT_WAYS,       /* and those of waits */
	QUALITY_RULES,           /* what the kernel knows to walk by, and how well it does */
	QUALITY_DOUBTS,          /* what else there is */
	QUALITY_PARTS
};

enum quality_level {
	QUALITY_PART,
	QUALITY_REASON,          /* a cut, a loss, a way, or a doubt */
	QUALITY_WHY,             /* of a way: why a copy was needed */
	QUALITY_MODULE,          /* of a cut */
	QUALITY_REST,            /* the other modules of a cut: module is how many */
	QUALITY_FILE,            /* one that could not be read: reason is which */
	QUALITY_LEFT,            /* one of these that is left alone: the same */
	QUALITY_PLUGIN,          /* one of the plug-ins: the same */
};

struct quality_line {
	uint8_t part, level, reason;
	module_id module;        /* ID_NONE = none */
	uint64_t count;          /* incomplete stacks, lost events */
	uint64_t of;             /* what COUNT is a share of; 0 = of nothing */
	uint64_t ns;             /* what COUNT stacks stand for; 0 = not known */
};

struct quality {
	const struct dict *dict;
	uint64_t rules_bytes;            /* as profile_meta has it */
	struct unread unread;            /* the same */
	char plugins[512];               /* the same */
	/* the kernel was asked to walk: what it was not asked for is not for want of the option */
	bool by_rules;
	struct quality_line *line;       /* by row; that of the root means nothing */
	struct outline *rows;            /* owned */
};

/*
 * What S and M tell; both must outlive the result, as must NAMES. To be freed with quality_free();
 * NULL when out of memory.
 */
struct quality *quality_new(const struct snapshot *s, const struct names *names, const struct profile_meta *m);
void quality_free(struct quality *q);            /* NULL is fine */

/* What NODE is called, sanitised, and the same without what it means. Both return DST. */
char *quality_label(const struct quality *q, uint32_t node, char *dst, size_t size);
char *quality_brief(const struct quality *q, uint32_t node, char *dst, size_t size);
/* What can be done about NODE, "" = nothing that is known. */
const char *quality_remedy(const struct quality *q, uint32_t node);

DEFINE_AUTO(quality_free, struct quality);

#endif
