/* SPDX-License-Identifier: BSD-2-Clause */
/* test_terms.c - filters as a person writes them: what is read, what is refused and why, and what they match. */
#include "config.h"

#include "base/pattern.h"
#include "base/wildcard.h"
#include "model/allocation.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MS 1000000ull

static void assert_reads(const char *text, enum term_what what, bool not, const char *want, const char *written)
{
	struct filter_term t, again;
	struct err e = ERR_INIT;
	char back[TERM_WRITTEN_MAX];

	if (term_parse(text, MADE_ARCH, &t, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	assert_int_equal(t.what, what);
	assert_int_equal(t.not, not);
	assert_string_equal(t.text, want);
	assert_string_equal(term_text(&t, back), written);
	assert_int_equal(term_parse(back, MADE_ARCH, &again, &e), 0);
	assert_memory_equal(&t, &again, sizeof(t));
}

static void terms_are_read_and_written(void **state)
{
	assert_reads("malloc|free", TERM_FUNCTION, false, "malloc|free", "malloc|free");
	assert_reads("  !operator new ", TERM_FUNCTION, true, "operator new", "!operator new");
	assert_reads("thread: redis-*,12", TERM_THREAD, false, "redis-*,12", "thread:redis-*,12");
	assert_reads("! process:postgres", TERM_PROCESS, true, "postgres", "!process:postgres");
	assert_reads("cgroup:4f1c", TERM_CGROUP, false, "4f1c", "cgroup:4f1c");
	assert_reads("node:0-1,3", TERM_NODE, false, "0-1,3", "node:0-1,3");
	assert_reads("state:D, killable", TERM_STATE, false, "D, killable", "state:D, killable");
	assert_reads("!syscall:futex,page fault", TERM_SYSCALL, true, "futex,page fault", "!syscall:futex,page fault");
	assert_reads("size:4K, 1M-,-512", TERM_SIZE, false, "4K, 1M-,-512", "size:4K, 1M-,-512");
	assert_reads("thread::run", TERM_FUNCTION, false, "thread::run", "thread::run");         /* C++ */
	assert_reads("std::thread:", TERM_FUNCTION, false, "std::thread:", "std::thread:");
	assert_reads("function:node:1", TERM_FUNCTION, false, "node:1", "function:node:1");
	assert_reads("function:!x", TERM_FUNCTION, false, "!x", "function:!x");
	assert_reads("threads:x", TERM_FUNCTION, false, "threads:x", "threads:x");
}

static void assert_refused(const char *text, const char *why)
{
	struct filter_term t;
	struct err e = ERR_INIT;

	assert_int_equal(term_parse(text, "x86_64", &t, &e), -EINVAL);
	if (!strstr(e.text, why))
		fail_msg("%s: %s", text, e.text);
}

static void what_makes_no_sense_is_said(void **state)
{
	char text[TERM_TEXT_MAX + 20];

	assert_refused("", "there is no pattern");
	assert_refused(" ! ", "there is no pattern");
	assert_refused("thread:", "there is nothing behind thread:");
	assert_refused("a(b", "'a(b' is no regular expression: Unmatched ( or \\(");
	assert_refused("thread:a,,b", "'a,,b' has nothing before or behind a comma");
	assert_refused("node:x", "'x' is no list of NUMA nodes such as 0-1,3");
	assert_refused("node:1024", "'1024' is no list of NUMA nodes");
	assert_refused("state:Y", "there is no state 'Y': there are R preempted, S interruptible");
	assert_refused("syscall:fly", "there is no system call 'fly' on x86_64: write it as its manual page does");
	assert_refused("size:", "there is nothing behind size:");
	assert_refused("size:big", "'big' is no size of memory such as 4K, 1K-64K, 1M- or -512");
	assert_refused("size:4K,", "'' is no size of memory");
	assert_refused("size:-", "'-' is no size of memory");
	assert_refused("size:8K-4K", "'8K-4K' is no size of memory");
	assert_refused("size:1K-2K-3K", "'1K-2K-3K' is no size of memory");
	assert_reads("syscall:read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read",
		     TERM_SYSCALL, false,
		     "read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read",
		     "syscall:read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read");
	assert_refused("syscall:read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,write",
		       "there are more than 16 system calls in 'read,");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_refused(text, "the pattern is longer than 255 bytes");
	memcpy(text, "thread:", 7);
	text[7 + TERM_TEXT_MAX] = '\0';
	assert_refused(text, "the pattern is longer than 255 bytes");
}

static void patterns_that_explode_are_refused(void **state)
{
	assert_refused("(a)\\1", "it has a back reference, and these can take for ever");
	assert_refused("((a{99}){99}){99}", "what it repeats is too large");
	assert_refused("a{600}{2}", "what it repeats is too large");
	assert_refused("(x|y{500}|[a-z]{501})", "what it repeats is too large");
	assert_refused("((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((a",
		       "its parentheses are nested too deeply");
	assert_int_equal(pattern_check("(a{9}){9}[]{500}]\\{700[[:alpha:]]{2,}", NULL, NULL), 0);
	assert_refused("a++++++++++++++++++++++++++++++", "what it repeats is too large");
	assert_refused("((((((((((a+)+)+)+)+)+)+)+)+)+)+", "what it repeats is too large");
	assert_int_equal(pattern_check("a{500}", NULL, NULL), 0);
	assert_int_equal(pattern_check("[a-z]+::[a-z]+\\(((int|long)+)+\\)", NULL, NULL), 0);
}

/* A pattern with more states than there is time for, in names that visit them. */
static void patterns_give_up(void **state)
{
	struct made *m = *state;
	const thread_id t = made_thread(m, 1, 1, "a");
	struct query q = { .terms = MADE_TERM(TERM_FUNCTION, 
		"(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b){99}x") };
	struct query no = q;
	struct snapshot *s;
	char text[2001], why[512];
	unsigned int r = 1;

	for (unsigned int i = 0; i < 40; i++) {
		for (size_t k = 0; k < sizeof(text) - 1; k++) {
			r = r * 1103515245u + 12345u;
			text[k] = r >> 20 & 1 ? 'a' : 'b';
		}
		text[sizeof(text) - 1] = '\0';
		made_add(m, 1, t, text, MS);
	}
	s = profile_snapshot(m->p);
	no.terms.v[0].not = 1;
	assert_int_equal(made_look(m, &q)->n, 1);
	assert_int_equal(made_look(m, &no)->n, 1);       /* not all of it, as nobody knows */
	assert_int_equal(query_unmatched(s, m->names, &no), QUERY_TOO_LONG);
	query_unmatched_text(&no, QUERY_TOO_LONG, why, sizeof(why));
	assert_non_null(strstr(why, "takes too long to be looked for: make it simpler"));
	snapshot_unref(s);
}

static void wildcards(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool is;
	} all[] = {
		{ "", "", true }, { "", "a", false }, { "*", "", true }, { "*", "abc", true }, { "a*c", "abbc", true },
		{ "a*c", "abcd", false }, { "*bc", "abcbc", true }, { "?", "\xC3\xA4", true }, { "??", "a", false },
		{ "[a-c]x", "bx", true }, { "[!a-c]x", "bx", false }, { "[!a-c]x", "dx", true },
		  { "[[:digit:]]", "7", true },
		{ "[nobody", "[nobody", true }, { "a\\*", "a*", true }, { "a\\*", "ab", false }, { "a\\", "a\\", true },
		{ "*a*b*", "xxaxxbxx", true }, { "*a*b*", "xxbxxaxx", false }, { "redis-*", "redis-server", true },
		{ "redis", "redis-server", false },
	};
	char text[4000];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (wildcard_matches(all[i].pattern, all[i].text) != all[i].is)
			fail_msg("%s %s", all[i].pattern, all[i].text);
	}
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(wildcard_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));        /* in no time */
}

