/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_treejoin.c - functions through which the kernel is entered share a line of the tree while
 * they only repeat each other, until the user takes it apart; interrupts that weigh hardly anything
 * stay closed when everything opens. No figure changes by it.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/keys.h"
#include "model/kernel_entry.h"
#include "ui/view_private.h"

#include <stdlib.h>
#include <string.h>

#define SYSCALL "entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k]"
#define SYSCALL_LINE "entry_SYSCALL_64_after_hwframe \xE2\x80\xBA do_syscall_64"
#define FIRST "entry_SYSCALL_64_after_hwframe"
#define LAST "do_syscall_64"
#define TIMER "asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k]"
#define TIMER_LINE "asm_sysvec_apic_timer_interrupt \xE2\x80\xBA sysvec_apic_timer_interrupt"

struct world {
	struct made_session f;
	struct driver d;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	madesession_init(&w->f);
	madesession_add(&w->f, 1, "main;write;" SYSCALL ";ksys_write_[k];vfs_write_[k]", 60);
	madesession_add(&w->f, 1, "main;write;" SYSCALL ";syscall_exit_to_user_mode_[k]", 20);
	madesession_add(&w->f, 1, "main;work", 1200);
	driver_init(&w->d, &w->f, 120, 40, false);
	driver_refresh(&w->d);
	driver_refresh(&w->d);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	driver_free(&w->d);
	madesession_free(&w->f);
	free(w);
	return 0;
}

#define JOIN_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static struct treeview *lines(const struct world *w)
{
	return w->d.view->pane[PANE_HOME].tv;
}

/* The row that is called NAME; SIZE_MAX = there is none. */
static size_t row_of(const struct world *w, const char *name)
{
	const struct treeview *tv = lines(w);
	char text[LABEL_MAX];

	for (size_t i = 0; i < tv->rows.n; i++) {
		if (!strcmp(treeview_line_label(tv, tv->rows.v[i].node, text, sizeof(text)), name))
			return i;
	}
	return SIZE_MAX;
}

#define is_row(w, name) (row_of(w, name) != SIZE_MAX)

static void go(const struct world *w, const char *name)
{
	assert_true(is_row(w, name));
	treeview_to_row(lines(w), row_of(w, name));
}

static const char *under_cursor(const struct world *w)
{
	static char text[LABEL_MAX];

	return treeview_line_label(lines(w), treeview_node(lines(w)), text, sizeof(text));
}

/* The figures in the line of the screen with NAME, to be freed; NULL = there is none. */
static char *figures_of(const struct world *w, const char *name)
{
	AUTO_FREE char *screen = canvas_dump(w->d.canvas);
	const char *at = strstr(screen, name), *end = at ? at + strcspn(at, "\n") : NULL;

	at = at ? strstr(at, "[k]") : NULL;
	if (!at || at > end)
		return NULL;
	at += strcspn(at, " ");
	at += strspn(at, " ");
	return strndup(at, (size_t)(end - at));
}

static void a_line_has_them_all(void **state)
{
	struct world *w = *state;
	AUTO_FREE char *one = NULL, *apart = NULL, *inner = NULL;

	driver_press(&w->d, "E");
	assert_true(is_row(w, SYSCALL_LINE));
	assert_false(is_row(w, FIRST) || is_row(w, LAST));
	assert_int_equal(lines(w)->rows.v[row_of(w, "ksys_write")].depth,
			 lines(w)->rows.v[row_of(w, SYSCALL_LINE)].depth + 1);
	go(w, SYSCALL_LINE);
	driver_refresh(&w->d);
	one = figures_of(w, SYSCALL_LINE);
	driver_press(&w->d, "+");
	apart = figures_of(w, "\xE2\x96\xBE " FIRST);
	inner = figures_of(w, "\xE2\x96\xBE " LAST);
	assert_true(one && apart && inner);
	assert_string_equal(one, apart);
	assert_string_equal(one, inner);
}

