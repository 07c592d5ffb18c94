/* SPDX-License-Identifier: BSD-2-Clause */
/* allocators.c - the table of allocation functions, and who defines them. */
#include "config.h"

#include "probe/allocators.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_BYTES_MAX (256u << 20)
#define CODE_MAX 65536u          /* of a function, that is looked at */
#define GO_MAGIC_1_18 0xfffffff0u        /* of .gopclntab, and what is later: arguments are in registers */
#define GO_MAGIC_1_20 0xfffffff1u
#define CALL_NEAR 0xe8
#define JUMP_NEAR 0xe9

/*
 * malloc(3), malloc_usable_size(3), the C++ standard's [new.delete], and jemalloc(3). C++ names as the
 * Itanium ABI mangles them on machines where size_t is unsigned long.
 */
static const struct allocator {
	const char *symbol;
	struct allocator_args args;
	bool cxx;                /* an operator */
	bool rare;               /* it is called so rarely that it may be taken for one that calls another one */
} allocator_table[] = {
	{ "malloc", { .size = 1 }, false, false },
	{ "calloc", { .size = 2, .times = 1 }, false, false },
	{ "realloc", { .old = 1, .size = 2 }, false, false },
	{ "reallocarray", { .old = 1, .size = 3, .times = 2 }, false, true },
	{ "memalign", { .size = 2 }, false, true },
	{ "aligned_alloc", { .size = 2 }, false, true },
	{ "posix_memalign", { .out = 1, .size = 3 }, false, true },
	{ "valloc", { .size = 1 }, false, true },
	{ "pvalloc", { .size = 1 }, false, true },
	{ "free", { .old = 1 }, false, false },
	{ "cfree", { .old = 1 }, false, false },
	{ "free_sized", { .old = 1 }, false, false },
	{ "free_aligned_sized", { .old = 1 }, false, false },
	{ "mallocx", { .size = 1 }, false, false },
	{ "rallocx", { .old = 1, .size = 2 }, false, false },
	{ "dallocx", { .old = 1 }, false, false },
	{ "sdallocx", { .old = 1 }, false, false },
	{ "_Znwm", { .size = 1 }, true, false },
	{ "_Znam", { .size = 1 }, true, false },
	{ "_ZnwmRKSt9nothrow_t", { .size = 1 }, true, false },
	{ "_ZnamRKSt9nothrow_t", { .size = 1 }, true, false },
	{ "_ZnwmSt11align_val_t", { .size = 1 }, true, false },
	{ "_ZnamSt11align_val_t", { .size = 1 }, true, false },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", { .size = 1 }, true, false },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", { .size = 1 }, true, false },
	{ "_ZdlPv", { .old = 1 }, true, false },
	{ "_ZdaPv", { .old = 1 }, true, false },
	{ "_ZdlPvm", { .old = 1 }, true, false },
	{ "_ZdaPvm", { .old = 1 }, true, false },
	{ "_ZdlPvRKSt9nothrow_t", { .old = 1 }, true, false },
	{ "_ZdaPvRKSt9nothrow_t", { .old = 1 }, true, false },
	{ "_ZdlPvSt11align_val_t", { .old = 1 }, true, false },
	{ "_ZdaPvSt11align_val_t", { .old = 1 }, true, false },
	{ "_ZdlPvmSt11align_val_t", { .old = 1 }, true, false },
	{ "_ZdaPvmSt11align_val_t", { .old = 1 }, true, false },
	{ "_ZdlPvSt11align_val_tRKSt9nothrow_t", { .old = 1 }, true, false },
	{ "_ZdaPvSt11align_val_tRKSt9nothrow_t", { .old = 1 }, true, false },
};

#define ALLOCATORS (sizeof(allocator_table) / sizeof(allocator_table[0]))

/* What allocators that are linked into programs beside the one of libc put before the names. */
static const char *const prefixes[] = { "je_", "_rjem_", "_rjem_je_", "mi_", "tc_" };

static const struct allocator *allocator_plain(const char *symbol)
{
	for (size_t i = 0; i < ALLOCATORS; i++)
		if (!strcmp(allocator_table[i].symbol, symbol))
			return &allocator_table[i];
	return NULL;
}

/* mallocgc(bytes, ...) of Go's runtime, to which all else in it comes that allocates what is collected. */
static const struct allocator allocator_go = { "runtime.mallocgc", { .size = 1 }, false, false };

static const struct allocator *allocator_of(const char *symbol)
{
	const struct allocator *a = allocator_plain(symbol);

	for (size_t i = 0; !a && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(symbol, prefixes[i], strlen(prefixes[i])))
			a = allocator_plain(symbol + strlen(prefixes[i]));
	return a;
}

#define OWN_ARGS_MAX 6u          /* arg0 to arg5: those that are in registers */

/* How many arguments those have that are like A, as far as somebody may have to say where they are. */
static unsigned int allocator_nr_args(const struct allocator *a)
{
	const uint8_t used[] = { a->args.size, a->args.times, a->args.old, a->args.out };
	unsigned int most = 0;

	for (size_t i = 0; i < sizeof(used); i++)
		most = used[i] > most ? used[i] : most;
	return most;
}