static void names_become_patterns(void **state)
{
	char text[TERM_TEXT_MAX], name[TERM_TEXT_MAX];
	struct pattern p;

	assert_true(term_exactly("std::vector<int*>::at(unsigned long) const [clone .cold]", text));
	assert_true(pattern_init(&p, text));
	assert_true(pattern_in(&p, "std::vector<int*>::at(unsigned long) const [clone .cold]"));
	assert_false(pattern_in(&p, "std::vector<int*>::at(unsigned long) const [clone .cold]2"));
	pattern_free(&p);
	assert_true(term_literally("a*[1],b\\", text));
	assert_true(term_matches(text, "a*[1],b\\", 8, false));
	assert_false(term_matches(text, "ax[1],b\\", 8, false));
	memset(name, '.', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(term_exactly(name, text));
	assert_false(term_literally("", text));
}

static bool size_is(const char *text, uint64_t bytes)
{
	uint64_t sizes = 0;

	assert_int_equal(term_sizes(text, NULL, &sizes, NULL), 0);
	return sizes & term_size_bit(octave_class(bytes));
}

static void sizes_are_powers_of_two(void **state)
{
	(void)state;
	assert_true(size_is("4K", 4096) && size_is("4K", 8191) && size_is("5000", 4096));
	assert_false(size_is("4K", 4095) || size_is("4K", 8192));
	assert_true(size_is("1K-64K", 1024) && size_is("1K-64K", 131071));
	assert_false(size_is("1K-64K", 1023) || size_is("1K-64K", 131072));
	assert_true(size_is("1M-", 1 << 20) && size_is("1M-", UINT64_MAX));
	assert_false(size_is("1M-", (1 << 20) - 1));
	assert_true(size_is("-512", 0) && size_is("-512", 1023) && size_is("0", 0));
	assert_false(size_is("-512", 1024) || size_is("0", 1) || size_is("1", 0));
	assert_true(size_is("4K,1M-", 4096) && size_is("4K,1M-", 1 << 21));
	assert_false(size_is("4K,1M-", 16384));
}

static uint64_t counted(struct made *m, measure_mask measures, const char *term, const char *other)
{
	struct query q = { .arch = MADE_ARCH, .measures = measures };
	struct snapshot *s = profile_snapshot(m->p);
	uint64_t n, all;

	if (term)
		made_term(&q, term);
	if (other)
		made_term(&q, other);
	assert_int_equal(query_share(s, m->names, &q, &n, &all, NULL), 0);
	snapshot_unref(s);
	return n;
}

static void memory_is_filtered_by_size(void **state)
{
	static const uint64_t sizes[] = { 100, 4096, 6000, 1 << 20 };
	const measure_mask allocated = MEASURE_BIT(MEASURE_ALLOCATED);
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	struct snapshot *s;

	made_add(m, 1, made_thread(m, 1, 1, "a"), "main;run", 5 * MS);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct allocation a = { .size = (uint8_t)octave_class(sizes[i]), .interval = 1 };

		m->ev.kind = EVENT_ALLOC;
		m->ev.weight = sizes[i];
		m->ev.count = 1;
		m->ev.argument = allocation_argument(&a);
		made_again(m);
	}
	assert_int_equal(counted(m, allocated, "size:4K", NULL), 4096 + 6000);
	assert_int_equal(counted(m, allocated, "size:4K-1M", NULL), 4096 + 6000 + (1 << 20));
	assert_int_equal(counted(m, allocated, "!size:4K", NULL), 100 + (1 << 20));
	assert_int_equal(counted(m, allocated, "size:-4K", "!size:64"), 4096 + 6000);
	assert_int_equal(counted(m, allocated, "size:16K", NULL), 0);
	/* Running time has no size. */
	assert_int_equal(counted(m, MEASURES_WALL, "!size:4K", NULL), 5 * MS);
	assert_int_equal(counted(m, MEASURES_WALL, "size:4K", NULL), 0);
	made_term(&q, "size:16K");
	q.measures = allocated;
	s = profile_snapshot(m->p);
	assert_int_equal(query_unmatched(s, m->names, &q), 0);
	q.terms.n = 0;
	made_term(&q, "size:64");
	assert_int_equal(query_unmatched(s, m->names, &q), QUERY_ALL_MATCH);
	snapshot_unref(s);
}

