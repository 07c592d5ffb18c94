/* SPDX-License-Identifier: BSD-2-Clause */
/* find_places.c - places that debug information knows: lines, and inlined calls. See functions.h. */
#include "config.h"

#include "probe/functions_impl.h"

#include "base/cleanup.h"
#include "base/sorted.h"
#include "base/text.h"
#include "probe/site_arch.h"
#include "symbol/codeplaces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_BYTES_MAX (1u << 20)
#define PLACE_NAME_MAX 512u

/* The function of F that covers VADDR. */
static bool places_function(const struct functions *f, uint64_t vaddr, struct function_symbol *ret)
{
	size_t n = count_upto(f->symbol.v, f->symbol.n, vaddr, vaddr);

	for (; n; n--) {
		*ret = f->symbol.v[n - 1];
		if (vaddr - ret->vaddr < ret->size)
			return true;
		if (n > 1 && f->symbol.v[n - 2].vaddr != ret->vaddr)
			return false;
	}
	return false;
}

/*
 * Whether an instruction begins at VADDR of the function FN in FILE: debug information may be wrong, and a breakpoint
 * within an instruction would end the program.
 */
static bool places_begins(const struct elf_file *file, const struct function_symbol *fn, uint64_t offset,
			  uint64_t vaddr)
{
	const struct site_arch *arch = site_arch_of(file->eh.e_machine);
	AUTO_FREE uint8_t *bytes = arch && fn->size <= FUNCTION_BYTES_MAX ?
		elf_file_dup(file, offset, fn->size, FUNCTION_BYTES_MAX) : NULL;
	uint64_t at = 0;

	while (bytes && at < vaddr - fn->vaddr) {
		const struct site_effect f = arch->decode(bytes + at, fn->size - at);

		if (!f.size)
			return false;
		at += f.size;
	}
	return bytes && at == vaddr - fn->vaddr;
}

/* Keeps the place C of P. */
static int places_take(struct functions *f, const struct elf_file *file, const struct spec_point *p,
		       const struct code_place *c, found_functions *ret, struct err *e)
{
	struct found_function at = { .vaddr = c->vaddr, .names = 1, .inlined = c->inlined }, *slot;
	struct function_symbol fn;
	char name[PLACE_NAME_MAX];
	uint64_t offset;

	if (!places_function(f, c->vaddr, &fn) || !functions_offset(f, c->vaddr, &at.offset) ||
	    !functions_offset(f, fn.vaddr, &offset) || !places_begins(file, &fn, offset, c->vaddr))
		return 0;
	if (p->match == SPEC_LINE)
		text_format(name, sizeof(name), "%s:%" PRIu64 " in %s%s", p->name, p->number, c->in,
			    c->inlined ? ", inlined" : "");
	else
		text_format(name, sizeof(name), "%s inlined in %s", p->name, c->in);
	at.start = fn.vaddr;
	at.size = fn.size;
	at.symbol = f->text.v + fn.name;
	at.name = arena_strndup(&f->names, name, strlen(name));
	at.at_entry = at.vaddr == fn.vaddr && p->match == SPEC_LINE;
	slot = at.name ? vec_push(ret) : NULL;
	if (!slot)
		return err_nomem(e, "the functions to probe");
	*slot = at;
	return 0;
}

static bool places_is(void *ctx, const char *name)
{
	return functions_is_called(ctx, name);
}

int find_code_places(struct functions *f, const struct elf_file *file, struct params *d, const struct spec_point *p,
		     found_functions *ret, struct err *e)
{
	const size_t before = ret->n;
	code_places all = { 0 };
	int r = p->match == SPEC_LINE ? code_places_of_line(d, p->name, p->number, &all, e) :
		code_places_inlined(d, places_is, (void *)(uintptr_t)p, &all, e);

	for (size_t i = 0; !r && i < all.n; i++)
		r = places_take(f, file, p, &all.v[i], ret, e);
	vec_free(&all);
	if (!r && ret->n == before && p->match == SPEC_LINE)
		r = err_set(e, ENOENT, "the code of '%s:%" PRIu64 "' is in no function that is known", p->name,
			    p->number);
	if (r)
		ret->n = before;
	return r ? r : (int)(ret->n - before);
}
