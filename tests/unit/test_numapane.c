/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_numapane.c - the view by node on machines of all kinds, made by hand: what its lines say,
 * that nothing runs into anything else at any size, and that refreshes leave the cursor and what is
 * open where they are. With SBERF_GOLDEN=write in the environment the screens in tests/golden/numa
 * are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/golden.h"
#include "tests/unit/madenuma.h"
#include "ui/panes/numapane.h"
#include "ui/panes/numaview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pane {
	struct made_numa n;
	struct numaview *nv;
	struct treeview tv;
	struct search search;
	struct canvas *cv;
	bool live;
};

/* A refresh. */
static void show(struct pane *p)
{
	struct numaview *old = p->nv;

	p->nv = numaview_new(&p->n.v, numapane_beside(p->cv->w, p->n.v.nr_nodes), p->live);
	assert_non_null(p->nv);
	madenuma_show(&p->tv, p->nv);
	numaview_free(old);
}

static void draw(struct pane *p)
{
	const int lines = p->cv->h > 1 ? p->cv->h - 1 : 1;

	canvas_clear(p->cv);
	treeview_set_height(&p->tv, (size_t)lines);
	numapane_rows(&p->tv, p->cv, 0, lines, p->search.len ? &p->search : NULL);
	if (p->cv->h > 1)
		numapane_status(&p->tv, p->cv, p->cv->h - 1);
}

/* Nodes like KINDS of which nothing was seen, on a screen of W x H. */
static void open_empty(struct pane *p, const char *kinds, int w, int h, bool ascii)
{
	memset(p, 0, sizeof(*p));
	madenuma_init(&p->n, kinds);
	p->cv = canvas_new(w, h, ascii);
	assert_non_null(p->cv);
	treeview_init(&p->tv, (size_t)(h > 1 ? h - 1 : 1));
}

static void open_service(struct pane *p, const char *kinds, int w, int h, bool ascii)
{
	open_empty(p, kinds, w, h, ascii);
	madenuma_service(&p->n, 30);
	show(p);
	draw(p);
}

static void close_pane(struct pane *p)
{
	treeview_free(&p->tv);
	search_free(&p->search);
	numaview_free(p->nv);
	canvas_free(p->cv);
	madenuma_free(&p->n);
}

static void resize(struct pane *p, int w, int h)
{
	assert_true(canvas_resize(p->cv, w, h));
	show(p);
	draw(p);
}

/* The line of the screen that has TEXT, "" when there is none. Valid until the next call. */
static const char *line_with(const struct pane *p, const char *text)
{
	static char line[4096];
	AUTO_FREE char *screen = canvas_dump(p->cv);
	char *save = NULL;

	for (char *at = strtok_r(screen, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
		if (strstr(at, text)) {
			snprintf(line, sizeof(line), "%s", at);
			return line;
		}
	}
	return "";
}

static bool on_screen(const struct pane *p, const char *text)
{
	return *line_with(p, text);
}

static void assert_line(const struct pane *p, const char *text, const char *also)
{
	if (!strstr(line_with(p, text), also)) {
		AUTO_FREE char *screen = canvas_dump(p->cv);

		fail_msg("no line has both \"%s\" and \"%s\":\n%s", text, also, screen);
	}
}

static const char *label(const struct pane *p, size_t row)
{
	static char text[LABEL_MAX];

	return treeview_label(&p->tv, p->tv.rows.v[row].node, text, sizeof(text));
}

/* The row whose label begins with TEXT. */
static size_t row_of(const struct pane *p, const char *text)
{
	for (size_t i = 0; i < p->tv.rows.n; i++) {
		if (!strncmp(label(p, i), text, strlen(text)))
			return i;
	}
	return SIZE_MAX;
}

static void go(struct pane *p, const char *text)
{
	const size_t row = row_of(p, text);

	if (row == SIZE_MAX)
		fail_msg("no row %s", text);
	treeview_to_row(&p->tv, row);
	draw(p);
}

static void assert_cursor(const struct pane *p, const char *text)
{
	assert_int_equal(strncmp(label(p, p->tv.cursor), text, strlen(text)), 0);
}

/* Screens */

static void golden(const char *name, const char *kinds, int w, int h, bool ascii, bool all)
{
	char path[128];
	struct pane p;

	open_service(&p, kinds, w, h, ascii);
	if (all) {
		treeview_all(&p.tv, true);
		draw(&p);
	}
	snprintf(path, sizeof(path), "numa/%s-%dx%d%s%s", name, w, h, all ? "-all" : "", ascii ? "-ascii" : "");
	golden_screen(p.cv, path);
	close_pane(&p);
}

static void screens(void **state)
{
	static const struct {
		const char *name, *kinds;
	} machines[] = { { "one", "b" }, { "two", "bb" }, { "four", "bbbb" }, { "eight", "bbbbbbbb" },
			 { "odd", "bmcb" },
			 { "sparse", "b--bo-e" } };
	static const struct {
		int w, h;
	} sizes[] = { { 200, 60 }, { 100, 26 }, { 80, 20 }, { 40, 8 } };

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			golden(machines[m].name, machines[m].kinds, sizes[s].w, sizes[s].h, false, false);
	}
	golden("four", "bbbb", 100, 60, false, true);
	golden("four", "bbbb", 80, 20, true, false);
	golden("two", "bb", 40, 30, true, true);
}

