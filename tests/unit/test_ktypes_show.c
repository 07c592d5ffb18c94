/* SPDX-License-Identifier: BSD-2-Clause */
/* test_ktypes_show.c - what types made here lead to, and how values of them are written. */
#include "config.h"

#include "engine/loads.h"
#include "probe/ktypes.h"

#include "tests/unit/cmocka_all.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

/* As in the types below. */
struct node {
	int error;
	unsigned int kind;       /* enum kinds */
	struct node *next;
	char name[8];
	unsigned int low : 3, high : 5;
	unsigned short pad;
	unsigned long mask;
	short all[12];
	void *op;
};

/* "int f(struct node *node, char *text, int n)", "struct node *g(void)", in BTF; POINTER of which type NODE is. */
static struct btf *btf_made(uint32_t *ret_node, int *ret_pointer)
{
	struct btf *btf = btf__new_empty();
	const int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), character = btf__add_int(btf, "char", 1, 0);
	const int word = btf__add_int(btf, "unsigned int", 4, 0), half = btf__add_int(btf, "short", 2, BTF_INT_SIGNED);
	const int wide = btf__add_int(btf, "unsigned long", 8, 0);
	const int kinds = btf__add_enum(btf, "kinds", 4);
	int name, all, nothing, node, pointer, text, proto;

	btf__add_enum_value(btf, "KIND_NONE", 0);
	btf__add_enum_value(btf, "KIND_FILE", 1);
	name = btf__add_array(btf, integer, character, 8);
	all = btf__add_array(btf, integer, half, 12);
	nothing = btf__add_ptr(btf, 0);
	node = btf__add_struct(btf, "node", sizeof(struct node));
	pointer = node + 1;
	btf__add_field(btf, "error", integer, 8 * offsetof(struct node, error), 0);
	btf__add_field(btf, "kind", kinds, 8 * offsetof(struct node, kind), 0);
	btf__add_field(btf, "next", pointer, 8 * offsetof(struct node, next), 0);
	btf__add_field(btf, "name", name, 8 * offsetof(struct node, name), 0);
	btf__add_field(btf, "low", word, 8 * 24, 3);
	btf__add_field(btf, "high", word, 8 * 24 + 3, 5);
	btf__add_field(btf, "mask", wide, 8 * offsetof(struct node, mask), 0);
	btf__add_field(btf, "all", all, 8 * offsetof(struct node, all), 0);
	btf__add_field(btf, "op", nothing, 8 * offsetof(struct node, op), 0);
	assert_int_equal(btf__add_ptr(btf, node), pointer);
	text = btf__add_ptr(btf, character);
	proto = btf__add_func_proto(btf, integer);
	btf__add_func_param(btf, "node", pointer);
	btf__add_func_param(btf, "text", text);
	btf__add_func_param(btf, "n", integer);
	btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, pointer);
	assert_true(btf__add_func(btf, "g", BTF_FUNC_STATIC, proto) > 0);
	*ret_node = (uint32_t)node;
	*ret_pointer = pointer;
	return btf;
}

static struct ktypes *types_new(uint32_t *ret_node)
{
	struct ktypes *t = NULL;
	int pointer;

	assert_int_equal(ktypes_of_btf(btf_made(ret_node, &pointer), &t, NULL), 0);
	return t;
}

static bool name_of(void *ctx, uint64_t address, char *dst, size_t size)
{
	if (address != 0xffffffff81000000)
		return false;
	snprintf(dst, size, "file_ops");
	return true;
}

static void values_are_written_by_their_types(void **state)
{
	const struct ktypes_style style = { .name = name_of }, errors = { .errors = true };
	struct node n = { .error = -2, .kind = 1, .next = (void *)0xffff888012345678, .name = "a\033b", .low = 5,
			  .high = 17, .mask = 1ull << 40, .all = { [2] = -3 }, .op = (void *)0xffffffff81000000 };
	uint32_t node;
	AUTO(ktypes_free) struct ktypes *t = types_new(&node);
	char text[512];

	assert_string_equal(ktypes_show(t, node, &n, sizeof(n), &style, text, sizeof(text)),
			    "{error=-2, kind=KIND_FILE, next=0xffff888012345678, name=\"a\033b\", low=5, high=17, "
			    "mask=0x10000000000, all=[0, 0, -3, 0, 0, 0, 0, 0, ...], "
			    "op=0xffffffff81000000 (file_ops)}");
	assert_string_equal(ktypes_show(t, node, &n, 16, &errors, text, sizeof(text)),
			    "{error=-2 (ENOENT), kind=KIND_FILE, next=0xffff888012345678, ...}");
	assert_string_equal(ktypes_show(t, node, &n, sizeof(n), &style, text, 24), "{error=-2, kind=KIND...");
	n = (struct node){ .next = (void *)-12l, .kind = 7 };
	assert_string_equal(ktypes_show(t, node, &n, sizeof(n), &style, text, sizeof(text)),
			    "{kind=7, next=-12 (ENOMEM)}");
	n = (struct node){ 0 };
	assert_string_equal(ktypes_show(t, node, &n, sizeof(n), &style, text, sizeof(text)), "{}");
	assert_string_equal(ktypes_show(t, 9999, &n, sizeof(n), &style, text, sizeof(text)), "?");
}

