/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_shortname.c - names of functions made short: of C++, Rust, Go, D and machines that make
 * code, and of nobody at all.
 */
#include "config.h"

#include "base/cleanup.h"
#include "query/shortname.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_short(const char *name, const char *want)
{
	AUTO_FREE char *got = calloc(1, strlen(name) + 1);  /* no more room than there must be */
	const size_t len = shortname(name, strlen(name), got);

	assert_string_equal(got, want);
	assert_int_equal(len, strlen(got));
}

static void parameters_and_arguments_go(void **state)
{
	static const struct {
		const char *name, *want;
	} names[] = {
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back" },
		{ "void f<g>(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda#1}::operator()" },
		{ "<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec as core::ops::Drop>::drop" },
		{ "<alloc::vec::Vec<u8>>::push", "<alloc::vec::Vec>::push" },
		{ "core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place" },
		{ "core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place" },
		{ "mycrate::<impl core::fmt::Debug for mycrate::T<U>>::fmt",
		  "mycrate::<impl core::fmt::Debug for mycrate::T>::fmt" },
		{ "<fn(&T) -> R as core::ops::FnOnce<(A,B)>>::call_once",
		  "<fn(&T) -> R as core::ops::FnOnce>::call_once" },
		{ "<&mut F as core::ops::function::FnOnce<A>>::call_once",
		  "<&mut F as core::ops::function::FnOnce>::call_once" },
		{ "foo::bar::<u8>::{closure#0}", "foo::bar::{closure#0}" },
		{ "operator new(unsigned long)", "operator new" },
		{ "operator delete[](void*)", "operator delete[]" },
		{ "std::ostream& std::operator<< <char, std::char_traits<char> >(std::ostream&, char const*)",
		  "std::operator<<" },
		{ "bool operator< <int>(A<int> const&, A<int> const&)", "operator<" },
		{ "A::operator<(A const&) const", "A::operator<" },
		{ "A::operator<=>(A const&) const", "A::operator<=>" },
		{ "A<int>::operator->() const", "A::operator->" },
		{ "A::operator()(int)", "A::operator()" },
		{ "A::operator[](int)", "A::operator[]" },
		{ "A::operator std::vector<int, B>&() const", "A::operator std::vector&" },
		{ "A::operator unsigned long() const", "A::operator unsigned long" },
		{ "A::operator int*()", "A::operator int*" },
		{ "operator\"\" _s(char const*)", "operator\"\" _s" },
		{ "(anonymous namespace)::foo(int)", "(anonymous namespace)::foo" },
		{ "foo((anonymous namespace)::A, int)", "foo" },
		{ "non-virtual thunk to A<int>::bar(int)", "non-virtual thunk to A::bar" },
		{ "virtual thunk to B::f() const", "virtual thunk to B::f" },
		{ "vtable for A<int>", "vtable for A" },
		{ "guard variable for f(int)::x", "guard variable for f::x" },
		{ "int (*foo<int>(int))(double)", "foo" },
		{ "decltype (a+b) foo<int, long>(int, long)", "foo" },
		{ "decltype(auto) foo<int>(int)", "foo" },
		{ "auto foo<int>(int)", "foo" },
		{ "unsigned long std::max<unsigned long>(unsigned long, unsigned long)", "std::max" },
		{ "std::enable_if<(sizeof(int))==(4), int>::type foo<int>(int)", "foo" },
		{ "std::enable_if<((4)>(2)), int>::type foo<int>(int)", "foo" },
		{ "foo(int) [clone .constprop.0] [clone .cold]", "foo [clone .constprop.0] [clone .cold]" },
		{ "foo(int) [clone .isra.0]", "foo [clone .isra.0]" },
		{ "f[abi:cxx11](int)", "f" },
		{ "std::__cxx11::basic_string<char>::f[abi:cxx11](int) const", "std::__cxx11::basic_string::f" },
		{ "main::{lambda()#1}::operator()() const", "main::{lambda#1}::operator()" },
		{ "main::{lambda(auto:1)#1}::operator()<int>(int) const", "main::{lambda#1}::operator()" },
		{ "foo() const::{lambda()#2}::_FUN()", "foo::{lambda#2}::_FUN" },
		{ "A::f() &&", "A::f" },
		{ "A::f() const &", "A::f" },
		{ "Foo::<lambda(int)>::operator()(int) const", "Foo::<lambda>::operator()" },
		{ "<lambda(int)>::operator()", "<lambda>::operator()" },
		{ "void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other, main::{lambda()#1}&&)",
		  "std::__invoke_impl" },
		{ "void org.foo.Bar::method(int)", "org.foo.Bar::method" },
		{ "Foo.<init>(int)", "Foo.<init>" },
		{ "Foo::<init>(int)", "Foo::<init>" },
		{ "instance void [System.Private]Foo::Bar(int32)[OptimizedTier1]",
		  "[System.Private]Foo::Bar[OptimizedTier1]" },
		{ "f<(a>b)>(int)", "f" },
		{ "A<&(f(int))>::g()", "A::g" },
		{ "std::function<int (int, char)>::operator()(int, char) const", "std::function::operator()" },
		{ "std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke(std::_Any_data const&)",
		  "std::_Function_handler::_M_invoke" },
		{ "boost::asio::detail::executor_op<boost::asio::detail::binder0<foo>, std::allocator<void>, "
		  "boost::asio::detail::scheduler_operation>::do_complete(void*)",
		  "boost::asio::detail::executor_op::do_complete" },
		{ "f(int)::Local::g() const", "f::Local::g" },
		{ "f(void (*)(int), int)", "f" },
		{ "void foo<int>(int) requires (C<int>)", "foo" },
		{ "A::~A()", "A::~A" },
		{ "A<int>::~A()", "A::~A" },
		{ "core.thread.foo(int)", "core.thread.foo" },
		{ "void foo.bar!(int).baz(x)", "foo.bar.baz" },
		{ "auto A::f<int>(int)::{lambda(auto:1)#1}::operator()<char>(char) const",
		  "A::f::{lambda#1}::operator()" },
		{ "operator<< <int>", "operator<<" },
		{ "std::pair<int, int> const& f<int>(int)", "f" },
		{ "__gnu_cxx::__normal_iterator<char*, std::string>& __gnu_cxx::operator++<x>(y)",
		  "__gnu_cxx::operator++" },
		{ "foo(int)@plt", "foo@plt" },
		{ "foo(int).part.0", "foo.part.0" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_short(names[i].name, names[i].want);
}

static void what_has_none_or_makes_no_sense_stays(void **state)
{
	static const char *const names[] = {
		"<(A, B) as Trait>::f",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}",
		"foo::bar::{{closure}}",
		"main.(*Server).Serve",
		"main.(*Server[...]).Serve.func1",
		"main.Map[go.shape.int,go.shape.string]",
		"github.com/x/y.(*T).M-fm",
		"type:.eq.struct { a int; b (int) }",
		"encoding/json.(*decodeState).object",
		"LazyCompile:*foo /path/x.js:12",
		"Function:~<anonymous> /x.js:1",
		"RegExp:(a|b)<c",
		"py::<module>:/a/b.py",
		"py::<lambda>:/a/b (c).py",
		"py::foo:/usr/x (y).py",
		"do_syscall_64",
		"__x64_sys_read",
		"(other)",
		"[cut: x]",
		"<unknown>",
		"<",
		"(",
		">",
		")",
		"foo<",
		"foo(",
		"foo<bar",
		"foo>>",
		"operator",
		"operator<",
		"operator ",
		"a operator b",
		"f(int",
		"-[NSFoo bar:]",
		"{default arg#1}",
		"A<b>c",
		"foo@plt",
		"",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_short(names[i], names[i]);
}

static void deep_names_end(void **state)
{
	AUTO_FREE char *name = malloc(200001), *brackets = malloc(200001);

	assert_true(name && brackets);

	memset(name, '<', 200000);
	memset(brackets, '(', 200000);
	name[0] = brackets[0] = 'f';
	name[200000] = brackets[200000] = '\0';
	assert_short(name, name);
	assert_short(brackets, brackets);
	memset(name + 100000, '>', 100000);
	assert_short(name, name);
}

/* Whatever it is given, it writes no more than there was, and what is short stays as it is. */
static void noise_is_survived(void **state)
{
	static const char *const parts[] = { "<", ">", "(", ")", "[", "]", "{", "}", "::", " ", "operator", "a",
					     "b1", "-", ".", "*",
					     "&", "~", " const", "decltype", "(anonymous namespace)", "lambda",
					     " as ", "!", "new",
					     "[abi:", "[clone ", " requires ", "#1", "@", ",", "\xff", "for ", "to " };
	unsigned int seed = 7;

	for (unsigned int round = 0; round < 200000; round++) {
		char name[512] = "", got[512];
		size_t len;

		for (int n = rand_r(&seed) % 20; n > 0; n--)
			strcat(name, parts[(unsigned int)rand_r(&seed) % (sizeof(parts) / sizeof(parts[0]))]);
		memset(got, 'x', sizeof(got));
		len = shortname(name, strlen(name), got);
		assert_true(len <= strlen(name) && got[len] == '\0' && (len || !name[0]));
		assert_int_equal(got[strlen(name) + 1], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_and_arguments_go),
		cmocka_unit_test(what_has_none_or_makes_no_sense_stays),
		cmocka_unit_test(deep_names_end),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
