/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numafuncs.c - the functions of the view by node, ranked by what their accesses to far memory
 * cost, as rows with their call paths. numareport.h has the terms.
 */
#include "config.h"

#include "base/order.h"

#include "query/numareport_private.h"

#include <stdlib.h>

static enum module_kind numafuncs_kind_of(const struct dict *d, frame_id frame)
{
	return dict_get_module(d, dict_get_frame(d, frame)->module)->kind;
}

bool numa_innermost(const struct dict *d, const struct names *names, const struct query *q, stack_id stack,
		    func_id *ret_func, frame_id *ret_frame)
{
	frame_id first = ID_NONE;

	*ret_func = ID_NONE;
	for (stack_id s = stack; s != STACK_ROOT; s = dict_get_stack(d, s)->parent) {
		const frame_id frame = dict_get_stack(d, s)->frame;
		const struct frame_names *fn = names_get(names, frame);

		if (q->hide_kernel && numafuncs_kind_of(d, frame) == MODULE_KERNEL)
			continue;
		if (first == ID_NONE)
			first = frame;
		/* Why the stack was cut is no function that accesses could be of. */
		if (numafuncs_kind_of(d, frame) == MODULE_NOTE)
			break;
		if (!fn || !names_func(names, fn->name[q->no_inlines ? fn->n - 1u : 0].func))
			continue;
		*ret_func = fn->name[q->no_inlines ? fn->n - 1u : 0].func;
		*ret_frame = frame;
		return true;
	}
	if (first == ID_NONE && stack != STACK_ROOT)
		first = dict_get_stack(d, stack)->frame;
	*ret_frame = first;
	return first != ID_NONE;
}

static uint64_t numafuncs_func_hash(const void *ctx, uint32_t id)
{
	const struct numa_build *b = ctx;

	return b->funcs.v[id].key;
}

bool numa_funcs_find(struct numa_build *b, stack_id stack, bool make, uint32_t *ret)
{
	struct numa_func want = { .row = ROW_NONE };
	frame_id frame;
	uint32_t id;

	*ret = ROW_NONE;
	if (!numa_innermost(b->d, b->names, &b->q, stack, &want.func, &frame))
		return true;
	want.key = want.func != ID_NONE ? identity_func(&b->identity, want.func) : identity_frame(&b->identity, frame);
	hidx_each(&b->func_index, want.key, id) {
		if (b->funcs.v[id].key != want.key)
			continue;
		*ret = id;
		return true;
	}
	if (!make)
		return true;
	if (!vec_reserve(&b->funcs, 1))
		return false;
	id = (uint32_t)b->funcs.n;
	b->funcs.v[b->funcs.n++] = want;
	*ret = id;
	return hidx_add(&b->func_index, want.key, id, numafuncs_func_hash, b);
}

static int compare_funcs(const void *va, const void *vb, void *ctx)
{
	const struct numa_build *b = ctx;
	const struct numa_func *a = &b->funcs.v[*(const uint32_t *)va], *o = &b->funcs.v[*(const uint32_t *)vb];
	const int r = numa_compare_accesses(&a->sum.accesses, &o->sum.accesses);

	return r ? r : compare_numbers(a->key, o->key);
}

bool numa_funcs_rows(struct numa_build *b)
{
	AUTO_FREE uint32_t *order = in_order(b->funcs.n, compare_funcs, b);
	struct numa_view *v = b->v;

	v->nr_funcs = b->funcs.n < NUMA_ROWS ? (uint32_t)b->funcs.n : NUMA_ROWS;
	v->func = numa_block(b, v->nr_funcs, sizeof(*v->func));
	for (uint32_t i = 0; order && v->func && i < v->nr_funcs; i++) {
		struct numa_func *f = &b->funcs.v[order[i]];

		f->row = i;
		v->func[i] = (struct numa_func_row){ .key = f->key, .func = f->func, .accesses = f->sum.accesses,
						     .samples = f->sum.samples };
		v->func[i].to_ns = numa_block(b, v->nr_nodes, sizeof(uint64_t));
		if (!v->func[i].to_ns)
			return false;
	}
	return order && v->func;
}