/* "arg/hops/offsets/bytes" of EXPR of the function WHAT; or why there is nothing. */
static const char *found(struct ktypes *t, const char *what, const char *expr)
{
	static char text[ERR_TEXT_MAX];
	struct err e = ERR_INIT;
	struct ktypes_value v;
	struct sb_load l;
	size_t n;

	if (load_of_print(expr, t, what, &l, &v, &e))
		return strcpy(text, e.text);
	n = (size_t)snprintf(text, sizeof(text), "%s%u", v.is_result ? "result " : "arg", v.is_result ? 0 : v.arg);
	for (unsigned int i = 0; i < v.hops; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " +%d", (int)l.offset[i]);
	snprintf(text + n, sizeof(text) - n, ": %u of %u%s", l.scale, v.bytes, l.size ? "" : ", there already");
	return text;
}

static void what_is_asked_for_is_found(void **state)
{
	uint32_t node;
	AUTO(ktypes_free) struct ktypes *t = types_new(&node);

	assert_string_equal(found(t, "f", "n"), "arg2: 4 of 4, there already");
	assert_string_equal(found(t, "f", "*node"), "arg0 +0: 72 of 72");
	assert_string_equal(found(t, "f", "text"), "arg1 +0: 0 of 0");
	assert_string_equal(found(t, "f", "node->name"), "arg0 +16: 0 of 0");
	assert_string_equal(found(t, "f", "node->next->all[3]"), "arg0 +8 +46: 2 of 2");
	assert_string_equal(found(t, "f", "*node->next"), "arg0 +8 +0: 72 of 72");
	assert_string_equal(found(t, "g", "*retval"), "result 0 +0: 72 of 72");
	assert_string_equal(found(t, "f", "*n"), "'n' is no pointer: leave out the '*'");
	assert_string_equal(found(t, "f", "*node->op"),
			    "'*node->op' cannot be shown: the types do not say what is there");
	assert_string_equal(found(t, "f", "node->nam"),
			    "struct node of the kernel has no member 'nam': did you mean 'name'?");
	assert_string_equal(found(t, "f", "node+1"), "'node+1' is no path");
	assert_string_equal(found(t, "f", "node->next->next->next->next->error"),
			    "'node->next->next->next->next->error' cannot be read: it is behind more than 3 pointers");
}

/* A module has types of its own, "struct port { struct node *node; }", and "int h(struct port *port)". */
static void modules_build_on_the_kernel(void **state)
{
	uint32_t node;
	int pointer;
	struct btf *kernel = btf_made(&node, &pointer), *module = btf__new_empty_split(kernel);
	const int port = btf__add_struct(module, "port", 16);
	AUTO(ktypes_free) struct ktypes *base = NULL;
	AUTO(ktypes_free) struct ktypes *t = NULL;
	int to_port, proto;

	btf__add_field(module, "node", pointer, 64, 0);
	to_port = btf__add_ptr(module, port);
	proto = btf__add_func_proto(module, 1);
	btf__add_func_param(module, "port", to_port);
	btf__add_func(module, "h", BTF_FUNC_STATIC, proto);
	assert_int_equal(ktypes_of_btf(kernel, &base, NULL), 0);
	assert_int_equal(ktypes_of_btf(module, &t, NULL), 0);
	assert_string_equal(found(t, "h [ports]", "*port->node"), "arg0 +8 +0: 72 of 72");
	assert_string_equal(found(t, "h [ports]", "port->node->name"), "arg0 +8 +16: 0 of 0");
	assert_string_equal(found(t, "h.constprop.0 [ports]", "*port"), "arg0 +0: 16 of 16");
	assert_string_equal(found(t, "f", "*node"), "arg0 +0: 72 of 72");
	assert_string_equal(found(base, "h [ports]", "*port"),
			    "the kernel's types say nothing of its function 'h [ports]': use arg0 to arg5");
}