/* Reads "arg1,arg2)" at TEXT into AT: each number and 1. Returns how many there are; 0 = it is something else. */
static unsigned int own_allocator_places(const char *text, uint8_t at[OWN_ARGS_MAX])
{
	unsigned int n = 0;

	while (n < OWN_ARGS_MAX && !strncmp(text, "arg", 3) && text[3] >= '0' && text[3] < '0' + (int)OWN_ARGS_MAX) {
		at[n++] = (uint8_t)(text[3] - '0' + 1);
		if (!strcmp(text + 4, ")"))
			return n;
		if (text[4] != ',')
			return 0;
		text += 5;
	}
	return 0;
}

/* PLACES, those of A that are written as TEXT, into RET. */
static int own_allocator_args(const struct allocator *a, const char *text, const char *places,
			      struct allocator_args *ret, struct err *e)
{
	uint8_t at[OWN_ARGS_MAX + 1] = { 0 };
	const unsigned int n = own_allocator_places(places, at + 1), want = allocator_nr_args(a);

	if (!n)
		return err_set(e, EINVAL, "where an allocator has its arguments is written malloc(arg1), or "
			       "calloc(arg1,arg2), from arg0 to arg5, and '%.100s' is not", text);
	if (n != want)
		return err_set(e, EINVAL, "'%.100s' in an allocator names %u argument%s, and for %s it must be %u",
			       text, n, n == 1 ? "" : "s", a->symbol, want);
	for (unsigned int i = 1; i <= n; i++)
		for (unsigned int k = 1; k < i; k++)
			if (at[i] == at[k])
				return err_set(e, EINVAL, "'%.100s' in an allocator names arg%d twice", text,
					       at[i] - 1);
	*ret = (struct allocator_args){ .size = at[a->args.size], .times = at[a->args.times],
					.old = at[a->args.old], .out = at[a->args.out] };
	return 0;
}

int own_allocator_read(const char *text, struct own_allocator *ret, struct err *e)
{
	const char *is = strrchr(text, '='), *colon = is ? memrchr(text, ':', (size_t)(is - text)) : NULL;
	const size_t len = is ? strcspn(is + 1, "(") : 0;
	const struct allocator *like;
	struct allocator_args args;
	char name[32] = "";

	if (!colon || colon == text || colon + 1 == is)
		return err_set(e, EINVAL, "an allocator is written FILE:FUNCTION=malloc, and '%.100s' is not", text);
	if (len < sizeof(name))
		memcpy(name, is + 1, len);
	like = allocator_plain(name);
	if (!like || like->cxx)
		return err_set(e, EINVAL, "'%.100s' in an allocator is no function of malloc(3) that it may be like: "
			       "malloc, calloc, realloc, reallocarray, memalign, aligned_alloc, posix_memalign, "
			       "valloc, pvalloc, free", is + 1);
	args = like->args;
	if (is[1 + len] && own_allocator_args(like, is + 1, is + 2 + len, &args, e) < 0)
		return -EINVAL;
	*ret = (struct own_allocator){ .target = text, .target_len = (size_t)(colon - text), .function = colon + 1,
				       .function_len = (size_t)(is - colon - 1), .like = like->symbol, .args = args };
	return 0;
}

/* What was found in a file. */
struct allocators_in_file {
	const struct elf_file *file;
	const char *path;
	const struct own_allocator *own;         /* the N that somebody names */
	size_t n;
	allocator_functions *found;
	bool go;                 /* it is a program of Go */
	bool plain;              /* functions that are no operators, which these may forward to */
	bool nomem;
};

/* The one that somebody says SYMBOL to be; NULL = nobody does. */
static const struct own_allocator *allocators_own(const struct allocators_in_file *in, const char *symbol)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct own_allocator *o = &in->own[i];
		char target[PATH_MAX];

		if (strncmp(symbol, o->function, o->function_len) || symbol[o->function_len] ||
		    o->target_len >= sizeof(target))
			continue;
		memcpy(target, o->target, o->target_len);
		target[o->target_len] = '\0';
		if (probe_target_is(target, in->path))
			return o;
	}
	return NULL;
}

/* Adds the function of S, which is A, or OWN says so. */
static void allocators_add(struct allocators_in_file *in, const struct allocator *a, const struct own_allocator *own,
			   const Elf64_Sym *s)
{
	struct allocator_function *at;
	uint64_t offset;

	if (!elf_file_offset(in->file, s->st_value, &offset))
		return;
	for (size_t i = 0; i < in->found->n; i++)
		if (in->found->v[i].at.vaddr == s->st_value)
			return;
	at = vec_push(in->found);
	if (!at) {
		in->nomem = true;
		return;
	}
	*at = (struct allocator_function){
		.args = own ? own->args : a->args,
		.go = a == &allocator_go,
		.outer = a->rare || own,
		.own = own ? (uint32_t)(own - in->own) + 1 : 0,
		.at = { .vaddr = s->st_value, .offset = offset, .start = s->st_value, .size = s->st_size,
			.symbol = a->symbol, .name = a->symbol, .names = 1, .at_entry = true },
	};
	in->plain |= !a->cxx && !own && a != &allocator_go;
}

