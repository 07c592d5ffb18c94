/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elfsyms.c - collect, sort, keep one name per address, close the gaps.
 *
 * Every source pours its symbols into one array. It is sorted by address with the best name first,
 * so keeping the first of each address chooses. What is left may nest (a label inside a function):
 * spans.h finds the innermost.
 */
#include "config.h"

#include "symbol/elfsyms.h"

#include "base/order.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "symbol/ehframe.h"
#include "symbol/plt.h"
#include "symbol/spans.h"
#include "symbol/symver.h"
#include "symbol/xz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX (16u << 20)
#define STRINGS_MAX (1u << 30)
#define DYNSYM_MAX (64u << 20)           /* bytes of it that are read for the names of PLT entries */
#define DEBUGDATA_MAX (256u << 20)       /* unpacked */
#define NAME_MAX_LEN 65535u
#define CHUNK 1024u                      /* symbols read at a time */
#define NONE UINT32_MAX

enum source {                            /* best first */
	SOURCE_SYMTAB,
	SOURCE_DEBUGDATA,
	SOURCE_DYNSYM,
	SOURCE_PLT,
};

struct elf_syms {
	spans span;                      /* value = name, offset in text */
	uint32_t *user;                  /* of each span */
	char *text;
	size_t text_len;
	size_t damaged;
};

struct raw {
	uint64_t addr;
	uint32_t size, name;
	uint8_t source;
	/* 1 = worse; OLD: of a version that nothing is linked against any more ("cfree" is free to old programs) */
	uint8_t local, old, weak, label;
	uint8_t underscores;
};

struct range {
	uint64_t start, end;
};

struct builder {
	VEC(struct raw) raw;
	VEC(char) text;
	VEC(struct range) code;          /* executable sections, by address */
	const struct elf_file *file;
	struct symvers *versions;        /* NULL = none */
	struct fde_starts *starts;       /* NULL = none, or not needed */
	struct elf_bytes dynsym, dynstr;
	struct elf_bytes versym;         /* the versions of .dynsym, while that is added; empty = there are none */
	size_t damaged;
	bool nomem;
};

static int cmp_range(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	return compare_numbers(a->start, b->start);
}

static void add_code(struct builder *b, uint64_t start, uint64_t size)
{
	struct range *r = size && size <= UINT64_MAX - start ? vec_push(&b->code) : NULL;

	if (r)
		*r = (struct range){ start, start + size };
}

/* Where code is: executable sections, or executable segments when there are no section headers. */
static void find_code(struct builder *b)
{
	const struct elf_file *f = b->file;

	for (size_t i = 0; i < f->nr_sh; i++)
		if (f->sh[i].sh_flags & SHF_EXECINSTR)
			add_code(b, f->sh[i].sh_addr, f->sh[i].sh_size);
	for (size_t i = 0; i < f->nr_ph && !b->code.n; i++)
		if (f->ph[i].p_type == PT_LOAD && (f->ph[i].p_flags & PF_X))
			add_code(b, f->ph[i].p_vaddr, f->ph[i].p_memsz);
	if (b->code.n)
		qsort(b->code.v, b->code.n, sizeof(*b->code.v), cmp_range);
}

/* The end of the code that holds ADDR; 0 = it is not code. */
static uint64_t code_end(const struct builder *b, uint64_t addr)
{
	const size_t n = count_upto(b->code.v, b->code.n, start, addr);

	return n && addr < b->code.v[n - 1].end ? b->code.v[n - 1].end : 0;
}

/* Appends LEN bytes of S and SUFFIX to the text; returns where, NONE when that fails. */
static uint32_t elfsyms_add_text(struct builder *b, const char *s, size_t len, const char *suffix)
{
	const size_t suffix_len = strlen(suffix), at = b->text.n;

	if (at + len + suffix_len + 1 > STRINGS_MAX)
		return NONE;
	if (!vec_reserve(&b->text, len + suffix_len + 1)) {
		b->nomem = true;
		return NONE;
	}
	memcpy(b->text.v + at, s, len);
	memcpy(b->text.v + at + len, suffix, suffix_len + 1);
	b->text.n += len + suffix_len + 1;
	return (uint32_t)at;
}

static uint8_t leading_underscores(const char *s)
{
	uint8_t n = 0;

	while (n < UINT8_MAX && s[n] == '_')
		n++;
	return n;
}

