/* SPDX-License-Identifier: BSD-2-Clause */
/* test_demangle.c - C++, Rust (both manglings) and D; what is not mangled; and names made to explode. */
#include "config.h"

#include "symbol/demangle.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void becomes(const char *mangled, const char *want)
{
	AUTO_FREE char *got = demangle(mangled);

	assert_string_equal(got ? got : "(stays)", want);
}

static void known_names(void **state)
{
	becomes("_ZN6shapes5totalERKSt6vectorIPNS_5shapeESaIS2_EE",
		"shapes::total(std::vector<shapes::shape*, std::allocator<shapes::shape*> > const&)");
	becomes("_Z6hiddeni.cold", "hidden(int) [clone .cold]");
	becomes("_ZdlPv", "operator delete(void*)");
	becomes("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
	becomes("_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
		"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop");
	becomes("_RNvC6_123foo3bar", "123foo::bar");
	becomes("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>");
	becomes("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
}

static void other_names_stay(void **state)
{
	static const char *const names[] = { "main", "", "_", "_start", "_Z", "_ZN", "_R", "_Dmain_", "_ZN3foo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		becomes(names[i], "(stays)");
}

/* "f(A<A<...>, A<...> >)": each level names the one before twice, so 40 levels are 2^40 characters. */
static void names_that_explode_stay(void **state)
{
	char name[1024] = "_Z1fi";
	size_t n = strlen(name);

	for (int level = 0; level < 40; level++) {
		/* parameter 0 is A<int, int>; each next one is A<last, last>. S_ is A, S0_ the first A<...>, S1_ ... */
		if (level == 0)
			n += (size_t)snprintf(name + n, sizeof(name) - n, "1AIiiE");
		else if (level <= 36)
			n += (size_t)snprintf(name + n, sizeof(name) - n, "S_IS%c_S%c_E",
					      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level - 1],
					      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level - 1]);
	}
	becomes(name, "(stays)");
}

/* Back references of back references, in D. */
static void d_names_that_explode_stay(void **state)
{
	char name[1024] = "_D1a1bFS1c1d";

	for (int i = 0; i < 100; i++)
		strcat(name, "QbQd");
	becomes(name, "(stays)");
}

/* "_Z1f", LEN - 5 times LETTER, "i"; malloc'ed. */
static char *nested(char letter, size_t len)
{
	char *name = malloc(len + 1);

	memset(name, letter, len);
	memcpy(name, "_Z1f", 4);
	name[len - 1] = 'i';
	name[len] = '\0';
	return name;
}

static void *demangle_deep_names(void *arg)
{
	AUTO_FREE char *pointers = nested('P', DEMANGLE_IN_MAX), *functions = nested('F', DEMANGLE_IN_MAX);
	AUTO_FREE char *packs = nested('J', DEMANGLE_IN_MAX), *longer = nested('P', DEMANGLE_IN_MAX + 1);
	/* longer than libiberty takes by itself */
	AUTO_FREE char *useful = nested('P', 1500);

	free(demangle(pointers));
	free(demangle(functions));
	free(demangle(packs));
	*(bool *)arg = !demangle(longer);
	return demangle(useful);
}

/* On a thread with the stack that the header asks for. */
static void deep_names_fit_on_the_stack(void **state)
{
	bool refused = false;
	pthread_attr_t attr;
	pthread_t thread;
	void *text;

	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, DEMANGLE_STACK), 0);
	assert_int_equal(pthread_create(&thread, &attr, demangle_deep_names, &refused), 0);
	pthread_attr_destroy(&attr);
	assert_int_equal(pthread_join(thread, &text), 0);
	assert_true(refused);
	/* libiberty prints at most 1,024 levels: longer is possible, deeper is not */
	assert_null(text);
}

/* Wide, not deep: 400 parameters make a name that libiberty's own limit refuses by its length. */
static void long_names_are_demangled(void **state)
{
	char name[4096] = "_Z1f";
	AUTO_FREE char *text = NULL;

	for (int i = 0; i < 400; i++)
		strcat(name, "3foo");
	text = demangle(name);
	assert_non_null(text);
	assert_memory_equal(text, "f(foo, foo, ", 12);
	assert_int_equal(strlen(text), 2 + 400 * 5 - 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_names),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(names_that_explode_stay),
		cmocka_unit_test(d_names_that_explode_stay),
		cmocka_unit_test(deep_names_fit_on_the_stack),
		cmocka_unit_test(long_names_are_demangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
