/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pane_common.h - shared by panes that show a treeview: the rule with its heads, fold marks,
 * matches and the cursor.
 */
#ifndef SBERF_UI_PANES_PANE_COMMON_H
#define SBERF_UI_PANES_PANE_COMMON_H

#include "ui/canvas.h"
#include "ui/search.h"
#include "ui/treeview.h"

#define LINE_STEP 2              /* columns a level */
#define LINE_NAME_X 2            /* where names of depth 0 begin, their fold mark first */
#define LINE_NAME_MIN 12         /* columns that indentation leaves to a name */

/* Columns that a row at DEPTH is indented by, when its name has to end before END. */
int pane_common_indent(uint32_t depth, int end);
/* Whether column X of LINE of TV is on the fold mark of that row, whose name has to end before END. */
bool pane_common_on_mark(const struct treeview *tv, int x, int line, int end);
/* Adds the MOST innermost frames of STACK to the N at RET, of at most MAX. Returns how many there are. */
size_t pane_common_frames(const struct dict *d, stack_id stack, size_t most, frame_id *ret, size_t n, size_t max);

#define PANE_COMMON_RULE 0x2500u       /* what rules are drawn of, */
#define PANE_COMMON_RULE_HEAVY 0x2501u /* in focus, */
#define PANE_COMMON_BETWEEN 0x2502u    /* and between columns */
#define PANE_COMMON_RULE_COLS 6         /* columns of a rule that its title does not get */
/* The rule at row Y with TITLE in it, cut to end before column END. */
void pane_common_rule(struct canvas *cv, int y, int end, const char *title);
/* HEAD in the rule, right-aligned in the COLS columns from X on, with an arrow when the lines are SORTED by it. */
void pane_common_head(struct canvas *cv, int x, int y, int cols, const char *head, bool sorted);

#define PANE_COMMON_HEADS 12u
/* The heads of a pane: where they stand, and what lines are sorted by when one is pressed (SORT_NR = by nothing). */
struct pane_heads {
	struct pane_head {
		int x, cols;
		const char *text;
		enum sort_by sort;
	} v[PANE_COMMON_HEADS];
	unsigned int n;
};

/* Adds a head; X = 0: there is no such column. */
void pane_common_add_head(struct pane_heads *h, int x, int cols, const char *text, enum sort_by sort);
/*
 * The rule at row 0 with TITLE, cut to end before column END, and the heads H. The title says what
 * lines are SORTED by when no head does and it is not TOLD otherwise.
 */
void pane_common_rule_heads(struct canvas *cv, int end, const char *title, const struct pane_heads *h,
			    const struct measure_set *set, enum sort_by sorted, bool told);
/* What lines are sorted by when the head at column X is pressed; SORT_NR = there is none. */
enum sort_by pane_common_head_at(const struct pane_heads *h, int x);

#define PANE_COMMON_PERCENT_COLS 9      /* of a percentage; with fewer columns its sign is left out */
/*
 * PART of WHOLE at row Y, right-aligned in the COLS columns from X on; DOUBT: it is estimated for
 * the most part. Nothing is a dot.
 */
void pane_common_percent(struct canvas *cv, int x, int y, int cols, enum style style, uint64_t part,
			 uint64_t whole, bool doubt);

/* The fold mark of the row for NODE at column X; nothing for a leaf. */
void pane_common_fold(const struct treeview *tv, struct canvas *cv, int x, int y, uint32_t node);
/* Marks what S finds in LABEL, of which the first COLS columns stand from X on. S may be NULL. */
void pane_common_matches(struct canvas *cv, int x, int y, int cols, const struct search *s, const char *label);
/*
 * LABEL from X on in COLS columns; what is too long loses its end, as in lists of functions whose
 * first ones matter most.
 */
int pane_common_list(struct canvas *cv, int x, int y, int cols, enum style style, const char *label);
/* Makes the first COLS columns of row Y the line under the cursor of TV: it stands out where keys have an effect. */
void pane_common_cursor(const struct treeview *tv, struct canvas *cv, int y, int cols);

/* The same for a line that is no row of a treeview. */
void pane_common_mark(struct canvas *cv, int y, int cols);

/* Draws TEXT in lines of at most W columns, broken at blanks; returns how many lines it took. */
int pane_common_wrapped(struct canvas *cv, int x, int y, int w, int lines, enum style style, const char *text);
/* What of TEXT is behind the first of these lines. */
const char *pane_common_after(const char *text, int w);

/* "3 of 24 rows" at the right end of row Y, "3/24" where there is little room; returns the column where it begins. */
int pane_common_place(const struct treeview *tv, struct canvas *cv, int y);

/* What stands behind the name of NODE of T: "k", "j fp", that its code has no unwind table. Returns DST. */
#define PANE_COMMON_TAG_MAX 16
char *pane_common_tag(const struct tree *t, uint32_t node, char dst[PANE_COMMON_TAG_MAX]);
/*
 * A bar of COLS columns: each measure of SET as a part of its own, from VALUE, or, when SET is NULL,
 * SUM alone. All of it is WHOLE.
 */
void pane_common_bar(struct canvas *cv, int x, int y, int cols, const struct measure_set *set,
		     const uint64_t value[MEASURES_ASKED], uint64_t sum, uint64_t whole);

/*
 * The line of THREADS' waits that were folded as idle: its name, up to column END, and, when its
 * figures have been drawn, how all of that looks; BAR_X: where bars are, 0 = nowhere.
 */
void pane_common_idle(struct canvas *cv, int y, int end, uint32_t threads);
void pane_common_idle_end(struct canvas *cv, int y, int end, int bar_x);
/* Says in LINES lines that there is nothing else. */
void pane_common_all_idle(struct canvas *cv, int lines);

/*
 * Fills PLACE (SIZE bytes), unless it has something, with why NODE is called "redis-server+0x64da0"
 * and what helps, in a pane of W columns. Nothing for functions that have a name.
 */
void pane_common_say_stripped(const struct tree *t, uint32_t node, int w, char *place, size_t size);
/*
 * The line about the row under the cursor: name, PLACE in the code, FIGURES, and which row it is.
 * First how many columns the name gets; what there is no room for is emptied.
 */
int pane_common_status_room(const struct treeview *tv, struct canvas *cv, int y, char *place, char *figures);
void pane_common_status(struct canvas *cv, int y, int room, const char *label, const char *place,
			const char *figures);

#endif
