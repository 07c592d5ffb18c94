/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_pick.c - picking a process: which lines there are, where the cursor stays, what keys and the mouse do. With
 * SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "ui/picker.h"
#include "ui/view_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MB (1024ull * 1024)

struct world {
	struct made_session f;
	struct driver d;
};

static const struct made_process {
	pid_t pid;
	const char *user, *name, *command, *group;
	unsigned int cpu;                /* percent */
	uint64_t rss_bytes;
	uint32_t threads;
	bool kthread;
} processes[] = {
	{ 1, "root", "systemd", "/sbin/init splash", "init", 0, 12 * MB, 1, false },
	{ 2, "root", "kthreadd", "", "", 0, 0, 1, true },
	{ 17, "root", "kswapd0", "", "", 31, 0, 1, true },
	{ 812, "root", "sshd", "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups", "ssh", 0, 7 * MB, 1, false },
	{ 1234, "redis", "redis-server", "/usr/bin/redis-server 127.0.0.1:6379", "redis-server", 131,
	  3277 * MB, 6, false },
	{ 1300, "postgres", "postgres", "postgres: 15/main: walwriter", "postgresql@15-main", 2, 24 * MB, 1, false },
	{ 20999, "anna", "java", "java -Xmx4g -jar /srv/Inventory/inventory-service-2.14.3.jar "
	  "--spring.profiles.active=production", "docker-0123456789ab", 1248, 4100 * MB, 1204, false },
	{ 21000, "a-very-long-user-name", "evil\xEF\xBF\xBD[2J",
	  "\xE6\xBC\xA2\xE5\xAD\x97 --name \xF0\x9F\x94\xA5", "session-3", 7, MB, 2, false },
	{ 4194303, "nobody", "bash", "-bash", "session-3", 0, 5 * MB, 1, false },
};

/* A list of these, and of MORE others; the CPU of redis is REDIS percent. LEFT_OUT has ended. */
static struct proclist *list(unsigned int redis, pid_t left_out, unsigned int more)
{
	struct proclist *l = calloc(1, sizeof(*l));
	const size_t nr = sizeof(processes) / sizeof(processes[0]);

	assert_non_null(l);
	atomic_init(&l->refs, 1);
	l->over_ns = NSEC_PER_SEC;
	assert_true(vec_reserve(&l->row, nr + more));
	for (size_t i = 0; i < nr + more; i++) {
		const struct made_process *p = &processes[i < nr ? i : 1 + i % (nr - 1)];
		const pid_t pid = i < nr ? p->pid : 5000000 + (pid_t)i;
		char find[512];

		if (pid == left_out)
			continue;
		snprintf(find, sizeof(find), "%d\n%s\n%s\n%s", (int)pid, p->name, p->command, p->group);
		for (char *c = find; *c; c++)
			*c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c;
		l->row.v[l->row.n++] = (struct proc_row){
			.pid = pid, .start_ticks = (uint64_t)pid, .ticks = (uint64_t)pid, .kthread = p->kthread,
				.threads = p->threads,
			.rss_bytes = p->rss_bytes, .over_ns = NSEC_PER_SEC,
			.cpu_ns = (p->pid == 1234 ? redis : p->cpu) * NSEC_PER_SEC / 100,
			.user = p->user, .name = p->name, .command = p->command, .group = p->group,
			.find = arena_strndup(&l->texts, find, strlen(find)),
		};
	}
	assert_int_equal(proclist_sort(l, NULL), 0);
	return l;
}

static int attach(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e)
{
	return -ENOTSUP;
}

