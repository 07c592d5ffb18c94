/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_elf.c - any bytes as an ELF file: symbols, PLT names and .gnu_debugdata; what is found lies
 * where it says.
 *
 * Corpus: plt and plain are made of
 *	extern int f(int), g(int); static int h(int x) { return f(x) + 1; } int api(int x) { return h(x) * g(x); }
 * by gcc -O1 -fno-inline -shared -fPIC -nostdlib -Wl,-z,noseparate-code,-z,lazy,--build-id=sha1
 * (plt also -fcf-protection), and mini is plain after strip, with the xz of its symbols as
 * .gnu_debugdata (objcopy --add-section).
 */
#include "config.h"

#include "probe/functions.h"
#include "probe/usdt.h"
#include "symbol/ehframe.h"
#include "symbol/elfsyms.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void look(const struct elf_syms *s, uint64_t vaddr)
{
	struct elf_sym sym;

	if (elf_syms_find(s, vaddr, &sym))
		must(vaddr - sym.start < sym.size && strlen(sym.name) < (1u << 17) && !*sym.user);
}

static void look_starts(const struct elf_file *f, size_t size)
{
	struct fde_starts *t = fde_starts_new(f);
	struct fde_start at;
	uint64_t vaddr;

	for (uint64_t offset = 0; t && offset < size; offset += 5)
		if (elf_file_vaddr(f, offset, &vaddr) && fde_starts_find(t, vaddr, &at))
			must(vaddr - at.start < at.size && !*at.user);
	fde_starts_free(t);
}

/* What probes find in it lies in its code. */
static void look_for_probes(const struct elf_file *f, size_t size)
{
	const struct spec_point all = { .kind = PROBE_ENTRY, .match = SPEC_WILDCARD, .name = "*" };
	found_functions found = { 0 };
	struct functions *functions;
	usdt_sites sites = { 0 };

	if (!functions_new(f, f, &functions, NULL)) {
		find_functions(functions, &all, &found, NULL);
		for (size_t i = 0; i < found.n; i++)
			must(found.v[i].offset < size && *found.v[i].symbol && *found.v[i].name);
		vec_free(&found);
		functions_free(functions);
	}
	find_usdt(f, NULL, &sites, NULL, NULL);
	for (size_t i = 0; i < sites.n; i++)
		must(sites.v[i].offset < size && sites.v[i].semaphore < size && sites.v[i].nr_args <= USDT_ARGS_MAX);
	vec_free(&sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[BUILD_ID_MAX];
	struct elf_syms *s = NULL;
	struct elf_file *f;
	uint64_t vaddr;

	if (elf_file_memory(data, size, &f, NULL))
		return 0;
	must(elf_file_build_id(f, id) <= BUILD_ID_MAX);
	look_for_probes(f, size);
	if (!elf_syms_new(f, f, &s, NULL)) {
		for (uint64_t offset = 0; offset < size; offset += 5)
			if (elf_file_vaddr(f, offset, &vaddr))
				look(s, vaddr);
		for (size_t i = 0; i < f->nr_sh && i < 64; i++)
			look(s, f->sh[i].sh_addr);
		look(s, UINT64_MAX);
		look(s, 0);
		must(elf_syms_bytes(s) >= elf_syms_count(s));
	}
	elf_syms_free(s);
	look_starts(f, size);
	elf_file_free(f);
	return 0;
}