/* R is complete but for its name. */
static void add_raw(struct builder *b, struct raw r, const char *name, size_t len, const char *suffix)
{
	struct raw *slot;

	r.underscores = leading_underscores(name);
	r.name = elfsyms_add_text(b, name, len, suffix);
	slot = r.name != NONE && b->raw.n < SYMBOLS_MAX ? vec_push(&b->raw) : NULL;
	if (slot)
		*slot = r;
	else
		b->damaged++;
}

/*
 * The length of NAME from a table of SOURCE without its symbol version, which only .symtab has;
 * names are cut at NAME_MAX_LEN.
 */
static size_t elfsyms_name_len(const struct builder *b, const char *name, enum source source)
{
	const size_t len = strnlen(name, NAME_MAX_LEN);

	return source == SOURCE_SYMTAB || source == SOURCE_DEBUGDATA ? symvers_cut(b->versions, name, len) : len;
}

static bool is_code_symbol(const struct builder *b, const Elf64_Sym *s, const char *name)
{
	const unsigned int type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || !*name || !code_end(b, s->st_value))
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Labels of hand-written assembly; not those of the assembler and of ARM's code/data marks. */
	return type == STT_NOTYPE && name[0] != '$' && strncmp(name, ".L", 2);
}

/* Is NAME, of which LEN bytes stand before its version, one of "name@VERSION", not "name@@VERSION"? */
static bool is_old_name(const char *name, size_t len)
{
	return name[len] == '@' && name[len + 1] != '@';
}

/* The same for the symbol INDEX of .dynsym (VERSYM_HIDDEN of binutils' elf/common.h). */
static bool is_old_dynsym(const struct builder *b, uint64_t index)
{
	Elf64_Versym v;

	if (index >= b->versym.len / sizeof(v))
		return false;
	memcpy(&v, b->versym.data + index * sizeof(v), sizeof(v));
	return v & 0x8000;
}

static void add_symbol(struct builder *b, const Elf64_Sym *s, uint64_t index, const struct elf_bytes *str,
		       enum source source)
{
	struct raw r = { .addr = s->st_value, .source = source };
	const char *name;
	size_t len;

	if (s->st_name >= str->len) {
		b->damaged++;
		return;
	}
	name = (const char *)str->data + s->st_name;
	if (!is_code_symbol(b, s, name))
		return;
	r.size = s->st_size < UINT32_MAX ? (uint32_t)s->st_size : UINT32_MAX;
	r.local = ELF64_ST_BIND(s->st_info) == STB_LOCAL;
	r.weak = ELF64_ST_BIND(s->st_info) == STB_WEAK;
	r.label = ELF64_ST_TYPE(s->st_info) == STT_NOTYPE;
	len = elfsyms_name_len(b, name, source);
	r.old = source == SOURCE_DYNSYM ? is_old_dynsym(b, index) : is_old_name(name, len);
	add_raw(b, r, name, len, "");
}

static void add_symbols(struct builder *b, const struct elf_file *f, const Elf64_Shdr *sh, const struct elf_bytes *str,
			enum source source)
{
	const uint64_t nr = sh->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym chunk[CHUNK];

	for (uint64_t at = 0; at < nr && at < SYMBOLS_MAX && !b->nomem; at += CHUNK) {
		const size_t n = nr - at < CHUNK ? (size_t)(nr - at) : CHUNK;

		if (!elf_file_read(f, sh->sh_offset + at * sizeof(Elf64_Sym), chunk, n * sizeof(Elf64_Sym))) {
			b->damaged++;
			return;
		}
		for (size_t i = 0; i < n; i++)
			add_symbol(b, &chunk[i], at + i, str, source);
	}
}

/* The symbol table of TYPE in F; true when there is one that can be read. */
static bool add_table(struct builder *b, const struct elf_file *f, uint32_t type, enum source source)
{
	const Elf64_Shdr *sh = elf_file_section_type(f, type), *versions;
	struct elf_bytes str;

	if (!sh || sh->sh_type == SHT_NOBITS || sh->sh_entsize != sizeof(Elf64_Sym) || sh->sh_link >= f->nr_sh)
		return false;
	if (!elf_file_bytes(f, &f->sh[sh->sh_link], STRINGS_MAX, &str)) {
		b->damaged++;
		return false;
	}
	versions = type == SHT_DYNSYM ? elf_file_section_type(f, SHT_GNU_versym) : NULL;
	if (versions && !elf_file_bytes(f, versions, DYNSYM_MAX, &b->versym))
		b->damaged++;
	add_symbols(b, f, sh, &str, source);
	free(take_ptr(b->versym.data));
	b->versym.len = 0;
	free(str.data);
	return true;
}