static void the_user_takes_it_apart_and_puts_it_together(void **state)
{
	struct world *w = *state;

	driver_press(&w->d, "E");
	go(w, SYSCALL_LINE);
	driver_press(&w->d, "-");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	assert_false(is_row(w, "ksys_write"));
	driver_press(&w->d, "<Right>");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	assert_true(is_row(w, "ksys_write"));
	driver_press(&w->d, "+");
	assert_string_equal(under_cursor(w), FIRST);
	assert_int_equal(row_of(w, LAST), row_of(w, FIRST) + 1);
	assert_int_equal(row_of(w, "ksys_write"), row_of(w, LAST) + 1);
	madesession_add(&w->f, 2, "main;write;" SYSCALL ";ksys_write_[k]", 5);
	driver_refresh(&w->d);
	driver_refresh(&w->d);
	assert_string_equal(under_cursor(w), FIRST);    /* stays as the user has it */
	driver_press(&w->d, "<Left>");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	assert_false(is_row(w, "ksys_write"));
	driver_press(&w->d, "<Left>");
	assert_string_equal(under_cursor(w), "write");
}

static void what_does_more_than_repeat_has_its_own_line(void **state)
{
	struct world *w = *state;

	driver_press(&w->d, "E");
	go(w, "ksys_write");
	madesession_add(&w->f, 2, "main;write;entry_SYSCALL_64_after_hwframe_[k]", 1);
	driver_refresh(&w->d);
	driver_refresh(&w->d);
	assert_true(is_row(w, FIRST) && is_row(w, LAST));
	assert_string_equal(under_cursor(w), "ksys_write");
	/* The same names in a program are what it calls its functions. */
	madesession_add(&w->f, 3, "main;do_syscall_64;kthread", 1);
	driver_refresh(&w->d);
	driver_press(&w->d, "E");
	assert_true(is_row(w, "kthread"));
}

static void a_search_finds_each_of_them(void **state)
{
	struct world *w = *state;

	driver_press(&w->d, "C/after_hw");
	assert_string_equal(under_cursor(w), FIRST);
	driver_press(&w->d, "f");                /* a character more looks on from where it was found */
	assert_string_equal(under_cursor(w), FIRST);
	driver_press(&w->d, "<Esc>");
	driver_press(&w->d, "C/do_sysc");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	driver_press(&w->d, "<Enter>");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	driver_press(&w->d, "/sysc");            /* three, the cursor on the line of the first two */
	assert_string_equal(under_cursor(w), FIRST);
	driver_press(&w->d, "<Enter>nnn");
	assert_string_equal(under_cursor(w), FIRST);
	driver_press(&w->d, "N");
	assert_string_equal(under_cursor(w), "syscall_exit_to_user_mode");
	driver_press(&w->d, "N");
	assert_string_equal(under_cursor(w), LAST);
}

static void it_zooms_as_one(void **state)
{
	struct world *w = *state;

	driver_press(&w->d, "E");
	go(w, SYSCALL_LINE);
	driver_press(&w->d, "z");
	assert_int_equal(row_of(w, SYSCALL_LINE), 0);
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	driver_press(&w->d, "C");
	assert_true(is_row(w, "ksys_write"));
	driver_press(&w->d, "z<Esc>");
	assert_int_not_equal(row_of(w, SYSCALL_LINE), 0);
	driver_press(&w->d, "E");
	go(w, "ksys_write");
	driver_press(&w->d, "x");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
	driver_press(&w->d, "x");
	assert_string_equal(under_cursor(w), "write");
	driver_press(&w->d, "L");
	assert_string_equal(under_cursor(w), SYSCALL_LINE);
}

static void an_inverted_tree_has_it_the_other_way_round(void **state)
{
	struct world *w = *state;

	driver_press(&w->d, "iE");
	assert_true(is_row(w, LAST " \xE2\x80\xBA " FIRST));
}