/* A struct NAME with one number, MEMBER, at byte AT. */
static int add_struct(struct btf *btf, const char *name, const char *member, uint32_t at)
{
	const int id = btf__add_struct(btf, name, at + 4);

	assert_int_equal(btf__add_field(btf, member, 1, 8 * at, 0), 0);
	return id;
}

/* A function NAME, which is given a pointer to STRUCTURE called ARG. */
static void add_function(struct btf *btf, const char *name, const char *arg, int structure)
{
	const int pointer = btf__add_ptr(btf, structure), proto = btf__add_func_proto(btf, 1);

	assert_int_equal(btf__add_func_param(btf, arg, pointer), 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, proto) > 0);
}

/* As found(), of an XDP program: "its own" or "the kernel's" types before it. */
static const char *found_of_program(struct ktypes *own, struct ktypes *kernel, const char *what, const char *expr)
{
	static char text[ERR_TEXT_MAX];
	const struct load_program of = { own, kernel, 6, what };
	struct err e = ERR_INIT;
	struct ktypes_value v;
	struct ktypes *types;
	struct sb_load l;
	size_t n;

	if (load_of_program_print(expr, &of, &l, &types, &v, &e))
		return strcpy(text, e.text);
	n = (size_t)snprintf(text, sizeof(text), "%s: arg%u", types == kernel ? "the kernel's" : "its own", v.arg);
	for (unsigned int i = 0; i < v.hops; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " +%d", (int)l.offset[i]);
	snprintf(text + n, sizeof(text) - n, ": %u", v.bytes);
	return text;
}

/* What programs see as a struct xdp_md is a struct xdp_buff; all else is as their own types say. */
static void programs_have_types_of_their_own(void **state)
{
	struct btf *btf = btf__new_empty();
	AUTO(ktypes_free) struct ktypes *kernel = NULL;
	AUTO(ktypes_free) struct ktypes *own = NULL;
	int seen, given;

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_enum(btf, "bpf_prog_type", 4);
	btf__add_enum_value(btf, "BPF_PROG_TYPE_KPROBE", 2);
	btf__add_enum_value(btf, "BPF_PROG_TYPE_XDP", 6);
	seen = add_struct(btf, "xdp_md", "data", 0);
	given = add_struct(btf, "xdp_buff", "frame_sz", 40);
	btf__add_struct(btf, "bpf_ctx_convert", 64);
	btf__add_field(btf, "BPF_PROG_TYPE_KPROBE_prog", given, 0, 0);
	btf__add_field(btf, "BPF_PROG_TYPE_KPROBE_kern", seen, 0, 0);
	btf__add_field(btf, "BPF_PROG_TYPE_XDP_prog", seen, 0, 0);
	btf__add_field(btf, "BPF_PROG_TYPE_XDP_kern", given, 0, 0);
	assert_int_equal(ktypes_of_btf(btf, &kernel, NULL), 0);
	btf = btf__new_empty();
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	add_function(btf, "drops", "ctx", add_struct(btf, "xdp_md", "data", 0));
	add_function(btf, "sub", "rule", add_struct(btf, "rule", "level", 12));
	assert_int_equal(ktypes_of_btf(btf, &own, NULL), 0);
	assert_string_equal(found_of_program(own, kernel, "drops", "ctx"), "its own: arg0: 8");
	assert_string_equal(found_of_program(own, kernel, "drops", "*ctx"), "the kernel's: arg0 +0: 44");
	assert_string_equal(found_of_program(own, kernel, "drops", "ctx->frame_sz"), "the kernel's: arg0 +40: 4");
	assert_string_equal(found_of_program(own, kernel, "drops", "ctx->data"),
			    "struct xdp_buff of the kernel has no member 'data'");
	assert_string_equal(found_of_program(own, kernel, "sub", "*rule"), "its own: arg0 +0: 16");
	assert_string_equal(found_of_program(own, kernel, "sub", "rule->level"), "its own: arg0 +12: 4");
	assert_string_equal(found_of_program(own, NULL, "drops", "ctx->data"), "its own: arg0 +0: 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_written_by_their_types),
		cmocka_unit_test(what_is_asked_for_is_found),
		cmocka_unit_test(modules_build_on_the_kernel),
		cmocka_unit_test(programs_have_types_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
