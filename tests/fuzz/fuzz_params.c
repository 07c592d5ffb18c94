/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_params.c - any bytes as an ELF file with debug information: what is found of parameters can be read.
 *
 * Corpus: members is made by gcc -g -O1 -c of
 *	struct s { int n; struct { char k; const char *t; }; struct s *next; char tag[8]; unsigned b : 3; long l[4]; };
 *	struct s *f(struct s *a, const char *b, int c, double d, struct s e) { return c ? a->next : 0; }
 * and stack, of the same, by -O0.
 */
#include "config.h"

#include "probe/functions.h"
#include "probe/site.h"
#include "symbol/codeplaces.h"
#include "symbol/params.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void look_at(struct params *p, uint64_t pc, const uint8_t reg[PARAM_ARGS])
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "retval", "arg0", "arg3" };
	static const struct param_step steps[][3] = {
		{ { PARAM_POINTER, "n", 0 } },
		{ { PARAM_POINTER, "next", 0 }, { PARAM_POINTER, "t", 0 } },
		{ { PARAM_POINTER, "l", 0 }, { PARAM_INDEX, "", 3 } },
		{ { PARAM_INDEX, "", 1 }, { PARAM_MEMBER, "tag", 0 } },
		{ { PARAM_POINTER, "next", 0 }, { PARAM_POINTER, "next", 0 }, { PARAM_POINTER, "b", 0 } },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++)
			for (uint32_t n = 0; n <= 3; n++)
				for (int text = 0; text < 2; text++) {
					struct err e = ERR_INIT;
					struct param_value v;

					if (n && !steps[s][n - 1].name)
						continue;
					if (params_find(p, pc, names[i], steps[s], n, text, reg, &v, &e)) {
						must(e.code && *e.text);
						continue;
					}
					must(v.hops <= PARAM_HOPS && (v.size == 1 || v.size == 2 || v.size == 4 ||
								      v.size == 8));
					must(!text || (v.hops && v.size == 1));
				}
}

static bool is_any(void *ctx, const char *name)
{
	(void)ctx;
	return *name;
}

static void look_for_places(struct params *p)
{
	code_places found = { 0 };
	struct err e = ERR_INIT;

	must(!code_places_inlined(p, is_any, NULL, &found, &e) || (e.code && *e.text));
	for (uint64_t line = 1; line < 4; line++)
		must(!code_places_of_line(p, "m.c", line, &found, &e) || (e.code && *e.text));
	for (size_t i = 0; i < found.n; i++)
		must(found.v[i].in);
	vec_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct spec_point all = { .kind = PROBE_ENTRY, .match = SPEC_WILDCARD, .name = "*" };
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *f = NULL;
	struct functions *functions = NULL;
	struct params *p = NULL;
	found_functions found = { 0 };
	uint8_t reg[PARAM_ARGS];

	for (unsigned int i = 0; i < PARAM_ARGS; i++)
		reg[i] = site_arg_register(EM_X86_64, i);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size && !elf_file_open(fd, &f, NULL) &&
	    !params_open(f, &p, NULL)) {
		look_at(p, 0, reg);
		look_for_places(p);
		if (!functions_new(f, NULL, &functions, NULL) && find_functions(functions, &all, &found, NULL) > 0)
			for (size_t i = 0; i < found.n && i < 4; i++)
				look_at(p, found.v[i].vaddr, reg);
	}
	vec_free(&found);
	functions_free(functions);
	params_free(p);
	elf_file_free(f);
	if (fd >= 0)
		close(fd);
	return 0;
}