static void keywords_are_completed(void **state)
{
	size_t len;
	bool only;

	assert_string_equal(term_complete("th", 2, &len, &only), "thread");
	assert_true(only && len == 6);
	assert_non_null(term_complete("s", 1, &len, &only));
	assert_true(!only && len == 1);
	assert_string_equal(term_complete("sy", 2, &len, &only), "syscall");
	assert_null(term_complete("x", 1, &len, &only));
	assert_null(term_complete("f", 1, &len, &only));
	assert_non_null(term_complete("", 0, &len, &only));
	assert_true(!only && !len);
}

static void lists_are_values(void **state)
{
	struct query a = { .arch = MADE_ARCH }, b = { .arch = MADE_ARCH };
	struct filter_term t;

	made_term(&a, "x");
	made_term(&a, "thread:1");
	made_term(&b, "thread:1");
	made_term(&b, "x");
	assert_false(terms_same(&a.terms, &b.terms));
	made_term(&b, "thread:1");                       /* moves to the end */
	assert_true(terms_same(&a.terms, &b.terms));
	terms_remove(&a.terms, 0);
	terms_drop(&b.terms, TERM_FUNCTION, false);
	assert_memory_equal(&a.terms, &b.terms, sizeof(a.terms));
	assert_false(terms_only_waits(&a.terms));
	made_term(&a, "!state:D");
	assert_false(terms_only_waits(&a.terms));
	made_term(&a, "state:D");
	assert_true(terms_only_waits(&a.terms));
	for (int i = 0; i < 13; i++) {
		char text[16];

		snprintf(text, sizeof(text), "f%d", i);
		made_term(&a, text);
	}
	assert_int_equal(term_parse("one too many", NULL, &t, NULL), 0);
	assert_false(terms_add(&a.terms, &t));
	assert_int_equal(a.terms.n, TERMS_MAX);
}