/* .gnu_debugdata is an ELF file in an xz stream whose .symtab holds what .dynsym lacks. */
static void add_debugdata(struct builder *b)
{
	const Elf64_Shdr *sh = elf_file_section(b->file, ".gnu_debugdata");
	AUTO(elf_file_free) struct elf_file *inner = NULL;
	AUTO_FREE uint8_t *packed = NULL, *plain = NULL;
	struct elf_bytes bytes;
	size_t len;

	if (!sh)
		return;
	if (elf_file_bytes(b->file, sh, DEBUGDATA_MAX, &bytes)) {
		packed = bytes.data;
		plain = xz_unpack(packed, bytes.len, DEBUGDATA_MAX, &len);
	}
	if (!plain || elf_file_memory(plain, len, &inner, NULL) || !add_table(b, inner, SHT_SYMTAB, SOURCE_DEBUGDATA))
		b->damaged++;
}

static void add_plt_entry(void *ctx, uint64_t vaddr, uint32_t size, uint32_t index)
{
	const struct raw r = { .addr = vaddr, .size = size, .source = SOURCE_PLT };
	struct builder *b = ctx;
	const char *name;
	Elf64_Sym s;

	if (index >= b->dynsym.len / sizeof(s)) {
		b->damaged++;
		return;
	}
	memcpy(&s, (const uint8_t *)b->dynsym.data + index * sizeof(s), sizeof(s));
	if (s.st_name >= b->dynstr.len) {
		b->damaged++;
		return;
	}
	name = (const char *)b->dynstr.data + s.st_name;
	add_raw(b, r, name, elfsyms_name_len(b, name, SOURCE_PLT), "@plt");
}

static void add_plt(struct builder *b)
{
	const struct elf_file *f = b->file;
	const Elf64_Shdr *sh = elf_file_section_type(f, SHT_DYNSYM);

	if (!sh || sh->sh_link >= f->nr_sh || !elf_file_bytes(f, sh, DYNSYM_MAX, &b->dynsym))
		return;
	if (elf_file_bytes(f, &f->sh[sh->sh_link], STRINGS_MAX, &b->dynstr)) {
		plt_entries(f, add_plt_entry, b);
		free(b->dynstr.data);
	}
	free(b->dynsym.data);
}

/* By address; of equal ones the better name first. */
static int cmp_raw(const void *va, const void *vb, void *text)
{
	const struct raw *a = va, *b = vb;
	size_t a_len, b_len;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->label != b->label)
		return a->label - b->label;
	if (a->source != b->source)
		return a->source - b->source;
	if (a->local != b->local)
		return a->local - b->local;
	if (a->old != b->old)
		return a->old - b->old;
	if (a->underscores != b->underscores)
		return a->underscores - b->underscores;
	if (a->weak != b->weak)
		return a->weak - b->weak;
	a_len = strlen((const char *)text + a->name);
	b_len = strlen((const char *)text + b->name);
	return a_len != b_len ? compare_numbers(b_len, a_len) : strcmp((const char *)text + a->name,
		(const char *)text + b->name);
}

/* Keeps one symbol of each address, and no label that lies inside a function. */
static void elfsyms_choose(struct builder *b)
{
	uint64_t inside = 0;
	size_t kept = 0;

	for (size_t i = 0; i < b->raw.n; i++) {
		const struct raw *r = &b->raw.v[i];

		if (kept && b->raw.v[kept - 1].addr == r->addr)
			continue;
		if (!r->size && r->addr < inside)
			continue;
		if (r->size && r->addr + r->size > inside)
			inside = r->addr + r->size;
		b->raw.v[kept++] = *r;
	}
	b->raw.n = kept;
}

/*
 * How far the symbol at I reaches: without a size to the next one, or to where unwind tables say
 * that another function begins.
 */
