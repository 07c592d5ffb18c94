/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prints.bpf.h - what arguments and the result of a hit lead to, copied into its record: structures and strings that
 * `sberf branches --print` shows.
 */
#ifndef SBERF_BPF_PRINTS_H
#define SBERF_BPF_PRINTS_H

#include "behind.bpf.h"
#include "record.bpf.h"

#define PRINT_BYTES (sizeof(struct sb_part_text) + SB_PRINT_MAX)

/* There are some. */
const volatile bool prints = false;

/*
 * Puts what load AT of SET says, of the hit whose record is in the scratch buffer PLACE, behind its OFF bytes. Returns
 * the offset behind it. Global, so that the verifier looks at it once and alone.
 */
__noinline int sb_put_print(__u32 place, __u32 off, __u32 set, __u32 at)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &place);
	const struct sb_loads *all = bpf_map_lookup_elem(&loads, &set);
	const struct sb_load *l;
	struct sb_part_text *p;
	const __u64 *arg;
	__u64 address = 0;
	long got = -1;

	if (!s || !all || at >= SB_PRINTS || off > RECORD_MAX - PRINT_BYTES)
		return off;
	l = &all->load[at & (SB_LOADS - 1)];
	if (!l->size)
		return off;
	arg = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES + sizeof(struct sb_part_event));
	barrier_var(off);
	if (off > RECORD_MAX - PRINT_BYTES)
		return off;
	p = (void *)(s->rec + off);
	if (!behind_address(l, arg[(l->from - SB_LOAD_ARG) & 7], &address))
		got = behind_read(p + 1, l->scale, address, l->user >> ((l->hops - 1) & 7) & 1);
	p->part.type = SB_PART_TEXT;
	p->part.flags = got < 0 ? SB_TEXT_UNREAD : !l->scale && got == SB_TEXT_MAX ? SB_TEXT_CUT : 0;
	if (got > 0 && !l->scale)
		got--;
	if (got < 0 || got > SB_PRINT_MAX)
		got = 0;
	p->part.size = sizeof(*p) + (((__u32)got + 7) & ~7u);
	p->arg = SB_TEXT_PRINT + at;
	p->got = got;
	p->pad = 0;
	return off + sizeof(*p) + (((__u32)got + 7) & ~7u);
}

/* Puts all that SET, of the place of the hit, wants to be shown; the same. */
static __always_inline __u32 put_prints(__u32 place, __u32 off, __u32 set)
{
	const struct sb_loads *all = set ? bpf_map_lookup_elem(&loads, &set) : NULL;
	const __u32 which = all ? all->print : 0;

	if (which)
		for (__u32 i = 0; i < SB_PRINTS; i++)
			off = sb_put_print(place, off, which, i);
	return off;
}

#endif