static char *many(char *dst, unsigned int n)
{
	memset(dst, MADE_BOTH, n);
	dst[n] = '\0';
	return dst;
}

static void screens_of_many_nodes(void **state)
{
	char kinds[MADE_NODES + 1];

	golden("many", many(kinds, 64), 200, 50, false, false);
	golden("many", many(kinds, 64), 80, 24, false, true);
	golden("many", many(kinds, 128), 60, 40, false, false);
}

/* Where one figure ends and another begins there is a blank, and nothing but ASCII is drawn when that is asked for. */
static void assert_sound(const struct pane *p)
{
	AUTO_FREE char *screen = canvas_dump(p->cv);

	for (const char *c = screen; *c; c++) {
		const char before = c > screen ? c[-1] : ' ';

		if (*c == '~' && before != ' ')
			fail_msg("a figure runs into another one:\n%s", screen);
		if (*c == '%' && (before != ' ' || !(strchr(" \n,.", c[1]) || (c[1] & 0x80))))
			fail_msg("a percentage runs into something:\n%s", screen);
		if (p->cv->ascii && (*c & 0x80))
			fail_msg("not ASCII:\n%s", screen);
	}
}

static void nothing_runs_into_anything_at_any_size(void **state)
{
	char kinds[MADE_NODES + 1];
	const char *const machines[] = { "b", "bb", "bmcb", "b--bo-e", "bbbbbbbb", many(kinds, 64) };

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		for (int w = 20; w <= 300; w += w < 120 ? 1 : 13) {
			struct pane p;

			open_service(&p, machines[m], w, 30, w % 2);
			assert_sound(&p);
			assert_true(w < 30 || on_screen(&p, "node 0"));
			treeview_all(&p.tv, true);
			draw(&p);
			assert_sound(&p);
			close_pane(&p);
		}
	}
}

static void no_size_is_too_small(void **state)
{
	struct pane p;

	open_service(&p, "bbbb", 100, 30, false);
	for (int w = 1; w < 30; w++) {
		for (int h = 1; h < 6; h++) {
			resize(&p, w, h);
			treeview_move(&p.tv, 1);
			draw(&p);
		}
	}
	close_pane(&p);
}

/* What lines say */

static void one_node_says_so(void **state)
{
	struct pane p;

	open_service(&p, "b", 100, 40, false);
	assert_true(on_screen(&p, "One NUMA node: no memory is far."));
	assert_false(on_screen(&p, "far time"));
	assert_false(on_screen(&p, "own far"));
	assert_false(on_screen(&p, "off home"));
	assert_false(on_screen(&p, "moves between"));
	assert_true(on_screen(&p, "functions by accesses") && on_screen(&p, "memory first touched by"));
	assert_line(&p, "lookupKey", "~26.7 %");
	assert_line(&p, "heap", "~5.0 GB");
	close_pane(&p);
}

