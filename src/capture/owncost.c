/* SPDX-License-Identifier: BSD-2-Clause */
/* owncost.c - see owncost.h. */
#include "config.h"

#include "capture/owncost.h"

#include "bpf/sberf.skel.h"
#include "capture/owncode.h"
#include "capture/traceway.h"
#include "model/probes.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN_ROUNDS 1000u         /* of what takes a microsecond */
#define OWN_ROUNDS_STEPPED 250u  /* of what takes more than ten */
#define OWN_ENOUGH 100u          /* times that have to be known */

/* An address of sberf's own code, and where that is in its file. */
struct owncost_place {
	uintptr_t address;
	uint64_t offset;
};

static int owncost_find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct owncost_place *p = arg;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || p->address < begin || p->address - begin >= h->p_filesz)
			continue;
		p->offset = p->address - begin + h->p_offset;
		return 1;
	}
	return 0;
}

/* Attaches PROG to the N addresses AT of this program; NULL = that failed. */
static struct links *owncost_probe(const struct bpf_program *prog, enum link_kind kind, const uintptr_t *at, uint32_t n)
{
	uint64_t offset[2];
	const struct link_places places = { .kind = kind, .path = "/proc/self/exe", .pid = getpid(), .n = n,
					    .offset = offset };
	struct links *links = NULL;
	struct err e = ERR_INIT;

	for (uint32_t i = 0; i < n; i++) {
		struct owncost_place p = { .address = at[i] };

		if (!dl_iterate_phdr(owncost_find_offset, &p))
			return NULL;
		offset[i] = p.offset;
	}
	if (links_attach(prog, link_way_of(kind), &places, NULL, NULL, &links, &e) != (int)n) {
		links_drop(links);
		return NULL;
	}
	return links;
}

static int owncost_compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The mean of the shorter half of the times that were noted last, as others run beside it; 0 = they are too few. */
static int32_t owncost_usual(struct sberf_bpf *skel)
{
	const uint32_t most = sizeof(skel->bss->own_took_ns) / sizeof(skel->bss->own_took_ns[0]);
	uint32_t took[sizeof(skel->bss->own_took_ns) / sizeof(skel->bss->own_took_ns[0])];
	uint64_t sum = 0;
	const uint32_t nr = skel->bss->own_nr < most ? skel->bss->own_nr : most;

	memcpy(took, skel->bss->own_took_ns, sizeof(took));
	skel->bss->own_nr = 0;
	qsort(took, nr, sizeof(*took), owncost_compare);
	if (nr < OWN_ENOUGH)
		return 0;
	for (uint32_t i = 0; i < nr / 2; i++)
		sum += took[i];
	return (int32_t)(sum / (nr / 2));
}

static int32_t owncost_run(struct sberf_bpf *skel, void (*fn)(void), uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++)
		fn();
	return owncost_usual(skel);
}

static void owncost_of_code(const struct bpf_program *begin, const struct bpf_program *end, const struct owncode *code,
			    struct sberf_bpf *skel, struct owncost *ret)
{
	const uintptr_t begins[] = { (uintptr_t)code->emulated, (uintptr_t)code->stepped };
	const uintptr_t ends[] = { (uintptr_t)code->emulated_end, (uintptr_t)code->stepped_end };
	const uintptr_t returned = (uintptr_t)code->returned;
	/* Places of one link are probed in one go; the end of a call is attached first, as everywhere. */
	struct links *links[] = {
		owncost_probe(end, LINK_RETURN, &returned, 1), owncost_probe(end, LINK_ENTRY, ends, 2),
		owncost_probe(begin, LINK_ENTRY, begins, 2), owncost_probe(begin, LINK_ENTRY, &returned, 1),
	};
	int32_t through;

	if (links[0] && links[1] && links[2] && links[3]) {
		ret->begin[SB_BEGIN_EMULATED] = owncost_run(skel, code->emulated, OWN_ROUNDS);
		ret->begin[SB_BEGIN_STEPPED] = owncost_run(skel, code->stepped, OWN_ROUNDS_STEPPED);
		through = owncost_run(skel, code->returned, OWN_ROUNDS);
		ret->end[SB_END_RETURN] = through ? through - ret->begin[SB_BEGIN_EMULATED] : 0;
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		links_drop(links[i]);
}

/* System calls that do not exist. */
static void pass_calls(void)
{
	for (uint32_t i = 0; i < TRACEWAY_ROUNDS; i++)
		(void)syscall(-1);
}

static void owncost_of_calls(struct programs *p, struct sberf_bpf *skel, struct owncost *ret)
{
	const uint64_t without = traceway_time(pass_calls);
	struct err e = ERR_INIT;

	if (programs_attach(p, ATTACH_OWN_CALLS, &e) >= 0) {
		const uint64_t with = traceway_time(pass_calls);

		ret->call = (uint32_t)owncost_usual(skel);
		ret->call_way = with > without ? (uint32_t)(with - without) : 0;
	}
	programs_detach(p, ATTACH_OWN_CALLS, NULL);
}

void owncost_measure(struct programs *p, struct sberf_bpf *skel, struct owncost *ret)
{
	const struct bpf_program *begin = programs_chosen(p, ATTACH_OWN_BEGIN);
	const struct bpf_program *end = programs_chosen(p, ATTACH_OWN_END);
	const struct owncode *code = owncode_here();

	*ret = (struct owncost){ .call = 0 };
	if (begin && end && code)
		owncost_of_code(begin, end, code, skel, ret);
	if (programs_chosen(p, ATTACH_OWN_CALLS))
		owncost_of_calls(p, skel, ret);
	memcpy(skel->bss->own_begin_ns, ret->begin, sizeof(ret->begin));
	memcpy(skel->bss->own_end_ns, ret->end, sizeof(ret->end));
	skel->bss->own_call_ns = ret->call;
}

/* What is taken off the times of PROBE at most. */
static uint32_t owncost_most(const struct owncost *o, uint32_t probe)
{
	int32_t most = 0;

	for (unsigned int begin = 0; begin < SB_BEGINS; begin++)
		for (unsigned int end = 0; end < SB_ENDS; end++)
			if (o->begins[probe] >> begin & 1 && o->ends[probe] >> end & 1 &&
			    o->begin[begin] + o->end[end] > most)
				most = o->begin[begin] + o->end[end];
	return (uint32_t)most;
}

void owncost_note(struct owncost *o, const struct link_places *places)
{
	for (uint32_t i = 0; places->cookie && i < places->n; i++) {
		const uint64_t cookie = places->cookie[i];
		const uint32_t probe = SB_COOKIE_PROBE(cookie) - SB_PROBE_PLACED;
		const uint32_t span = SB_COOKIE_SPAN(cookie);

		if (probe >= SB_PROBES)
			continue;
		if (places->of == LINK_OF_BEGINS || span == SB_SPAN_BEGIN)
			o->begins[probe] |= (uint8_t)(1u << SB_COOKIE_BEGIN(cookie));
		else if (places->of == LINK_OF_ENDS)
			o->ends[probe] |= 1u << (SB_COOKIE_LEAVES(cookie) ? SB_END_PLACE : SB_END_RETURN);
		else if (span == SB_SPAN_END)
			o->ends[probe] |= 1u << SB_END_PLACE;
		else
			continue;
		o->begins[probe] &= (uint8_t)~(1u << SB_BEGIN_NONE);
		probes_note_own(probe, owncost_most(o, probe));
	}
}
