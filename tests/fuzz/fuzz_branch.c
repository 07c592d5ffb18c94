/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_branch.c - any bytes as branch records: what is kept is bounded, parted, and shown as whole lines. */
#include "config.h"

#include "branch/entries.h"
#include "branch/sums.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Functions of 256 bytes, of which every fourth is of what takes the records. The bytes at CTX are a part of names. */
static bool fuzzed_find(void *ctx, uint64_t address, struct branch_symbol *ret)
{
	static char name[32];

	if (address >> 56 & 1)
		return false;
	snprintf(name, sizeof(name), "%s%.8s", address >> 8 & 3 ? "" : "bpf_trampoline_", (const char *)ctx);
	*ret = (struct branch_symbol){ name, address & ~0xffull, 256 };
	return true;
}

static void fuzzed_name(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret)
{
	(void)space;
	branch_records_place(ctx, address, ret);
}

/* What is written of CALL and S is lines, and as JSON objects. */
static void must_be_lines(const struct branch_symbols *symbols, const struct branch_call *call, struct branch_sums *s,
			  bool json)
{
	const struct branch_call_text of = { .function = "f", .args = symbols->ctx, .result = "" };
	struct branch_show show = { .name = fuzzed_name, .ctx = (void *)(uintptr_t)symbols, .json = json };
	char *text = NULL, *rest;
	size_t len = 0;

	show.out = open_memstream(&text, &len);
	must(show.out);
	must(branch_show_call(&show, call, &of) && branch_show_counts(&show, s) && branch_show_part(&show, s));
	fclose(show.out);
	must(len && text[len - 1] == '\n' && strlen(text) == len);
	for (char *line = strtok_r(text, "\n", &rest); json && line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL);

		must(json_is_object(o));
		json_decref(o);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char names[9] = "";
	const struct branch_symbols symbols = { .find = fuzzed_find, .ctx = names };
	struct branch_records_rules rules = { .symbols = &symbols };
	struct branch_records_figures f = { 0 };
	struct branch_call call = { .comm = "" };
	branch_sources sources = { 0 };
	struct branch_sums *s;
	size_t kept;

	if (size < 9)
		return 0;
	memcpy(names, data + 1, 8);
	rules.all = data[0] & 1;
	rules.kinds = data[0] >> 1 & 3;
	rules.function = data[0] & 8 ? names : NULL;
	if (branch_records_read(data + 9, size - 9, &rules, &call.branch, &f, NULL))
		return 0;
	must(f.kept + f.own + f.other + f.before + f.unused == f.entries && call.branch.n == f.kept + f.gaps);
	kept = call.branch.n;
	s = branch_sums_new();
	must(s && branch_sums_add(s, &call, SIDE_OTHER));
	must(branch_sources_add(&sources, call.branch.v, call.branch.n));
	branch_sources_sort(&sources);
	must(branch_sources_pass(&sources, &call.branch) && call.branch.n >= kept);
	must(branch_sums_add(s, &call, SIDE_MEETS));
	must_be_lines(&symbols, &call, s, false);
	must_be_lines(&symbols, &call, s, true);
	branch_sums_free(s);
	vec_free(&sources);
	vec_free(&call.branch);
	return 0;
}
