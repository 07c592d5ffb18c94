/* SPDX-License-Identifier: BSD-2-Clause */
/* functions.c - reads the symbols of a file, with all names of an address. find_functions.c looks for some of them. */
#include "config.h"

#include "probe/functions_impl.h"

#include "base/sorted.h"
#include "symbol/symver.h"
#include "symbol/xz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRINGS_MAX (1u << 30) /* bytes of a string table */
#define TEXT_MAX (512u << 20) /* bytes of all names */
#define SYMBOLS_MAX (8u << 20)
#define DEBUGDATA_MAX (256u << 20) /* unpacked */
#define CHUNK 1024u /* symbols read at a time */
#define NAME_BYTES_MAX 65535u

static void note_code(struct functions *f, const struct elf_file *file)
{
	for (size_t i = 0; i < file->nr_ph; i++) {
		const Elf64_Phdr *ph = &file->ph[i];
		struct code_range *r;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || ph->p_filesz > UINT64_MAX - ph->p_vaddr ||
		    ph->p_filesz > UINT64_MAX - ph->p_offset)
			continue;
		r = vec_push(&f->code);
		if (r)
			*r = (struct code_range){ ph->p_vaddr, ph->p_vaddr + ph->p_filesz, ph->p_offset };
		else
			f->nomem = true;
	}
}

bool functions_offset(const struct functions *f, uint64_t vaddr, uint64_t *ret)
{
	for (size_t i = 0; i < f->code.n; i++) {
		if (vaddr < f->code.v[i].start || vaddr >= f->code.v[i].end)
			continue;
		*ret = vaddr - f->code.v[i].start + f->code.v[i].offset;
		return true;
	}
	return false;
}

bool functions_vaddr(const struct functions *f, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < f->code.n; i++) {
		const struct code_range *r = &f->code.v[i];

		if (offset < r->offset || offset - r->offset >= r->end - r->start)
			continue;
		*ret = offset - r->offset + r->start;
		return true;
	}
	return false;
}

static void functions_add(struct functions *f, const struct symvers *versions, const Elf64_Sym *s,
			  const struct elf_bytes *str)
{
	const unsigned int type = ELF64_ST_TYPE(s->st_info);
	struct function_symbol *slot;
	const char *name;
	uint64_t offset;
	size_t len;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s->st_shndx == SHN_UNDEF)
		return;
	if (s->st_name >= str->len || !functions_offset(f, s->st_value, &offset)) {
		f->damaged++;
		return;
	}
	name = (const char *)str->data + s->st_name;
	len = symvers_cut(versions, name, strnlen(name, NAME_BYTES_MAX));
	if (!len)
		return;
	if (f->symbol.n == SYMBOLS_MAX || f->text.n + len + 1 > TEXT_MAX) {
		f->damaged++;
		return;
	}
	slot = vec_reserve(&f->text, len + 1) ? vec_push(&f->symbol) : NULL;
	if (!slot) {
		f->nomem = true;
		return;
	}
	*slot = (struct function_symbol){
		.vaddr = s->st_value, .size = s->st_size, .name = (uint32_t)f->text.n, .resolver = type == STT_GNU_IFUNC
	};
	memcpy(f->text.v + f->text.n, name, len);
	f->text.v[f->text.n + len] = '\0';
	f->text.n += len + 1;
}

/* Reads the symbol table of TYPE in FILE; false when there is none that can be read. */
static bool functions_table(struct functions *f, const struct elf_file *file, const struct symvers *versions,
			    uint32_t type)
{
	const Elf64_Shdr *sh = elf_file_section_type(file, type);
	AUTO_FREE uint8_t *owned = NULL;
	struct elf_bytes str;
	Elf64_Sym chunk[CHUNK];
	uint64_t nr;

	if (!sh || sh->sh_type == SHT_NOBITS || sh->sh_entsize != sizeof(Elf64_Sym) || sh->sh_link >= file->nr_sh)
		return false;
	if (!elf_file_bytes(file, &file->sh[sh->sh_link], STRINGS_MAX, &str)) {
		f->damaged++;
		return false;
	}
	owned = str.data;
	nr = sh->sh_size / sizeof(Elf64_Sym);
	for (uint64_t at = 0; at < nr && !f->nomem && f->symbol.n < SYMBOLS_MAX; at += CHUNK) {
		const size_t n = nr - at < CHUNK ? (size_t)(nr - at) : CHUNK;

		if (!elf_file_read(file, sh->sh_offset + at * sizeof(Elf64_Sym), chunk, n * sizeof(Elf64_Sym))) {
			f->damaged++;
			break;
		}
		for (size_t i = 0; i < n; i++)
			functions_add(f, versions, &chunk[i], &str);
	}
	return true;
}

