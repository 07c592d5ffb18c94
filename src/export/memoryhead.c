/* SPDX-License-Identifier: BSD-2-Clause */
/* memoryhead.c - the sums that the texts about memory begin with. */
#include "config.h"

#include "export/memoryhead.h"

#include "base/units.h"

struct leaks_wish leaks_wish_of(const struct export_view *v)
{
	return (struct leaks_wish){
		.from_ns = v->meta->start_mono_ns, .to_ns = v->meta->start_mono_ns + v->meta->duration_ns,
		.older_ns = v->older_ns, .min_bytes = v->min_bytes, .min_percent = v->min_percent,
		.unfollowed_ns = v->meta->mem_unfollowed_ns, .scale = (uint32_t)v->meta->probe_scale,
	};
}

void memoryhead_put(struct out *o, const struct leaks *l, const struct export_view *v)
{
	const struct profile_meta *m = v->meta;
	const struct leak_site *all = &l->all;
	char text[LEAK_FIGURE_MAX], of[LEAK_FIGURE_MAX], blocks[UNITS_MAX], took[UNITS_MAX];

	units_time(took, all->history.to_ns - all->history.from_ns);
	leak_figure((double)all->allocated, all->allocated_error, v->ascii, of);
	if (!l->n) {
		out_text(o, "no memory was followed: record with --memory, or, for blocks, with --memory=allocs\n");
		return;
	}
	if (all->grown) {
		out_format(o, "%s became resident in %s, and %s was returned\n\n",
			   of, took, units_bytes(blocks, all->freed));
		return;
	}
	if (m->mem_unfollowed_ns)
		out_format(o, "%s allocated in %s\nBlocks were not followed since %s: %s, so what is in use is not "
			   "known;\n--memory=growth costs about 1 %% and says who makes it grow", of, took,
			   units_time(text, m->mem_unfollowed_ns), m->probe_scale > 1 ?
			   "calls cost more than --budget" : "who frees them cannot be probed, or is not any more");
	else
		out_format(o, "in use %s in %s blocks, of %s allocated in %s",
			   leak_figure((double)all->in_use, all->error, v->ascii, text),
			   units_thousands(blocks, all->blocks), of, took);
	if (m->mem_unseen)
		out_format(o, "\nwhat %s process%s allocated is not seen: no library could be put into %s",
			   units_thousands(blocks, m->mem_unseen), m->mem_unseen == 1 ? "" : "es",
			   m->mem_unseen == 1 ? "its program" : "their programs");
	if (m->mem_interval > 1)
		out_format(o, "\na block was sampled for each %s", units_bytes(of, m->mem_interval));
	if (all->leaked)
		out_format(o, "\n%s of it when its process ended", units_bytes(of, all->leaked));
	out_text(o, "\n\n");
}