static void nodes_are_shown_as_what_they_are(void **state)
{
	struct pane p;

	open_service(&p, "bmcbeo-b", 200, 40, false);
	assert_line(&p, "node 0", "CPUs 0-15");
	assert_line(&p, "node 1 \xC2\xB7 memory only \xC2\xB7 64 GB", "no CPU");
	assert_line(&p, "node 2 \xC2\xB7 CPUs 32-47 \xC2\xB7 no memory", "none");
	assert_line(&p, "node 4 \xC2\xB7 empty", "no CPU");
	assert_line(&p, "node 5 \xC2\xB7 offline", "offline");
	assert_false(on_screen(&p, "node 6"));
	assert_true(on_screen(&p, "node 7"));
	close_pane(&p);
}

static void estimates_are_marked_and_counted(void **state)
{
	struct pane p;

	open_service(&p, "bbbb", 130, 60, false);
	assert_line(&p, "node 0", "~6.0 GB");
	assert_line(&p, "node 0", "~120");
	assert_line(&p, "node 0", " 4.0 GB");            /* free: told by the kernel */
	assert_line(&p, "node 0", " 48.0 %");
	assert_line(&p, "lookupKey", "~20.0 %  ~75.0 %");
	assert_line(&p, "lookupKey", " 574 ");           /* accesses: what was counted */
	assert_line(&p, "loadRdb", "~12,000");
	assert_line(&p, "loadRdb", " 120 ");
	assert_line(&p, "service 1234", "~0 ");          /* where it ran most; the kernel says nothing */
	assert_line(&p, "worker-1", " 1 ");
	assert_line(&p, "waitForWork", " 36 ");          /* each move was seen */
	go(&p, "node 1");
	assert_true(on_screen(&p, "700 sampled accesses \xC2\xB7 ~57.1 % of them far"));
	treeview_right(&p.tv);
	draw(&p);
	assert_true(on_screen(&p, "to node 0 \xC2\xB7 ~18.5 % \xC2\xB7 distance 21 \xC2\xB7 400 samples"));
	close_pane(&p);
}

static void what_rests_on_more_is_said_below(void **state)
{
	const char *text = "away: not on the node of the CPU \xC2\xB7 not ~34,000 faults of automatic balancing";
	struct pane p;

	open_service(&p, "bb", 200, 60, false);
	go(&p, "memory first touched");
	assert_false(on_screen(&p, "automatic balancing"));
	p.n.state->figures.balancing_faults = 34000;
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, text));
	p.n.v.thread[1].moves = 7;
	p.n.v.seconds = 5;
	show(&p);
	go(&p, "worker-1");
	assert_true(on_screen(&p, "1.4 moves/s"));
	close_pane(&p);
}

static void far_is_magenta_and_near_is_not(void **state)
{
	struct pane p;
	AUTO_FREE char *styles = NULL;
	const char *line;

	open_service(&p, "bbbb", 100, 26, false);
	styles = canvas_dump_styles(p.cv);
	line = strchr(strchr(styles, '\n') + 1, '\n') + 1;       /* node 1 */
	assert_int_equal(line[81], 'm');                 /* its accesses to node 0 */
	assert_int_equal(line[87], ' ');                 /* and to itself */
	close_pane(&p);
}

static void distances_stand_where_there_is_room(void **state)
{
	struct pane p;

	open_service(&p, "bbbb", 130, 40, false);
	assert_line(&p, "node 1", "~19 21   ~14 10     \xC2\xB7 31");
	resize(&p, 100, 40);
	assert_line(&p, "node 1", "~19   ~14     \xC2\xB7     \xC2\xB7");
	go(&p, "node 1");
	assert_true(on_screen(&p, "distances 21 10 31 31"));
	resize(&p, 60, 40);
	assert_true(on_screen(&p, "accesses from"));
	close_pane(&p);
}

static void call_paths_open_down_to_their_lines(void **state)
{
	struct pane p;

	open_service(&p, "bb", 100, 40, false);
	go(&p, "lookupKey");
	treeview_right(&p.tv);
	draw(&p);
	assert_line(&p, "\xE2\x80\xBA call \xE2\x80\xBA aeMain", "~13.3 %");
	treeview_right(&p.tv);
	treeview_right(&p.tv);
	draw(&p);
	assert_true(on_screen(&p, "aeMain  app.c:10"));
	go(&p, "zmalloc");
	treeview_right(&p.tv);
	draw(&p);
	assert_true(on_screen(&p, "libc.so.6+0x1f0") && on_screen(&p, "loadRdb  app.c:10"));
	close_pane(&p);
}