static void begin(struct world *w, bool none, int cols, int rows, bool ascii, const char *keys)
{
	madesession_init(&w->f);
	madesession_server(&w->f);
	w->f.session.attach = attach;
	w->f.session.none = none;
	w->f.silent = none;
	driver_init(&w->d, &w->f, cols, rows, ascii);
	if (!none)
		driver_press(&w->d, "P");
	view_give_list(w->d.view, list(131, 0, 0));
	driver_press(&w->d, keys);
	driver_refresh(&w->d);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void give(struct world *w, struct proclist *l)
{
	view_give_list(w->d.view, l);
	driver_refresh(&w->d);
}

/* The line under the cursor has TEXT. */
static void assert_at(const struct world *w, const char *text)
{
	AUTO_FREE char *screen = canvas_dump(w->d.canvas);
	char *mark = strstr(screen, "\xE2\x96\x8C"), *line_end = mark ? strchr(mark, '\n') : NULL;

	if (line_end)
		*line_end = '\0';
	if (!mark || !strstr(mark, text))
		fail_msg("not under the cursor: %s, but: %s", text, mark ? mark : "nothing");
}

static void golden(const char *name, bool none, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, none, cols, rows, ascii, keys);
	snprintf(path, sizeof(path), "view/pick-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("20x5", true, 20, 5, false, "");
	golden("40x10", true, 40, 10, false, "");
	golden("80x24", true, 80, 24, false, "jj");
	golden("80x24-ascii", true, 80, 24, true, "jj");
	golden("200x60", true, 200, 60, false, "jjK");
	golden("search-80x24", true, 80, 24, false, "/e");
	golden("search-40x10", true, 40, 10, false, "/RE");
	golden("no-match-80x24", true, 80, 24, false, "/nowhere");
	golden("over-20x5", false, 20, 5, false, "jj");
	golden("over-40x10", false, 40, 10, false, "jj");
	golden("over-80x24", false, 80, 24, false, "jj");
	golden("over-120x30", false, 120, 30, false, "/session");
	golden("memory-80x24", false, 80, 24, false, "s");
	golden("help-80x24", false, 80, 24, false, "?");
}

/* Made lists have processes that began at the tick of their number. */
static void assert_picked(const struct world *w, pid_t pid)
{
	uint64_t start_ticks;

	assert_int_equal(view_picked(w->d.view, &start_ticks), pid);
	assert_int_equal(start_ticks, pid);
}

static void nothing_is_known_yet(void **state)
{
	struct world w;

	madesession_init(&w.f);
	w.f.session.attach = attach;
	w.f.session.none = w.f.silent = true;
	driver_init(&w.d, &w.f, 80, 24, false);
	driver_refresh(&w.d);
	assert_at(&w, "the whole machine");
	assert_int_equal(view_key(w.d.view, UI_KEY_DOWN), REACT_DRAW);
	assert_int_equal(view_key(w.d.view, UI_KEY_ENTER), REACT_ATTACH);
	assert_picked(&w, 0);
	end(&w);
}

/* The cursor stays with its process, wherever that goes; when it has ended, on the line. */
static void the_cursor_stays(void **state)
{
	struct world w;

	begin(&w, true, 100, 30, false, "");
	assert_at(&w, "the whole machine");
	give(&w, list(2000, 0, 0));
	assert_at(&w, "the whole machine");
	driver_press(&w.d, "jj");
	assert_at(&w, "java");
	give(&w, list(131, 0, 0));
	assert_at(&w, "java");
	give(&w, list(131, 20999, 0));
	assert_at(&w, "redis-server");
	driver_press(&w.d, "G");
	assert_at(&w, "systemd");
	driver_press(&w.d, "g");
	assert_at(&w, "the whole machine");
	end(&w);
}

static void sorting(void **state)
{
	struct world w;

	begin(&w, true, 100, 30, false, "j");
	assert_at(&w, "java");
	driver_press(&w.d, "sgjj");
	assert_at(&w, "redis-server");                   /* by memory */
	driver_press(&w.d, "sgj");
	assert_at(&w, "bash");                           /* by name */
	driver_press(&w.d, "sgj");
	assert_at(&w, "systemd");                        /* by pid */
	driver_press(&w.d, "sgj");
	assert_at(&w, "java");
	end(&w);
}

static void kernel_threads(void **state)
{
	struct world w;

	begin(&w, true, 100, 30, false, "");
	assert_false(screen_has(w.d.canvas, "kswapd0"));
	driver_press(&w.d, "K");
	assert_true(screen_has(w.d.canvas, "kswapd0"));
	driver_press(&w.d, "/kswapd");
	assert_at(&w, "kswapd0");
	driver_press(&w.d, "<Esc>K");
	assert_false(screen_has(w.d.canvas, "kswapd0"));
	end(&w);
}

/* In name, pid, command line and container, whatever its case; only what has it is there. */
static void searching(void **state)
{
	struct world w;

	begin(&w, true, 100, 30, false, "/REDis");
	assert_at(&w, "redis-server");
	assert_false(screen_has(w.d.canvas, "the whole machine"));
	assert_true(screen_has(w.d.canvas, "1 of 7"));
	driver_press(&w.d, "<^U>419");
	assert_at(&w, "bash");
	driver_press(&w.d, "<^U>inventory-SERVICE");
	assert_at(&w, "java");
	driver_press(&w.d, "<^U>session-3");
	assert_true(screen_has(w.d.canvas, "2 of 7"));
	assert_at(&w, "21000");
	driver_press(&w.d, "<Down>");
	assert_at(&w, "4194303");
	driver_press(&w.d, "<BS><BS>");
	assert_at(&w, "21000");
	driver_press(&w.d, "qqq");                       /* text, not keys */
	assert_true(screen_has(w.d.canvas, "none has that"));
	assert_int_equal(view_key(w.d.view, UI_KEY_ENTER), REACT_NONE);
	driver_press(&w.d, "<BS><BS><BS>");
	assert_int_equal(view_key(w.d.view, UI_KEY_ENTER), REACT_ATTACH);
	assert_picked(&w, 21000);
	end(&w);
}

/* Escape leaves what was typed, then the list. */
static void leaving(void **state)
{
	struct world w;

	begin(&w, false, 100, 30, false, "/redis");
	assert_true(view_is_picking(w.d.view));
	driver_press(&w.d, "<Esc>");
	assert_at(&w, "redis-server");
	assert_true(screen_has(w.d.canvas, "the whole machine"));
	driver_press(&w.d, "?");
	assert_true(screen_has(w.d.canvas, "hide or show kernel threads"));
	driver_press(&w.d, "?");
	assert_at(&w, "redis-server");
	driver_press(&w.d, "<Esc>");
	assert_false(view_is_picking(w.d.view));
	assert_true(screen_has(w.d.canvas, "processCommand"));
	driver_press(&w.d, "P");
	assert_at(&w, "redis-server");
	driver_press(&w.d, "q");
	assert_false(view_is_picking(w.d.view));
	end(&w);
	begin(&w, true, 100, 30, false, "");
	assert_int_equal(view_key(w.d.view, UI_KEY_ESC), REACT_QUIT);
	end(&w);
}

static void picking(void **state)
{
	struct world w;

	begin(&w, false, 100, 30, false, "j");
	assert_int_equal(view_key(w.d.view, UI_KEY_ENTER), REACT_ATTACH);
	assert_picked(&w, 20999);
	assert_false(view_is_picking(w.d.view));         /* what was seen before is seen until the other one is there */
	driver_refresh(&w.d);
	assert_true(screen_has(w.d.canvas, "attaching to java 20999 ..."));
	view_say(w.d.view, "no");
	driver_press(&w.d, "Pj");
	assert_int_equal(view_key(w.d.view, 'a'), REACT_ATTACH);
	assert_picked(&w, 0);
	end(&w);
	begin(&w, true, 100, 30, false, "j");
	assert_int_equal(view_key(w.d.view, UI_KEY_ENTER), REACT_ATTACH);
	assert_true(view_is_picking(w.d.view));          /* there is nothing else */
	end(&w);
}

/* Why something could not be looked at, and what can be done about it, is more than a line. */
static void long_sentences(void **state)
{
	static const char sentence[] = "making a BPF ring buffer was denied: sberf is run without cap_bpf and "
				       "cap_perfmon; needed are "
				       "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog; run: sudo setcap those+ep sberf";
	struct world w;

	begin(&w, true, 80, 24, false, "G");
	view_say(w.d.view, sentence);
	driver_refresh(&w.d);
	assert_true(screen_has(w.d.canvas, "\n making a BPF ring buffer was denied"));
	assert_true(screen_has(w.d.canvas, "sudo setcap those+ep sberf\n"));
	assert_true(screen_has(w.d.canvas, " Enter look at it"));
	driver_press(&w.d, "k");
	assert_false(screen_has(w.d.canvas, "denied"));
	driver_resize(&w.d, 40, 10);                     /* there it is cut */
	view_say(w.d.view, sentence);
	driver_refresh(&w.d);
	assert_true(screen_has(w.d.canvas, "\n making a BPF"));
	assert_at(&w, "sshd");
	end(&w);
}

static void the_mouse(void **state)
{
	struct world w;

	begin(&w, true, 100, 30, false, "");
	view_mouse(w.d.view, MOUSE_CLICK, 40, 3);
	driver_refresh(&w.d);
	assert_at(&w, "java");
	view_mouse(w.d.view, MOUSE_WHEEL_DOWN, 40, 3);
	driver_refresh(&w.d);
	assert_at(&w, "postgres");
	assert_int_equal(view_mouse(w.d.view, MOUSE_DOUBLE, 40, 27), REACT_DRAW);        /* no line there */
	assert_int_equal(view_mouse(w.d.view, MOUSE_DOUBLE, 40, 4), REACT_ATTACH);
	assert_picked(&w, 1234);
	end(&w);
}

/* A list that is longer than the screen follows the cursor. */
static void long_lists(void **state)
{
	struct world w;

	begin(&w, true, 100, 12, false, "s");
	give(&w, list(131, 0, 30000));
	driver_press(&w.d, "G");
	assert_at(&w, "5030006");
	driver_press(&w.d, "<PgUp>k");
	assert_false(screen_has(w.d.canvas, "5030006"));
	driver_press(&w.d, "g");
	assert_at(&w, "the whole machine");
	driver_press(&w.d, "sss/5030007");
	assert_at(&w, "5030007");
	end(&w);
}

/* The next view has the panes and the question of the one before. */
static void another_target(void **state)
{
	const struct ui_options o = { .refresh_ns = NSEC_PER_SEC };
	struct view *next;
	struct world w;

	begin(&w, false, 100, 30, false, "<Esc>i5");
	next = view_new(&w.f.session, &o);
	assert_non_null(next);
	view_take_over(next, w.d.view);
	assert_int_equal(view_panes(next).open, view_panes(w.d.view).open);
	assert_int_equal(view_panes(next).focus, PANE_FUNCS);
	assert_true(next->query.inverted);
	assert_false(view_is_picking(next));
	view_free(next);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),         cmocka_unit_test(nothing_is_known_yet),
			cmocka_unit_test(the_cursor_stays),
		cmocka_unit_test(sorting),         cmocka_unit_test(kernel_threads),       cmocka_unit_test(searching),
		cmocka_unit_test(leaving),         cmocka_unit_test(picking),              cmocka_unit_test(the_mouse),
		cmocka_unit_test(long_lists),      cmocka_unit_test(another_target),
		cmocka_unit_test(long_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