static void light_interrupts_stay_closed(void **state)
{
	struct world *w = *state;

	madesession_add(&w->f, 1, "main;work;" TIMER ";irq_exit_[k];handle_softirqs_[k]", 1);
	driver_refresh(&w->d);
	driver_press(&w->d, "E");
	assert_true(is_row(w, TIMER_LINE));
	assert_false(is_row(w, "irq_exit"));
	driver_press(&w->d, "ge");               /* one more level: no other is closed */
	assert_false(is_row(w, "irq_exit"));
	go(w, TIMER_LINE);
	driver_press(&w->d, "<Enter>");
	assert_true(is_row(w, "irq_exit"));
	driver_press(&w->d, "+");
	assert_string_equal(under_cursor(w), "asm_sysvec_apic_timer_interrupt");
	driver_press(&w->d, "E");
	assert_false(is_row(w, "irq_exit"));
	driver_press(&w->d, "g/handle_soft");
	assert_string_equal(under_cursor(w), "handle_softirqs");
	driver_press(&w->d, "<Esc>");
	assert_false(is_row(w, "irq_exit"));
	madesession_add(&w->f, 2, "main;work;" TIMER ";irq_exit_[k]", 10);       /* not light any more */
	driver_refresh(&w->d);
	driver_refresh(&w->d);
	assert_true(is_row(w, "irq_exit"));
}

static void where_there_is_no_room_the_last_one_is_whole(void **state)
{
	struct world *w = *state;
	AUTO_FREE char *screen = NULL;

	driver_resize(&w->d, 60, 40);
	driver_press(&w->d, "E");
	screen = canvas_dump(w->d.canvas);
	assert_non_null(strstr(screen, "\xE2\x96\xBE \xE2\x80\xA6 \xE2\x80\xBA do_syscall_64 [k]"));
	assert_null(strstr(screen, "entry_SYSC"));
}

static void names_of_each_architecture(void **state)
{
	static const struct { const char *name; enum kernel_entry entry; } of[] = {
		{ "entry_SYSCALL_64_after_hwframe", KERNEL_ENTRY_CALL }, { "do_syscall_64", KERNEL_ENTRY_CALL },
		{ "x64_sys_call", KERNEL_ENTRY_CALL }, { "asm_exc_page_fault", KERNEL_ENTRY_CALL },
		{ "exc_page_fault", KERNEL_ENTRY_CALL }, { "ret_from_fork_asm", KERNEL_ENTRY_CALL },
		{ "kthread", KERNEL_ENTRY_CALL }, { "asm_exc_nmi", KERNEL_ENTRY_INTERRUPT },
		{ "asm_sysvec_reschedule_ipi", KERNEL_ENTRY_INTERRUPT }, { "common_interrupt", KERNEL_ENTRY_INTERRUPT },
		{ "el0t_64_sync_handler", KERNEL_ENTRY_CALL }, { "invoke_syscall.constprop.0", KERNEL_ENTRY_CALL },
		{ "el0_svc_common.isra.0", KERNEL_ENTRY_CALL }, { "el1h_64_irq_handler", KERNEL_ENTRY_INTERRUPT },
		{ "el1_interrupt", KERNEL_ENTRY_INTERRUPT },
		{ "", KERNEL_ENTRY_NONE }, { "kthread_worker_fn", KERNEL_ENTRY_NONE },
		  { "do_syscall_6", KERNEL_ENTRY_NONE },
		{ "__x64_sys_write", KERNEL_ENTRY_NONE }, { "entry", KERNEL_ENTRY_NONE },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_int_equal(kernel_entry_of(of[i].name), of[i].entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOIN_TEST(a_line_has_them_all),
		JOIN_TEST(the_user_takes_it_apart_and_puts_it_together),
		JOIN_TEST(what_does_more_than_repeat_has_its_own_line),
		JOIN_TEST(a_search_finds_each_of_them),
		JOIN_TEST(it_zooms_as_one),
		JOIN_TEST(an_inverted_tree_has_it_the_other_way_round),
		JOIN_TEST(light_interrupts_stay_closed),
		JOIN_TEST(where_there_is_no_room_the_last_one_is_whole),
		cmocka_unit_test(names_of_each_architecture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