static void what_is_not_there_is_said(void **state)
{
	struct pane p;

	open_empty(&p, "bb", 100, 30, false);
	p.n.state->sampled = false;
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, "not sampled, --numa does that"));
	assert_true(on_screen(&p, "node 1"));
	assert_false(on_screen(&p, "functions"));
	p.live = true;
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, "sampled from now on"));
	p.n.state->sampled = true;
	show(&p);
	draw(&p);
	assert_line(&p, "functions by far time", "none so far");
	p.n.v.state = NULL;
	p.n.v.nr_nodes = 0;
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, "Nothing is known of nodes yet"));
	p.n.v.nr_nodes = 1;                              /* facts name it all the same */
	p.n.v.node[0].node = NULL;
	p.live = false;
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, "--numa tells") && on_screen(&p, "node 0"));
	assert_false(on_screen(&p, "offline"));
	close_pane(&p);
}

static void processes_tell_policy_and_cpuset(void **state)
{
	struct numa_process *process;
	struct pane p;

	open_service(&p, "b", 120, 40, false);
	process = &p.n.state->process.v[0];
	assert_true(on_screen(&p, "service 1234 \xC2\xB7 default \xC2\xB7 nodes 0-1 \xC2\xB7 CPUs 0-31"));
	go(&p, "service 1234 ");
	treeview_right(&p.tv);
	draw(&p);
	assert_true(on_screen(&p, "other policies of mappings: interleave:0-1"));
	assert_true(on_screen(&p, "987 of 1,000 pages that were asked for are in memory \xC2\xB7 2.00 s ago"));
	assert_true(on_screen(&p, "1,234,567 page faults since it began"));
	process->denied = true;
	process->policies_read = false;
	process->policy[0] = process->mems[0] = '\0';
	show(&p);
	draw(&p);
	assert_true(on_screen(&p, "may not be asked") && on_screen(&p, "not read, it is too large"));
	assert_line(&p, "service 1234", "denied");
	assert_line(&p, "policy unknown", "nodes none");
	close_pane(&p);
}

/* Long lists */

static void long_lists_show_their_head(void **state)
{
	struct pane p;

	open_service(&p, "bb", 100, 30, false);
	assert_true(on_screen(&p, "30 in all") && on_screen(&p, "function_6"));
	assert_false(on_screen(&p, "function_7"));
	go(&p, "\xE2\x8B\xAF 30 in all");
	treeview_toggle(&p.tv);
	assert_int_not_equal(row_of(&p, "function_29"), SIZE_MAX);
	assert_cursor(&p, "\xE2\x8B\xAF 30 in all");
	treeview_toggle(&p.tv);
	assert_int_equal(row_of(&p, "function_29"), SIZE_MAX);
	treeview_all(&p.tv, true);
	assert_int_not_equal(row_of(&p, "function_29"), SIZE_MAX);
	close_pane(&p);
}

static void a_higher_screen_shows_more_of_them(void **state)
{
	struct pane p;

	open_service(&p, "bb", 100, 30, false);
	go(&p, "quicklistNext");
	resize(&p, 100, 60);
	assert_cursor(&p, "quicklistNext");
	assert_true(on_screen(&p, "function_9"));
	resize(&p, 100, 16);
	assert_cursor(&p, "quicklistNext");
	assert_int_equal(row_of(&p, "function_3"), SIZE_MAX);
	close_pane(&p);
}

static void searching_looks_behind_the_head(void **state)
{
	struct pane p;
	uint32_t found;

	open_service(&p, "bb", 100, 30, false);
	for (const char *c = "function_2"; *c; c++)
		search_type(&p.search, (uint32_t)*c);
	found = search_find(&p.search, &p.tv, treeview_node(&p.tv), SEARCH_HERE);
	assert_int_not_equal(found, NODE_NONE);
	search_type(&p.search, '7');
	found = search_find(&p.search, &p.tv, found, SEARCH_HERE);
	treeview_visit(&p.tv, found);
	draw(&p);
	assert_cursor(&p, "function_27");
	assert_true(on_screen(&p, "function_27"));
	treeview_visit(&p.tv, p.tv.list->row[0].first_child);
	assert_int_equal(row_of(&p, "function_27"), SIZE_MAX);   /* what the search opened in passing is closed again */
	treeview_visit(&p.tv, found);
	treeview_settle(&p.tv);
	show(&p);
	assert_cursor(&p, "function_27");
	close_pane(&p);
}