static uint32_t elfsyms_extent(const struct builder *b, size_t i)
{
	const struct raw *r = &b->raw.v[i];
	uint64_t end = code_end(b, r->addr);

	if (r->size)
		return r->size;
	if (r->source != SOURCE_SYMTAB && r->source != SOURCE_DEBUGDATA)
		return 1;
	if (i + 1 < b->raw.n && b->raw.v[i + 1].addr < end)
		end = b->raw.v[i + 1].addr;
	end = fde_starts_bound(b->starts, r->addr, end);
	return end - r->addr < UINT32_MAX ? (uint32_t)(end - r->addr) : UINT32_MAX;
}

/* Is there a symbol that reaches as far as nobody says? */
static bool any_open(const struct builder *b)
{
	for (size_t i = 0; i < b->raw.n; i++)
		if (!b->raw.v[i].size && (b->raw.v[i].source == SOURCE_SYMTAB ||
					  b->raw.v[i].source == SOURCE_DEBUGDATA))
			return true;
	return false;
}

static bool add_spans(const struct builder *b, spans *to)
{
	for (size_t i = 0; i < b->raw.n; i++) {
		const uint64_t start = b->raw.v[i].addr, size = elfsyms_extent(b, i);

		if (!spans_add(to, start, size <= UINT64_MAX - start ? start + size : UINT64_MAX, b->raw.v[i].name))
			return false;
	}
	spans_seal(to);
	return true;
}

static int elfsyms_finish(struct builder *b, struct elf_syms **ret, struct err *e)
{
	AUTO(elf_syms_free) struct elf_syms *s = calloc(1, sizeof(*s));

	if (b->raw.n)
		qsort_r(b->raw.v, b->raw.n, sizeof(*b->raw.v), cmp_raw, b->text.v);
	elfsyms_choose(b);
	if (any_open(b))
		b->starts = fde_starts_new(b->file);
	if (s)
		s->user = calloc(b->raw.n + 1, sizeof(*s->user));
	if (!s || !s->user || b->nomem || !vec_reserve(&s->span, b->raw.n) || !add_spans(b, &s->span))
		return err_nomem(e, "a symbol table");
	s->text_len = b->text.n;
	s->text = take_ptr(b->text.v);
	s->damaged = b->damaged;
	*ret = take_ptr(s);
	return 0;
}

bool elf_syms_complete(const struct elf_file *file)
{
	const Elf64_Shdr *sh = elf_file_section_type(file, SHT_SYMTAB);

	return sh && sh->sh_size > sizeof(Elf64_Sym);
}

int elf_syms_new(const struct elf_file *file, const struct elf_file *debug, struct elf_syms **ret, struct err *e)
{
	struct builder b = { .file = file };
	int rc;

	find_code(&b);
	b.versions = symvers_new(file);
	if (!add_table(&b, file, SHT_SYMTAB, SOURCE_SYMTAB) &&
	    !(debug && add_table(&b, debug, SHT_SYMTAB, SOURCE_SYMTAB)))
		add_debugdata(&b);
	add_table(&b, file, SHT_DYNSYM, SOURCE_DYNSYM);
	add_plt(&b);
	rc = elfsyms_finish(&b, ret, e);
	fde_starts_free(b.starts);
	symvers_free(b.versions);
	vec_free(&b.raw);
	vec_free(&b.text);
	vec_free(&b.code);
	return rc;
}

void elf_syms_free(struct elf_syms *s)
{
	if (!s)
		return;
	vec_free(&s->span);
	free(s->user);
	free(s->text);
	free(s);
}

bool elf_syms_find(const struct elf_syms *s, uint64_t vaddr, struct elf_sym *ret)
{
	const struct span *at = spans_find(&s->span, vaddr);

	if (at)
		*ret = (struct elf_sym){ .start = at->start, .size = at->end - at->start, .name = s->text + at->value,
					 .user = &s->user[at - s->span.v] };
	return at;
}

size_t elf_syms_count(const struct elf_syms *s)
{
	return s->span.n;
}

size_t elf_syms_damaged(const struct elf_syms *s)
{
	return s->damaged;
}

size_t elf_syms_bytes(const struct elf_syms *s)
{
	return sizeof(*s) + s->span.cap * sizeof(*s->span.v) + (s->span.n + 1) * sizeof(*s->user) + s->text_len;
}