/* .gnu_debugdata is an ELF file in an xz stream whose .symtab holds what .dynsym lacks. */
static void functions_debugdata(struct functions *f, const struct elf_file *file, const struct symvers *versions)
{
	const Elf64_Shdr *sh = elf_file_section(file, ".gnu_debugdata");
	AUTO(elf_file_free) struct elf_file *inner = NULL;
	AUTO_FREE uint8_t *packed = NULL, *plain = NULL;
	struct elf_bytes bytes;
	size_t len = 0;

	if (!sh)
		return;
	if (elf_file_bytes(file, sh, DEBUGDATA_MAX, &bytes)) {
		packed = bytes.data;
		plain = xz_unpack(packed, bytes.len, DEBUGDATA_MAX, &len);
	}
	if (!plain || elf_file_memory(plain, len, &inner, NULL) || !functions_table(f, inner, versions, SHT_SYMTAB))
		f->damaged++;
}

static int cmp_function(const void *va, const void *vb, void *text)
{
	const struct function_symbol *a = va, *b = vb;

	if (a->vaddr != b->vaddr)
		return a->vaddr > b->vaddr ? 1 : -1;
	return strcmp((const char *)text + a->name, (const char *)text + b->name);
}

/* By address and name, each once: a function of .dynsym is in .symtab too. */
static void functions_sort(struct functions *f)
{
	size_t kept = 0;

	if (!f->symbol.n)
		return;
	qsort_r(f->symbol.v, f->symbol.n, sizeof(*f->symbol.v), cmp_function, f->text.v);
	for (size_t i = 0; i < f->symbol.n; i++)
		if (!kept || cmp_function(&f->symbol.v[kept - 1], &f->symbol.v[i], f->text.v))
			f->symbol.v[kept++] = f->symbol.v[i];
	f->symbol.n = kept;
}

int functions_new(const struct elf_file *file, const struct elf_file *debug, struct functions **ret, struct err *e)
{
	AUTO(symvers_free) struct symvers *versions = symvers_new(file);
	struct functions *f = calloc(1, sizeof(*f));

	if (!f)
		return err_nomem(e, "the functions of a file");
	note_code(f, file);
	if (!functions_table(f, file, versions, SHT_SYMTAB)) {
		if (debug)
			functions_table(f, debug, versions, SHT_SYMTAB);
		functions_debugdata(f, file, versions);
	}
	functions_table(f, file, NULL, SHT_DYNSYM);
	if (f->nomem) {
		functions_free(f);
		return err_nomem(e, "the functions of a file");
	}
	functions_sort(f);
	*ret = f;
	return 0;
}

void functions_free(struct functions *f)
{
	if (!f)
		return;
	vec_free(&f->symbol);
	vec_free(&f->text);
	vec_free(&f->code);
	arena_reset(&f->names);
	free(f);
}

/* Where the suffix of an unlikely part begins in SYMBOL; NULL = it has none. */
static const char *cold_suffix(const char *symbol)
{
	static const char cold[] = ".cold";
	const char *at = strstr(symbol, cold), *behind = at ? at + strlen(cold) : NULL;

	if (at && (!*behind || (*behind == '.' && strspn(behind + 1, "0123456789") == strlen(behind + 1))))
		return at;
	return NULL;
}

bool functions_is_cold(const char *symbol)
{
	return cold_suffix(symbol);
}

/* Whether NAME is that of an unlikely part of the function called OF. */
static bool is_cold_name(const char *name, const char *of)
{
	const size_t len = strlen(of);

	return !strncmp(name, of, len) && cold_suffix(name) == name + len;
}

/* The same, of any function that begins at START. */
static bool is_cold_of(const struct functions *f, const char *name, uint64_t start)
{
	for (size_t i = count_upto(f->symbol.v, f->symbol.n, vaddr, start); i && f->symbol.v[i - 1].vaddr == start; i--)
		if (is_cold_name(name, f->text.v + f->symbol.v[i - 1].name))
			return true;
	return false;
}

bool functions_cold_part(const struct functions *f, uint64_t start, uint64_t vaddr, struct function_part *ret)
{
	size_t i = count_upto(f->symbol.v, f->symbol.n, vaddr, vaddr);
	const uint64_t begin = i ? f->symbol.v[i - 1].vaddr : 0;

	for (; i && f->symbol.v[i - 1].vaddr == begin; i--) {
		const struct function_symbol *s = &f->symbol.v[i - 1];

		if (vaddr - begin >= s->size || !is_cold_of(f, f->text.v + s->name, start))
			continue;
		ret->vaddr = begin;
		ret->size = s->size;
		return functions_offset(f, begin, &ret->offset);
	}
	return false;
}

bool functions_begin_in(const struct functions *f, uint64_t vaddr, uint64_t size)
{
	const size_t i = vaddr ? count_upto(f->symbol.v, f->symbol.n, vaddr, vaddr - 1) : 0;

	return i < f->symbol.n && f->symbol.v[i].vaddr - vaddr < size;
}

bool functions_inside(const struct functions *f, uint64_t vaddr)
{
	size_t i = count_upto(f->symbol.v, f->symbol.n, vaddr, vaddr);
	const uint64_t begin = i ? f->symbol.v[i - 1].vaddr : vaddr;

	for (; begin != vaddr && i && f->symbol.v[i - 1].vaddr == begin; i--)
		if (vaddr - begin < f->symbol.v[i - 1].size)
			return true;
	return false;
}

size_t functions_damaged(const struct functions *f)
{
	return f->damaged;
}