/* A call path is found by its functions, each of which has a line of its own. */
static void searching_goes_down_call_paths(void **state)
{
	struct pane p;
	uint32_t found;

	open_service(&p, "bb", 100, 30, false);
	for (const char *c = "readquery"; *c; c++)
		search_type(&p.search, (uint32_t)*c);
	found = search_find(&p.search, &p.tv, treeview_node(&p.tv), SEARCH_HERE);
	assert_int_equal(p.search.matches, 30);          /* in the second path of each function */
	treeview_visit(&p.tv, found);
	draw(&p);
	assert_cursor(&p, "readQuery");
	assert_line(&p, "\xE2\x96\x8C         readQuery", "app.c:10");
	close_pane(&p);
}

/* Refreshes */

static void swap_funcs(struct pane *p, uint32_t a, uint32_t b)
{
	const struct numa_func_row r = p->n.v.func[a];

	p->n.v.func[a] = p->n.v.func[b];
	p->n.v.func[b] = r;
}

static void the_line_under_the_cursor_stays(void **state)
{
	struct pane p;
	size_t line;

	open_service(&p, "bbbb", 100, 30, false);
	go(&p, "quicklistNext");
	treeview_right(&p.tv);                           /* open */
	draw(&p);
	line = p.tv.cursor - p.tv.top;
	swap_funcs(&p, 0, 1);
	swap_funcs(&p, 0, 5);                            /* now fourth from the top */
	show(&p);
	assert_cursor(&p, "quicklistNext");
	assert_int_equal(p.tv.cursor - p.tv.top, line);
	assert_true(treeview_is_open(&p.tv, treeview_node(&p.tv)));
	swap_funcs(&p, 5, 29);                           /* out of what is listed */
	show(&p);
	assert_cursor(&p, "quicklistNext");
	assert_int_equal(p.tv.cursor - p.tv.top, line);
	treeview_close(&p.tv);
	show(&p);
	assert_cursor(&p, "quicklistNext");
	treeview_move(&p.tv, -1);                        /* it is let go */
	show(&p);
	assert_int_equal(row_of(&p, "quicklistNext"), SIZE_MAX);
	close_pane(&p);
}

static void nodes_that_come_leave_the_rest_alone(void **state)
{
	struct pane p;
	size_t line;

	open_service(&p, "bbbb", 100, 30, false);
	/* the tables are for four; the cells are not told apart here */
	p.n.v.nr_nodes = 3;
	show(&p);
	go(&p, "node 1");
	treeview_right(&p.tv);
	line = p.tv.cursor - p.tv.top;
	p.n.v.nr_nodes = 4;
	show(&p);
	assert_cursor(&p, "node 1");
	assert_int_equal(p.tv.cursor - p.tv.top, line);
	assert_true(treeview_is_open(&p.tv, treeview_node(&p.tv)));
	close_pane(&p);
}

static void the_matrix_stays_in_sight(void **state)
{
	struct pane p;

	open_service(&p, "bbbb", 100, 60, false);
	go(&p, "node 1");
	resize(&p, 60, 30);
	assert_true(on_screen(&p, "accesses from") && on_screen(&p, "mem 0"));
	go(&p, "accesses from");
	treeview_close(&p.tv);
	resize(&p, 100, 60);
	resize(&p, 60, 30);
	assert_line(&p, "accesses from", "  4");         /* closed once, closed again */
	close_pane(&p);
}

static void parts_that_were_closed_stay_closed(void **state)
{
	struct pane p;

	open_service(&p, "bb", 100, 30, false);
	go(&p, "functions by far time");
	treeview_close(&p.tv);
	draw(&p);
	assert_line(&p, "functions by far time", "  30");
	show(&p);
	draw(&p);
	assert_false(on_screen(&p, "lookupKey"));
	assert_cursor(&p, "functions by far time");
	close_pane(&p);
}

/* The rest */