/* The defined functions in the table of TYPE; of CXX or not. */
static void allocators_in_table(struct allocators_in_file *in, uint32_t type, bool cxx)
{
	const Elf64_Shdr *table = elf_file_section_type(in->file, type);
	const Elf64_Shdr *names = table && table->sh_link < in->file->nr_sh ? &in->file->sh[table->sh_link] : NULL;
	struct elf_bytes symbols = { 0 }, text = { 0 };

	if (names && elf_file_bytes(in->file, table, SYMBOLS_BYTES_MAX, &symbols) &&
	    elf_file_bytes(in->file, names, SYMBOLS_BYTES_MAX, &text)) {
		for (size_t i = 0; i + sizeof(Elf64_Sym) <= symbols.len; i += sizeof(Elf64_Sym)) {
			const struct own_allocator *own;
			const struct allocator *a;
			const char *name;
			Elf64_Sym s;

			memcpy(&s, symbols.data + i, sizeof(s));
			/* What a resolver returns is not known from the file. */
			if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || s.st_name >= text.len)
				continue;
			name = (const char *)text.data + s.st_name;
			own = cxx ? NULL : allocators_own(in, name);
			a = own ? allocator_plain(own->like) : in->go && !strcmp(name, allocator_go.symbol) ?
				&allocator_go : allocator_of(name);
			if (a && a->cxx == cxx)
				allocators_add(in, a, own, &s);
		}
	}
	free(symbols.data);
	free(text.data);
}

/* Does FN call, or jump to, another one of IN? */
static bool allocators_calls(const struct allocators_in_file *in, const struct allocator_function *fn)
{
	const size_t len = fn->at.size < CODE_MAX ? fn->at.size : CODE_MAX;
	uint8_t *code = elf_file_dup(in->file, fn->at.offset, len, CODE_MAX);
	bool calls = false;

	if (in->file->eh.e_machine != EM_X86_64)
		return true;
	/* That other bytes look like a call of one of these addresses is next to impossible. */
	for (size_t i = 0; code && i + 5 <= len && !calls; i++) {
		int32_t to;

		if (code[i] != CALL_NEAR && code[i] != JUMP_NEAR)
			continue;
		memcpy(&to, code + i + 1, sizeof(to));
		for (size_t k = 0; k < in->found->n; k++)
			calls |= in->found->v[k].at.vaddr == fn->at.vaddr + i + 5 + (uint64_t)(int64_t)to &&
				in->found->v[k].args.size;
	}
	free(code);
	return calls;
}

bool allocators_are_go(const struct elf_file *file)
{
	const Elf64_Shdr *table = elf_file_section(file, ".gopclntab");
	uint8_t *head;
	uint32_t magic = 0;

	table = table ? table : elf_file_section(file, ".data.rel.ro.gopclntab");
	head = table && file->eh.e_machine == EM_X86_64 && table->sh_size >= sizeof(magic) ?
		elf_file_dup(file, table->sh_offset, sizeof(magic), sizeof(magic)) : NULL;
	if (head)
		memcpy(&magic, head, sizeof(magic));
	free(head);
	return magic == GO_MAGIC_1_18 || magic == GO_MAGIC_1_20;
}

int find_allocators(const struct elf_file *file, const char *path, const struct own_allocator *own, size_t n,
		    allocator_functions *ret, struct err *e)
{
	struct allocators_in_file in = { .file = file, .path = path, .own = own, .n = n, .found = ret,
					 .go = allocators_are_go(file) };

	allocators_in_table(&in, SHT_DYNSYM, false);
	allocators_in_table(&in, SHT_SYMTAB, false);
	/* Operators of a library that has no malloc() of its own are those of libstdc++, which call it. */
	if (in.plain) {
		allocators_in_table(&in, SHT_DYNSYM, true);
		allocators_in_table(&in, SHT_SYMTAB, true);
	}
	for (size_t i = 0; i < ret->n; i++)
		ret->v[i].outer |= ret->v[i].args.size && !ret->v[i].go && allocators_calls(&in, &ret->v[i]);
	return in.nomem ? err_nomem(e, "allocation functions") : 0;
}

bool find_go_allocator(const struct elf_file *file, const struct image *im, struct allocator_function *ret)
{
	const struct allocator *a = &allocator_go;
	uint64_t vaddr, size, offset;

	if (!allocators_are_go(file) || !image_go_function(im, a->symbol, &vaddr, &size) ||
	    !elf_file_offset(file, vaddr, &offset))
		return false;
	*ret = (struct allocator_function){
		.args = a->args, .go = true,
		.at = { .vaddr = vaddr, .offset = offset, .start = vaddr, .size = size,
			.symbol = a->symbol, .name = a->symbol, .names = 1, .at_entry = true },
	};
	return true;
}