/* What is left of everything by terms, separated by ';'. */
static uint64_t left(struct made *m, const char *terms)
{
	struct query q = { .arch = MADE_ARCH };
	char text[256], *rest = text;

	snprintf(text, sizeof(text), "%s", terms);
	for (char *one; (one = strsep(&rest, ";"));)
		made_term(&q, one);
	return made_look(m, &q)->node[0].total_ns / MS;
}

static thread_id thread_of(struct made *m, pid_t pid, pid_t tid, const char *comm, const char *exe, const char *cgroup)
{
	struct strtab *st = dict_strings(profile_dict(m->p));
	const struct thread t = { .pid = pid, .tid = tid, .start_ns = (uint64_t)tid, .comm = strtab_adds(st, comm),
				  .exe = strtab_adds(st, exe), .cgroup = strtab_adds(st, cgroup) };

	return dict_thread(profile_dict(m->p), &t);
}

static void terms_add_up(void **state)
{
	struct made *m = *state;
	const thread_id main_ = thread_of(m, 10, 10, "redis-server", "/usr/bin/redis", "/docker/4f1c22/app");
	const thread_id bio = thread_of(m, 10, 11, "bio_aof", "/usr/bin/redis", "/docker/4f1c22/app");
	const thread_id cli = thread_of(m, 20, 20, "cli", "/usr/bin/redis-cli", "/user.slice");

	made_add(m, 1, main_, "main;call;malloc", 1 * MS);
	made_add(m, 2, main_, "main;call;memcpy", 2 * MS);
	made_add(m, 3, bio, "start;flush", 4 * MS);
	made_add(m, 4, cli, "main;call", 8 * MS);
	made_wait(m, 5, bio, "start;flush", EVENT_BLOCKED, "fsync", 'D', 16 * MS);
	made_wait(m, 6, main_, "main;call", EVENT_BLOCKED, "futex", 'S', 32 * MS);

	assert_int_equal(left(m, "call"), 43);
	assert_int_equal(left(m, "call;!malloc"), 42);
	assert_int_equal(left(m, "call;m"), 43);
	assert_int_equal(left(m, "call;^mem|^mal;!memcpy"), 1);
	assert_int_equal(left(m, "!main;!flush"), 0);
	assert_int_equal(left(m, "thread:bio*"), 20);
	assert_int_equal(left(m, "!thread:bio*"), 43);
	assert_int_equal(left(m, "thread:bio*,20"), 28);
	assert_int_equal(left(m, "thread:10,11;!thread:bio_aof"), 35);
	assert_int_equal(left(m, "process:redis-server"), 55);
	assert_int_equal(left(m, "process:redis"), 55);          /* the executable */
	assert_int_equal(left(m, "process:20"), 8);
	assert_int_equal(left(m, "!process:10"), 8);
	assert_int_equal(left(m, "process:redis*"), 63);
	assert_int_equal(left(m, "process:bio_aof"), 0);         /* no process, a thread */
	assert_int_equal(left(m, "cgroup:4f1c"), 55);
	assert_int_equal(left(m, "cgroup:docker/*/app;thread:bio*"), 20);
	assert_int_equal(left(m, "!cgroup:4f1c"), 8);
	assert_int_equal(left(m, "state:D"), 16);
	assert_int_equal(left(m, "!state:D"), 47);               /* and all that runs */
	assert_int_equal(left(m, "state:D,S;!syscall:futex"), 16);
	assert_int_equal(left(m, "syscall:futex,fsync"), 48);
	assert_int_equal(left(m, "syscall:futex;call;process:10;thread:redis-server"), 32);
}

