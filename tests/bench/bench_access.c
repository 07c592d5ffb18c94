/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_access.c - what the address of an access costs, on the code of this program:
 *
 *	hit_hot_ns, hit_cold_ns   a sample whose rule is known: lookup and address, with few places and with many
 *	decode_ns                 making a rule of bytes
 *	rule_ns                   the same by the thread that reads files, opening this one included, where
 *	                          nothing is known
 *	rule_bytes                memory of a rule
 *
 * A sample costs hit_cold_ns, and rule_ns when nothing has landed in its place before.
 */
#include "config.h"

#include "base/clock.h"
#include "base/vec.h"
#include "numa/code.h"
#include "symbol/elffile.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PLACES_MAX 20000u
#define HOT 64u
#define REPEAT 4000000u
#define ASK_AT_ONCE 500u

struct bench {
	struct elf_bytes text;
	uint64_t offset;                 /* of the text in the file */
	VEC(uint64_t) place;             /* offsets in the file */
	struct dict *dict;
	module_id self;
};

static int open_self(void *ctx, module_id module, struct err *e)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* Every place in .text where an instruction begins, and then no more than PLACES_MAX of them, evenly. */
static bool find_places(struct bench *b)
{
	const int fd = open_self(NULL, 0, NULL);
	AUTO(elf_file_free) struct elf_file *f = NULL;
	const Elf64_Shdr *sh = elf_file_open(fd, &f, NULL) ? NULL : elf_file_section(f, ".text");
	const uint8_t *p;
	cs_insn *insn;
	size_t len, kept = 0, step;
	uint64_t at = 0;
	csh cs;

	if (!sh || !elf_file_bytes(f, sh, SIZE_MAX, &b->text) || cs_open(CS_ARCH_X86, CS_MODE_64, &cs) != CS_ERR_OK)
		return false;
	close(fd);
	b->offset = sh->sh_offset;
	insn = cs_malloc(cs);
	p = b->text.data;
	len = b->text.len;
	while (len && vec_reserve(&b->place, 1) && cs_disasm_iter(cs, &p, &len, &at, insn))
		*vec_push(&b->place) = b->offset + at - insn->size;
	cs_free(insn, 1);
	cs_close(&cs);
	step = b->place.n / PLACES_MAX + 1;
	for (size_t i = 0; i < b->place.n; i += step)
		b->place.v[kept++] = b->place.v[i];
	b->place.n = kept;
	return kept >= HOT;
}

static void bench_decode(struct bench *b)
{
	struct access_decoder *d;
	uint64_t start, found = 0;

	if (access_decoder_new(&d, NULL))
		return;
	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < b->place.n; i++) {
		const size_t at = (size_t)(b->place.v[i] - b->offset);
		const size_t from = at > ACCESS_CODE_BEFORE ? at - ACCESS_CODE_BEFORE : 0;
		const size_t end = at + ACCESS_CODE_BEHIND < b->text.len ? at + ACCESS_CODE_BEHIND : b->text.len;

		found += access_decode(d, b->text.data + from, end - from, at - from).how != 0;
	}
	printf("places: %zu\nwith_address_percent: %.1f\n", b->place.n, 100.0 * (double)found / (double)b->place.n);
	printf("decode_ns: %.0f\n", (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (double)b->place.n);
	access_decoder_free(d);
}

/* Makes the rules of all places known. */
static void ask_for_all(struct bench *b, struct code *code)
{
	struct code_figures figures;
	unsigned int asked = 0;

	for (size_t i = 0; i < b->place.n; i++) {
		const struct frame place = { .module = b->self, .offset = b->place.v[i] };
		struct access_rule r;

		asked += !code_rule(code, &place, &r);
		while (asked && (asked == ASK_AT_ONCE || i == b->place.n - 1)) {
			poll(NULL, 0, 1);
			asked -= code_poll(code);
		}
	}
	code_figures(code, &figures);
	printf("rule_ns: %.0f\n", (double)figures.cpu_ns / (double)figures.rules);
	printf("rule_bytes: %.0f\n", (double)figures.bytes / (double)figures.rules);
}

static void bench_hits(struct bench *b, struct code *code, const char *name, size_t places)
{
	struct raw_sample s = { .user.machine = EM_X86_64, .user.nr_regs = 17 };
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), sum = 0;

	for (size_t i = 0; i < REPEAT; i++) {
		const struct frame place = { .module = b->self, .offset = b->place.v[i * 7919 % places] };
		struct access_rule r;
		enum access_miss miss;
		uint64_t addr = 0;

		s.user.regs[i % 17] = i;
		if (code_rule(code, &place, &r) && access_address(&r, &s, &addr, &miss))
			sum += addr;
	}
	printf("%s: %.1f\n", name, (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / REPEAT + (sum == 1));
}

int main(void)
{
	struct bench b = { .dict = dict_new() };
	const struct code_config config = { .dict = b.dict, .open = open_self };
	const struct module self = { .kind = MODULE_FILE };
	struct code *code;

	if (!b.dict || !find_places(&b) || code_new(&config, &code, NULL))
		return 1;
	b.self = dict_module(b.dict, &self);
	bench_decode(&b);
	ask_for_all(&b, code);
	bench_hits(&b, code, "hit_hot_ns", HOT);
	bench_hits(&b, code, "hit_cold_ns", b.place.n);
	code_free(code);
	dict_free(b.dict);
	vec_free(&b.place);
	free(b.text.data);
	return 0;
}
