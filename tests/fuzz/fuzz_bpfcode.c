/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_bpfcode.c - any bytes as what the kernel says of a BPF program: its code, functions, lines and types (BTF), and
 * jumps of a call of it. Whatever it is, code is within its bytes, texts end, and branches are bounded.
 *
 * The bytes are a head of eight, then functions of twelve (address, size), numbers of types, lines of sixteen with
 * addresses, jumps of four, 128 bytes of code, and types to the end.
 */
#include "config.h"

#include "branch/jumps.h"
#include "probe/leaves.h"
#include "system/bpfcode.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 4u
#define LINES 16u
#define JUMPS 16u
#define CODE 128u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

struct input {
	const uint8_t *at;
	size_t left;
};

/* The next N bytes to TO; zeros behind the end. */
static void take(struct input *in, void *to, size_t n)
{
	const size_t some = n < in->left ? n : in->left;

	memset(to, 0, n);
	memcpy(to, in->at, some);
	in->at += some;
	in->left -= some;
}

static bool fuzzed_read(void *ctx, uint64_t address, void *to, size_t n)
{
	const struct bpfcode_function *f = bpfcode_find(ctx, address);

	if (!f || n > f->size - (address - f->address))
		return false;
	memcpy(to, f->bytes + (address - f->address), n);
	return true;
}

static bool fuzzed_find(void *ctx, uint64_t address, const char **ret_name, uint64_t *ret_start, uint64_t *ret_size)
{
	const struct bpfcode_function *f = bpfcode_find(ctx, address);

	if (!f)
		return false;
	*ret_name = f->name;
	*ret_start = f->address;
	*ret_size = f->size;
	return true;
}

/* Follows the N JUMPS through the blocks of F. */
static void follow(const struct bpfcode *c, const struct bpfcode_function *f, struct branch_jump *jumps, size_t n, bool
		   cut)
{
	const struct leaves_kernel kernel = { fuzzed_read, fuzzed_find, (void *)(uintptr_t)c };
	struct probe_code code = { .name = f->name, .start = f->address };
	bool watched[CODE];
	branch_vec branches = { 0 };
	uint32_t gaps = 0, seen = 0;
	code_blocks blocks = { 0 };

	if (!leaves_kernel_blocks(&kernel, f->address, &blocks, NULL)) {
		const struct branch_jumps_code one = { &code, watched };

		must(blocks.n && blocks.n <= CODE);
		code.n = (uint32_t)blocks.n;
		code.block = blocks.v;
		for (uint32_t i = 0; i < code.n; i++) {
			watched[i] = jumps[i % JUMPS].taken;
			must(blocks.v[i].vaddr >= f->address && blocks.v[i].vaddr + blocks.v[i].size <= f->address +
			     f->size &&
			     blocks.v[i].last < blocks.v[i].size);
		}
		must(branch_jumps_follow(&one, 1, jumps, n, cut, &branches, &gaps));
		for (size_t i = 0; i < branches.n; i++)
			seen += branches.v[i].how == BRANCH_GAP;
		must(seen == gaps && branches.n <= (n + 16) * (CODE + 2));
	}
	vec_free(&branches);
	vec_free(&blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t head[8], code[CODE], packed[4];
	uint64_t address[FUNCTIONS], line_address[LINES];
	uint32_t sizes[FUNCTIONS];
	struct bpf_func_info func[FUNCTIONS] = { 0 };
	struct bpf_line_info line[LINES];
	struct branch_jump jumps[JUMPS];
	struct bpfcode_raw raw = { .id = 1, .name = "program", .image = code, .address = address, .size = sizes,
				   .func_info = func, .line_info = line, .line_address = line_address };
	struct bpfcode *c = NULL;
	struct btf *btf;

	libbpf_set_print(NULL);
	take(&in, head, sizeof(head));
	raw.functions = head[0] % (FUNCTIONS + 1);
	raw.func_infos = head[1] % (FUNCTIONS + 1);
	raw.line_infos = head[2] % (LINES + 1);
	raw.image_bytes = head[3] % (CODE + 1);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		take(&in, &address[i], sizeof(address[i]));
		take(&in, &sizes[i], sizeof(sizes[i]));
		take(&in, &func[i].type_id, sizeof(func[i].type_id));
	}
	for (uint32_t i = 0; i < LINES; i++) {
		take(&in, &line[i], sizeof(line[i]));
		take(&in, &line_address[i], sizeof(line_address[i]));
	}
	for (uint32_t i = 0; i < JUMPS; i++) {
		take(&in, packed, sizeof(packed));
		jumps[i] = (struct branch_jump){ .code = packed[0] & 1, .block = packed[1], .frame = packed[2], .taken
						= packed[3] & 1 };
	}
	take(&in, code, sizeof(code));
	btf = in.left ? btf__new(in.at, (uint32_t)in.left) : NULL;
	if (!bpfcode_make(&raw, libbpf_get_error(btf) ? NULL : btf, &c, NULL)) {
		for (uint32_t i = 0; i < c->n; i++) {
			must(memchr(c->function[i].name, '\0', sizeof(c->function[i].name)));
			follow(c, &c->function[i], jumps, head[4] % (JUMPS + 1), head[5] & 1);
		}
		for (size_t i = 0; i < c->lines; i++) {
			must(!i || c->line[i - 1].address <= c->line[i].address);
			must(strlen(c->line[i].file) <= 4096 && strlen(c->line[i].text) <= 4096);
			(void)bpfcode_line_of(c, c->line[i].address);
		}
	}
	bpfcode_free(c);
	btf__free(libbpf_get_error(btf) ? NULL : btf);
	return 0;
}