static void nodes_are_chosen(void **state)
{
	struct made *m = *state;

	for (uint16_t node = 0; node < 4; node++) {
		made_place(m, node + 1, made_thread(m, 1, 1, "a"), "main", EVENT_ACCESS, node, 0, (uint64_t)1 << node);
		m->ev.kind = EVENT_SAMPLE;
		m->ev.weight = MS << node;
		made_again(m);
	}
	assert_int_equal(left(m, "node:0-1"), 3);
	assert_int_equal(left(m, "node:0-1;node:1-2"), 2);
	assert_int_equal(left(m, "!node:0,3"), 6);
	assert_int_equal(left(m, "node:0-2;!node:1"), 5);
}

static void assert_nothing(struct made *m, const char *first, const char *second, int want, const char *sentence)
{
	struct query q = { .arch = MADE_ARCH };
	struct snapshot *s = profile_snapshot(m->p);
	char text[TERM_TEXT_MAX + 128];

	made_term(&q, first);
	if (second)
		made_term(&q, second);
	assert_int_equal(made_look(m, &q)->n, 1);
	assert_int_equal(query_unmatched(s, m->names, &q), want);
	query_unmatched_text(&q, want, text, sizeof(text));
	if (!strstr(text, sentence))
		fail_msg("%s", text);
	snapshot_unref(s);
}

static void what_matches_nobody_is_said(void **state)
{
	struct made *m = *state;

	made_add(m, 1, made_thread(m, 1, 1, "redis-server"), "main;call", MS);
	assert_nothing(m, "call", "thread:redis", 1,
		       "no thread is called 'redis' (all of the name or tid counts, * stands for any part)");
	assert_nothing(m, "Call", "thread:1", 0, "no function matches 'Call' (it is a regular expression, and "
		       "tells case apart)");
	assert_nothing(m, "process:x", NULL, 0, "no process is called 'x'");
	assert_nothing(m, "cgroup:x", NULL, 0, "there is no cgroup with 'x' in its path");
	assert_nothing(m, "state:D", NULL, 0, "there are no waits in state D");
	assert_nothing(m, "syscall:read", NULL, 0, "there are no waits in read");
	assert_nothing(m, "call", "!main", QUERY_ALL_MATCH, "nothing is left by all filters together");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_are_read_and_written),
		cmocka_unit_test(what_makes_no_sense_is_said),
		cmocka_unit_test(patterns_that_explode_are_refused),
		cmocka_unit_test_setup_teardown(patterns_give_up, made_set_up, made_tear_down),
		cmocka_unit_test(wildcards),
		cmocka_unit_test(names_become_patterns),
		cmocka_unit_test(sizes_are_powers_of_two),
		cmocka_unit_test_setup_teardown(memory_is_filtered_by_size, made_set_up, made_tear_down),
		cmocka_unit_test(keywords_are_completed),
		cmocka_unit_test(lists_are_values),
		cmocka_unit_test_setup_teardown(terms_add_up, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(nodes_are_chosen, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(what_matches_nobody_is_said, made_set_up, made_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