static void the_filter_is_marked(void **state)
{
	AUTO_FREE char *styles = NULL;
	struct nodeset *s;
	struct pane p;

	open_service(&p, "bb", 100, 30, false);
	s = &p.n.v.query.nodes;
	assert_int_equal(numaview_only(s), -1);
	nodeset_add(s, 1);
	assert_int_equal(numaview_only(s), 1);
	show(&p);
	draw(&p);
	styles = canvas_dump_styles(p.cv);
	assert_non_null(strstr(styles, "ffffff"));
	nodeset_add(s, 0);
	assert_int_equal(numaview_only(s), -1);
	close_pane(&p);
}

static void nodes_are_told_from_other_lines(void **state)
{
	struct pane p;

	open_service(&p, "b-b", 100, 30, false);
	go(&p, "node 2");
	assert_int_equal(numaview_node(&p.nv->line[treeview_node(&p.tv)]), 1);
	go(&p, "lookupKey");
	assert_int_equal(numaview_node(&p.nv->line[treeview_node(&p.tv)]), -1);
	go(&p, "nodes");
	assert_int_equal(numaview_node(&p.nv->line[treeview_node(&p.tv)]), -1);
	close_pane(&p);
}

static void frames_on_screen_are_named_first(void **state)
{
	frame_id frames[64];
	struct pane p;

	open_service(&p, "bb", 100, 30, false);
	assert_true(numapane_frames(&p.tv, 29, frames, 64) > 8);
	assert_int_equal(numapane_frames(&p.tv, 3, frames, 64), 0);      /* nodes have none */
	close_pane(&p);
}

static void marks_can_be_hit(void **state)
{
	struct pane p;
	int row;

	open_service(&p, "bb", 100, 30, false);
	row = (int)row_of(&p, "lookupKey");
	assert_true(numapane_on_mark(&p.tv, 100, 4, row) && numapane_on_mark(&p.tv, 100, 2, 0));
	assert_false(numapane_on_mark(&p.tv, 100, 2, row) || numapane_on_mark(&p.tv, 100, 40, row));
	assert_false(numapane_on_mark(&p.tv, 100, 2, 99));
	close_pane(&p);
}

static struct made_numa *nomem;

static bool make_lines(void)
{
	struct numaview *nv = numaview_new(&nomem->v, true, false);
	const bool made = nv;

	numaview_free(nv);
	return made;
}

static void memory_that_is_refused_is_survived(void **state)
{
	struct made_numa n;

	madenuma_init(&n, "bb");
	madenuma_service(&n, 30);
	nomem = &n;
	for (long i = 0; fail_alloc_round(i, make_lines); i++)
		;
	madenuma_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(screens_of_many_nodes),
		cmocka_unit_test(nothing_runs_into_anything_at_any_size),
		cmocka_unit_test(no_size_is_too_small),
		cmocka_unit_test(one_node_says_so),
		cmocka_unit_test(nodes_are_shown_as_what_they_are),
		cmocka_unit_test(estimates_are_marked_and_counted),
		cmocka_unit_test(what_rests_on_more_is_said_below),
		cmocka_unit_test(far_is_magenta_and_near_is_not),
		cmocka_unit_test(distances_stand_where_there_is_room),
		cmocka_unit_test(call_paths_open_down_to_their_lines),
		cmocka_unit_test(what_is_not_there_is_said),
		cmocka_unit_test(processes_tell_policy_and_cpuset),
		cmocka_unit_test(long_lists_show_their_head),
		cmocka_unit_test(a_higher_screen_shows_more_of_them),
		cmocka_unit_test(searching_looks_behind_the_head),
		cmocka_unit_test(searching_goes_down_call_paths),
		cmocka_unit_test(the_line_under_the_cursor_stays),
		cmocka_unit_test(nodes_that_come_leave_the_rest_alone),
		cmocka_unit_test(the_matrix_stays_in_sight),
		cmocka_unit_test(parts_that_were_closed_stay_closed),
		cmocka_unit_test(the_filter_is_marked),
		cmocka_unit_test(nodes_are_told_from_other_lines),
		cmocka_unit_test(frames_on_screen_are_named_first),
		cmocka_unit_test(marks_can_be_hit),
		cmocka_unit_test(memory_that_is_refused_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
