/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_side.c - see bpf_side.h.
 *
 * Maps that are indexed by CPU get their sizes before loading, rings are made by hand, each in the
 * memory of its node: the template of a map of maps must have the same flags, so it is made the
 * same way.
 */
#include "config.h"

#include "capture/bpf_side_private.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "bpf/sberf_plain.skel.h"
#include "capture/bpflog.h"
#include "capture/faultentry.h"
#include "capture/percpu.h"
#include "capture/features.h"
#include "capture/hold_ask.h"
#include "capture/mapmem.h"
#include "capture/prepare.h"
#include "capture/probe.h"
#include "capture/tracelink.h"
#include "capture/traceway.h"
#include "model/allocation.h"
#include "model/probes.h"
#include "system/bpfprogs.h"
#include "system/cgroup.h"
#include "system/lookup.h"
#include "system/sysfile.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define WAKE_BYTES_MAX (1024u * 1024)

/* Both objects are made of the same source, so what is in them has the same names and places. */
int bpf_side_open_object(const struct bpf_side *k, struct sberf_bpf **ret)
{
	struct sberf_bpf *skel = *ret = calloc(1, sizeof(*skel));
	struct bpf_object_skeleton *s;
	int r;

	if (!skel)
		return -ENOMEM;
	r = sberf_bpf__create_skeleton(skel);
	if (r)
		return r;
	s = skel->skeleton;
	if (k->features.plain_reads)
		s->data = (void *)(uintptr_t)sberf_plain_bpf__elf_bytes(&s->data_sz);
	return bpf_object__open_skeleton(s, NULL);
}

int bpf_side_object(const struct bpf_side *k, struct sberf_bpf **ret, struct programs *programs, struct err *e)
{
	int r = prepare_programs();
	struct bpf_program *p;

	bpflog_begin();
	r = r ? r : bpf_side_open_object(k, ret);
	if (r)
		return err_set(e, -r, "cannot open the BPF programs: %s", strerror(-r));
	/* What libbpf's own handler of the section would have done. */
	bpf_object__for_each_program(p, (*ret)->obj) {
		const char *section = bpf_program__section_name(p);

		if (!r && !strncmp(section, "tp_btf/", 7))
			r = bpf_program__set_attach_target(p, 0, section + 7);
	}
	return r ? probe_explain(PROBE_STEP_LOAD, -r, e) : programs_find(programs, (*ret)->obj, e);
}

static int make_ring(uint32_t node, uint64_t bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NUMA_NODE, .numa_node = node);

	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sb_ring", 0, 0, (uint32_t)bytes, &opts);
}

static int make_rings(struct bpf_side *k, const struct capture_plan *plan, const struct cpu_layout *l, uint32_t freq_hz,
		      struct err *e)
{
	k->ring_fd = malloc(l->nr_rings * sizeof(*k->ring_fd));
	k->ring_bytes = calloc(l->nr_rings, sizeof(*k->ring_bytes));
	if (!k->ring_fd || !k->ring_bytes)
		return err_nomem(e, "ring buffers");
	k->nr_rings = l->nr_rings;
	for (uint32_t i = 0; i < k->nr_rings; i++)
		k->ring_fd[i] = -1;
	for (uint32_t i = 0; i < k->nr_rings; i++) {
		const uint64_t asked = cpu_ring_bytes(l->ring_cpus[i], l->nr_rings, freq_hz, plan->stack_bytes,
						      plan->ring_bytes);
		const uint64_t least = plan->ring_bytes || !plan->ring_least ? 0 :
			cpu_ring_bytes(l->ring_cpus[i], l->nr_rings, freq_hz, plan->stack_bytes, plan->ring_least);
		const uint64_t bytes = asked > least ? asked : least;

		k->ring_bytes[i] = bytes;
		k->ring_fd[i] = make_ring(l->ring_node[i], bytes);
		if (k->ring_fd[i] < 0)
			return probe_explain(PROBE_STEP_RING, errno, e);
	}
	return 0;
}

static uint32_t walk_max(void)
{
	uint64_t max;

	if (!sysfile_u64("/proc/sys/kernel/perf_event_max_stack", &max) || max > SB_KSTACK_MAX)
		return SB_KSTACK_MAX;
	return (uint32_t)max;
}

/*
 * Whether faults of automatic balancing are to be told from others: where it is on, or could be
 * switched on, and the kernel has the function by which that is seen, and lets programs be there,
 * which some do not.
 */
static bool may_balance(struct features *f, bool many_nodes)
{
	uint64_t mode;

	if (!f->balancing || !sysfile_u64("/proc/sys/kernel/numa_balancing", &mode) || (!many_nodes && !mode))
		return false;
	f->balancing = prepare_may_hook("mpol_misplaced");
	return f->balancing;
}

uint64_t bpf_side_hits_counted(void)
{
	uint64_t mask = 0;

	_Static_assert(PROBES_MAX <= 64 && PROBES_MAX <= SB_PROBES, "each has a bit, and a place");
	for (uint32_t i = 0; i < probes_count(); i++)
		mask |= (uint64_t)(probes_measure(i)->unit == UNIT_COUNT) << i;
	return mask;
}

/* Fills ODDS, of sizes as bpf/allocs.bpf.h tells them apart, for blocks sampled by INTERVAL bytes; 0 = none are. */
static void set_alloc_odds(uint32_t *odds, uint32_t interval)
{
	for (uint32_t i = 0; i < SB_ALLOC_CLASSES; i++) {
		const uint64_t size = i < SB_ALLOC_STEPS ? i : (uint64_t)(SB_ALLOC_STEPS + i % SB_ALLOC_STEPS) <<
			(i / SB_ALLOC_STEPS - 1);
		const double of = interval ? alloc_probability(size, interval) * 0x1p32 : 0;

		odds[i] = of < UINT32_MAX ? (uint32_t)of : UINT32_MAX;
	}
}

void bpf_side_tell_growth(struct bpf_side *k, uint32_t interval)
{
	set_alloc_odds(k->skel->bss->growth_odds, interval);
	k->skel->bss->growth_from_ns = clock_mono_ns();
}

void bpf_side_tell_blocks(struct sberf_bpf *s, const struct capture_plan *plan)
{
	s->rodata->allocs_freed = plan->alloc_frees;
	set_alloc_odds((uint32_t *)s->rodata->alloc_odds, plan->alloc_interval);
}

/* Of what probes samples and waits say that they were inside of a call. */
static uint32_t insides_of(const struct capture_plan *plan)
{
	if (!capture_tells_insides(plan))
		return 0;
	if (plan->probes_may_come)
		return SB_INSIDE_FUNCTIONS | SB_INSIDE_CALLS | SB_INSIDE_SPANS;
	return (plan->functions_to_come ? SB_INSIDE_FUNCTIONS : 0) | (plan->nr_calls ? SB_INSIDE_CALLS : 0) |
		(plan->spans ? SB_INSIDE_SPANS : 0);
}

/* The knobs of the programs. */
static void set_knobs(struct bpf_side *k, const struct capture_plan *plan, const struct cpu_layout *l)
{
	struct sberf_bpf *s = k->skel;

	_Static_assert(TARGET_ALL == 0 && TARGET_PIDS == 1 && TARGET_TIDS == 2 && TARGET_CGROUP == 3,
		       "as in bpf/maps.bpf.h");
	s->rodata->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
	s->rodata->target = plan->target;
	s->rodata->kernel_frames = plan->kernel && !plan->no_callers;
	s->rodata->kernel_leaf = plan->kernel && plan->no_callers;
	s->rodata->no_callers = plan->no_callers;
	s->rodata->frame_pointers = plan->frame_pointers;
	s->rodata->call_records = plan->call_records;
	s->rodata->walk_max = walk_max();
	k->walks = capture_walks(plan);
	s->rodata->verify_every = plan->verify_every;
	s->rodata->probe_first = k->sizes.probe_first;
	s->rodata->tracing = plan->call_wishes && !plan->look;
	s->rodata->looking = plan->look;
	s->rodata->prints = plan->prints;
	s->rodata->off_cpu = plan->off_cpu;
	s->rodata->births_wake = plan->places_to_come;
	s->rodata->prev_state_arg = k->features.prev_state;
	s->rodata->fault_return = plan->off_cpu ? fault_entry_return() : 0;
	s->rodata->sum_hits = k->walks && k->sizes.hits > 1;
	s->rodata->thinned = plan->hits_every > 1 || plan->hits_rate;
	s->rodata->hits_every = plan->hits_every;
	s->rodata->hits_rate = plan->hits_rate;
	s->rodata->bounded = plan->hits_bounded;
	/* Of probes that come later nobody knows whether they have conditions. */
	s->rodata->filtered = plan->nr_filters || plan->probes_may_come;
	s->rodata->spanned = plan->spans || plan->probes_may_come;
	s->rodata->insides = insides_of(plan);
	s->rodata->true_returns = k->features.true_returns;
	s->rodata->loops = k->walks && k->features.loops;
	s->rodata->finds_vma = k->features.find_vma;
	s->rodata->min_wait_ns = plan->min_block_ns;
	bpf_side_tell_blocks(s, plan);
	if (k->features.rss_parts && plan->growth_interval)
		percpu_distances((int64_t *)&s->rodata->own_variables_at, (int64_t *)&s->rodata->cpu_number_at);
	bpf_side_tell_growth(k, plan->growth_interval);
	/* Nodes that come later have CPUs of this layout, and nobody loads the programs again for them. */
	s->rodata->many_nodes = cpu_layout_nodes(l) > 1 || cpu_nodes_possible(SYSTEM_DIR);
	s->data->stack_cap = k->first_copy = k->walks && !plan->stack_fixed ? SB_STACK_MAX : plan->stack_bytes;
	s->bss->wakers = plan->wakers;
	k->off_cpu = plan->off_cpu;
	s->rodata->slot_bytes = k->sizes.slot_bytes;
	s->rodata->sum_waits = k->walks && plan->off_cpu;
	s->rodata->kernel_locks = plan->kernel_locks && plan->off_cpu && k->features.contention;
	k->follows = plan->target == TARGET_PIDS || plan->target == TARGET_TIDS;
	s->rodata->by_name = plan->name;
	if (plan->name)
		strncpy((char *)s->rodata->target_name, plan->name, sizeof(s->rodata->target_name) - 1);
}

/* The programs for places in the kernel. */
static const struct {
	enum program_when when;
	enum program_attach attach;
} trace_ways[CAPTURE_TRACE_HOWS] = {
	[CAPTURE_TRACE_FORMATTED] = { WHEN_TRACES, ATTACH_TRACES },
	[CAPTURE_TRACE_RAW] = { WHEN_RAW_TRACES, ATTACH_RAW_TRACES },
	[CAPTURE_TRACE_FUNCTION] = { WHEN_KERNEL_FUNCTIONS, ATTACH_KERNEL_FUNCTIONS },
	[CAPTURE_TRACE_RETURN] = { WHEN_KERNEL_RETURNS, ATTACH_KERNEL_RETURNS },
	[CAPTURE_TRACE_FAULT] = { WHEN_PAGED, ATTACH_PAGED },
	[CAPTURE_TRACE_SIGNAL] = { WHEN_SIGNALS, ATTACH_SIGNALS },
	[CAPTURE_TRACE_FOLLOWED] = { WHEN_FOLLOWED, ATTACH_FOLLOWED },
	[CAPTURE_TRACE_FOLLOWED_RETURN] = { WHEN_FOLLOWED_RETURNS, ATTACH_FOLLOWED_RETURNS },
	[CAPTURE_TRACE_CALLED] = { WHEN_CALLED, ATTACH_CALLED },
	[CAPTURE_TRACE_CALLED_RETURN] = { WHEN_CALLED, ATTACH_CALLED_RETURNS },
	[CAPTURE_TRACE_POINTER] = { WHEN_CALLED, ATTACH_POINTERS },
};

uint32_t bpf_side_probe_conditions(const struct capture_plan *plan)
{
	uint32_t when = plan->nr_places || plan->places_to_come ? WHEN_PLACES : 0;

	when |= plan->nr_calls ? WHEN_CALLS : 0;
	for (uint32_t i = 0; i < plan->nr_traces; i++)
		when |= trace_ways[plan->traces[i].how].when;
	if (plan->alloc_interval && plan->allocs_told)
		when |= WHEN_ALLOCS_TOLD;
	else if (plan->alloc_interval)
		when |= WHEN_ALLOCS |
			(link_way_of(LINK_SESSION) == LINK_NOT ? WHEN_ALLOC_PAIRS : WHEN_ALLOC_SESSIONS) |
			(plan->alloc_frees ? WHEN_FREES : 0);
	when |= plan->growth_interval ? WHEN_GROWTH : 0;
	when |= plan->functions_to_come || (plan->spans && plan->places_to_come) ? WHEN_OWN_COST : 0;
	return when | (plan->functions_to_come ? WHEN_FUNCTIONS : 0);
}

/* Which programs are needed: the conditions of programs.h that hold. */
static uint32_t bpf_side_conditions(struct bpf_side *k, const struct capture_plan *plan)
{
	const bool many_nodes = k->skel->rodata->many_nodes, numa = plan->numa != NUMA_OFF;
	uint32_t when = k->walks ? WHEN_WALKS : 0;

	when |= k->features.mmap_lock ? WHEN_MMAP_LOCK : 0;
	when |= plan->off_cpu ? WHEN_WAITS | WHEN_NEW_TASKS : 0;
	when |= k->skel->rodata->kernel_locks ? WHEN_KERNEL_LOCKS : 0;
	when |= many_nodes || !k->features.throttled_tasks ? WHEN_MOVES : 0;
	when |= numa ? WHEN_NUMA : 0;
	when |= numa && may_balance(&k->features, many_nodes) ? WHEN_BALANCE : 0;
	when |= k->follows ? WHEN_CHILDREN | WHEN_NEW_TASKS : 0;
	when |= plan->name ? WHEN_NAME : 0;
	when |= k->when;
	return when | (plan->target == TARGET_TIDS || plan->name ? WHEN_EXEC : 0);
}

static int size_maps(struct bpf_side *k)
{
	const struct map_sizes *n = &k->sizes;
	struct sberf_bpf *s = k->skel;
	int r = bpf_map__set_inner_map_fd(s->maps.rings, k->ring_fd[0]);

	r = r ? r : bpf_map__set_max_entries(s->maps.rings, n->rings);
	r = r ? r : bpf_map__set_max_entries(s->maps.cpus, n->cpus);
	r = r ? r : bpf_map__set_max_entries(s->maps.cpu_ring, n->cpus);
	r = r ? r : bpf_map__set_max_entries(s->maps.cpu_node, n->cpus);
	r = r ? r : bpf_map__set_max_entries(s->maps.scratches, n->scratches);
	r = r ? r : bpf_map__set_max_entries(s->maps.chunks, n->chunks);
	r = r ? r : bpf_map__set_max_entries(s->maps.plan_runs, n->chunks);
	r = r ? r : bpf_map__set_value_size(s->maps.slots, n->slot_bytes);
	r = r ? r : bpf_map__set_max_entries(s->maps.slots, n->slots);
	r = r ? r : bpf_map__set_max_entries(s->maps.free_slots, n->slots);
	r = r ? r : bpf_map__set_max_entries(s->maps.totals, n->totals);
	r = r ? r : bpf_map__set_max_entries(s->maps.even_sums, n->sums);
	r = r ? r : bpf_map__set_max_entries(s->maps.odd_sums, n->sums);
	r = r ? r : bpf_map__set_max_entries(s->maps.page_of, n->pages);
	r = r ? r : bpf_map__set_max_entries(s->maps.pages, n->pages);
	r = r ? r : bpf_map__set_max_entries(s->maps.rules, n->rules);
	r = r ? r : bpf_map__set_max_entries(s->maps.space_of, n->spaces);
	r = r ? r : bpf_map__set_max_entries(s->maps.spaces, n->spaces);
	r = r ? r : bpf_map__set_max_entries(s->maps.mapped, n->mapped);
	r = r ? r : bpf_map__set_max_entries(s->maps.filters, n->filters);
	r = r ? r : bpf_map__set_max_entries(s->maps.loads, n->loads);
	r = r ? r : bpf_map__set_max_entries(s->maps.untold, n->untold);
	r = r ? r : bpf_map__set_max_entries(s->maps.rates, n->rates);
	r = r ? r : bpf_map__set_max_entries(s->maps.even_hits, n->hits);
	r = r ? r : bpf_map__set_max_entries(s->maps.odd_hits, n->hits);
	r = r ? r : bpf_map__set_max_entries(s->maps.live_allocs, n->blocks);
	r = r ? r : bpf_map__set_max_entries(s->maps.residents, n->residents);
	r = r ? r : bpf_map__set_max_entries(s->maps.resident_parts, n->resident_parts);
	return r ? r : bpf_map__set_max_entries(s->maps.walks, n->walks);
}

static int fill_maps(struct bpf_side *k, const struct cpu_layout *l, struct err *e)
{
	const int rings = bpf_map__fd(k->skel->maps.rings), cpu_ring = bpf_map__fd(k->skel->maps.cpu_ring);
	const int cpu_node = bpf_map__fd(k->skel->maps.cpu_node);
	int r = 0;

	for (uint32_t i = 0; i < k->nr_rings && !r; i++)
		r = bpf_map_update_elem(rings, &i, &k->ring_fd[i], BPF_ANY);
	for (uint32_t cpu = 0; cpu < k->sizes.cpus && !r; cpu++)
		r = bpf_map_update_elem(cpu_ring, &cpu, &l->ring[cpu], BPF_ANY);
	for (uint32_t cpu = 0; cpu < k->sizes.cpus && !r; cpu++)
		r = bpf_map_update_elem(cpu_node, &cpu, &l->node[cpu], BPF_ANY);
	for (uint32_t slot = 0; k->off_cpu && slot < k->sizes.slots && !r; slot++)
		r = bpf_side_free_slot(k, slot);
	return r ? err_set(e, -r, "cannot fill a BPF map: %s", strerror(-r)) : 0;
}

int bpf_side_fill_filters(struct sberf_bpf *s, const struct capture_plan *plan, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; i < plan->nr_filters && !r; i++)
		r = bpf_map_update_elem(bpf_map__fd(s->maps.filters), &plan->filters[i].probe,
					&plan->filters[i].filter, BPF_ANY);
	for (uint32_t i = 1; i < plan->nr_loads && !r; i++)
		r = bpf_map_update_elem(bpf_map__fd(s->maps.loads), &i, &plan->loads[i], BPF_ANY);
	return r ? err_set(e, -r, "cannot hand conditions of probes to the kernel: %s", strerror(-r)) : 0;
}

void bpf_side_set_node(struct bpf_side *k, uint32_t cpu, uint32_t node)
{
	/* Of a map that has all possible CPUs. */
	(void)bpf_map_update_elem(bpf_map__fd(k->skel->maps.cpu_node), &cpu, &node, BPF_ANY);
}

/* *RET: the N bytes of the map FD, and how many they are in whole pages. NULL when they cannot be mapped. */
int bpf_side_fd(const struct bpf_side *k, const struct bpf_map *m)
{
	const uint32_t i = k->map_fd ? bpf_adopt_index(k, m) : UINT32_MAX;

	return !k->map_fd ? bpf_map__fd(m) : i < k->nr_maps ? k->map_fd[i] : -1;
}

struct mapway bpf_side_mapway(const struct bpf_side *k, const struct bpf_map *m)
{
	return (struct mapway){
		.fd = bpf_side_fd(k, m), .hold = k->map_fd ? k->hold : NULL,
		.index = k->map_fd ? bpf_adopt_index(k, m) : 0,
	};
}

static void *map_array(int fd, size_t n, int prot, size_t *ret_size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	*ret_size = (n + page - 1) / page * page;
	p = mmap(NULL, *ret_size, prot, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int map_slots(struct bpf_side *k, struct err *e)
{
	if (!k->off_cpu)
		return 0;
	k->slots = map_array(bpf_side_fd(k, k->skel->maps.slots), (size_t)k->sizes.slots * k->sizes.slot_bytes,
			     PROT_READ | PROT_WRITE, &k->slots_size);
	return k->slots ? 0 : err_set(e, errno, "cannot map the stacks of waits: %s", strerror(errno));
}

/*
 * Of the maps that walks by rules need; what was found lately, and families, are among the
 * variables of the programs.
 */
uint64_t bpf_side_walk_bytes(const struct bpf_side *k)
{
	const struct bpf_map *const needed[] = {
		k->skel->maps.page_of, k->skel->maps.pages, k->skel->maps.rules, k->skel->maps.space_of,
			k->skel->maps.spaces,
		k->skel->maps.mapped, k->skel->maps.walks, k->skel->maps.bss,
	};
	uint64_t bytes = 0;

	if (k->hold)
		return hold_reply(k->hold)->walk_bytes;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		bytes += mapmem(bpf_map__fd(needed[i]));
	return bytes;
}

static int open_book(struct bpf_side *k, struct err *e)
{
	const struct rulebook_maps maps = {
		.page_of = bpf_side_mapway(k, k->skel->maps.page_of),
		.pages = bpf_side_fd(k, k->skel->maps.pages),
		.rules = bpf_side_fd(k, k->skel->maps.rules),
		.space_of = bpf_side_mapway(k, k->skel->maps.space_of),
		.spaces = bpf_side_fd(k, k->skel->maps.spaces),
		.nr_pages = k->sizes.pages,
		.nr_spaces = k->sizes.spaces,
		.bytes = k->walks ? bpf_side_walk_bytes(k) : 0,
	};

	return k->walks ? rulebook_new(&maps, &k->book, e) : 0;
}

static int map_cpus(struct bpf_side *k, struct err *e)
{
	k->cpus = map_array(bpf_side_fd(k, k->skel->maps.cpus), k->sizes.cpus * sizeof(struct sb_cpu), PROT_READ,
			    &k->cpus_bytes);
	return k->cpus ? 0 : err_set(e, errno, "cannot map the counters of the BPF programs: %s", strerror(errno));
}

int bpf_side_map_all(struct bpf_side *k, struct err *e)
{
	int r = map_cpus(k, e);

	r = r ? r : map_slots(k, e);
	return r ? r : open_book(k, e);
}

/*
 * The number that the kernel has for this process; where it differs from our own, the process ids
 * that people see here are not those of the samples.
 */
static int check_namespace(struct bpf_side *k, struct err *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int r = bpf_prog_test_run_opts(programs_fd(&k->programs, ATTACH_RUN), &opts);

	if (r < 0)
		return err_set(e, -r, "cannot run a BPF program: %s", strerror(-r));
	if (k->skel->bss->own_tgid != (uint32_t)getpid())
		return err_set(e, EPERM,
			       "sberf runs in a pid namespace of its own, so process ids here (%d) are not those "
			       "of the kernel "
			       "(%u): %s", (int)getpid(), k->skel->bss->own_tgid, probe_host_pids(probe_manager()));
	return 0;
}

/* Its id is the inode of its directory (on 64-bit kernels). */
static int know_cgroup(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	struct stat st;

	if (plan->target != TARGET_CGROUP)
		return 0;
	k->cgroup_fd = cgroup_open(plan->cgroup, e);
	if (k->cgroup_fd < 0)
		return k->cgroup_fd;
	if (fstat(k->cgroup_fd, &st))
		return err_set(e, errno, "cannot select the cgroup '%s': %s", plan->cgroup, strerror(errno));
	k->skel->rodata->target_cgroup = st.st_ino;
	return 0;
}

static int set_cgroup(struct bpf_side *k, const char *name, struct err *e)
{
	const uint32_t key = 0;
	int r = bpf_map_update_elem(bpf_map__fd(k->skel->maps.cgroups), &key, &k->cgroup_fd, BPF_ANY);

	return r ? err_set(e, -r, "cannot select the cgroup '%s': %s", name, strerror(-r)) : 0;
}

static int bpf_side_add_target(struct bpf_side *k, uint32_t id, struct err *e)
{
	uint64_t unbound = 0;
	int r = bpf_map_update_elem(bpf_map__fd(k->skel->maps.targets), &id, &unbound, BPF_NOEXIST);

	if (!r || r == -EEXIST)
		return 0;
	if (r == -E2BIG)
		return err_set(e, E2BIG, "the target has too many processes or threads: use -a or --cgroup");
	return err_set(e, -r, "cannot add %u to the target: %s", id, strerror(-r));
}

static int set_target(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	if (plan->target == TARGET_CGROUP)
		return set_cgroup(k, plan->cgroup, e);
	if (!vec_reserve(&k->ids, plan->ids.n))
		return err_nomem(e, "the target list");
	for (size_t i = 0; i < plan->ids.n; i++)
		k->ids.v[k->ids.n++] = plan->ids.v[i];
	k->name = plan->name ? strdup(plan->name) : NULL;
	return !plan->name || k->name ? 0 : err_nomem(e, "the target list");
}

int bpf_side_aim(struct bpf_side *k, struct err *e)
{
	/* Who got the name since the target was made up, and before the programs saw it. */
	const int found = k->name ? lookup_by_name(k->name, &k->ids, e) : 0;

	if (k->hold)
		return hold_do(k->hold, HOLD_AIM, 0, NULL, e);
	if (found < 0)
		return found;
	free(take_ptr(k->name));
	for (size_t i = 0; i < k->ids.n; i++) {
		const int r = bpf_side_add_target(k, k->ids.v[i], e);

		if (r)
			return r;
	}
	k->ids.n = 0;
	return 0;
}

int bpf_side_targets_fd(const struct bpf_side *k)
{
	return bpf_map__fd(k->skel->maps.targets);
}

int bpf_side_fix_targets(struct bpf_side *k, struct err *e)
{
	const int r = bpf_map_freeze(bpf_side_targets_fd(k));

	return r ? err_set(e, -r, "cannot fix the list of targets: %s", strerror(-r)) : 0;
}

static uint64_t bpf_side_smallest(const uint64_t *v, uint32_t n)
{
	uint64_t min = v[0];

	for (uint32_t i = 1; i < n; i++)
		if (v[i] < min)
			min = v[i];
	return min;
}

static int no_walks(struct bpf_side *k, struct err *e)
{
	k->features.walks = false;
	return err_set(e, ENOTSUP, "this kernel does not take the program that walks stacks: leave "
		       "--unwind kernel out");
}

/* Loads what set_knobs() chose. */
static int bpf_side_load(struct bpf_side *k, struct err *e)
{
	int r = size_maps(k);

	if (r)
		return err_set(e, -r, "cannot size a BPF map: %s", strerror(-r));
	r = sberf_bpf__load(k->skel);
	if (r && k->walks && (r == -EINVAL || r == -EACCES || r == -E2BIG))
		return no_walks(k, e);
	if (r)
		return probe_explain(PROBE_STEP_LOAD, -r, e);
	/* A reader is woken when a ring is a quarter full, or holds a megabyte: seldom, but long before it is full. */
	k->skel->bss->wake_bytes = bpf_side_smallest(k->ring_bytes, k->nr_rings) / 4;
	if (k->skel->bss->wake_bytes > WAKE_BYTES_MAX)
		k->skel->bss->wake_bytes = WAKE_BYTES_MAX;
	return 0;
}

/* What this kernel has, and whether PLAN can do with it. */
static int check_features(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	int r = features_read(&k->features, e);
	struct utsname u = { .release = "" };

	(void)uname(&u);
	r = r ? r : features_check(&k->features, plan->off_cpu, u.release, e);
	if (!r && capture_walks(plan) && !plan->walk_or_copy && !k->features.walks)
		r = no_walks(k, e);
	return r;
}

/* Tells the kernel half which system calls are probed. */
static int name_calls(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	for (uint32_t i = 0; i < plan->nr_calls; i++)
		if (plan->calls[i].nr >= SB_CALLS_MAX || plan->calls[i].probe >= PROBES_MAX)
			return err_set(e, EINVAL, "system call %u cannot be probed", plan->calls[i].nr);
	for (uint32_t i = 0; i < plan->nr_calls; i++) {
		k->skel->bss->call_loads[plan->calls[i].nr] = (uint16_t)plan->calls[i].loads;
		k->skel->bss->call_probes[plan->calls[i].nr] = (uint8_t)(plan->calls[i].probe + 1);
	}
	return 0;
}

int bpf_side_tell_probes(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	uint64_t cookie;
	int r = trace_check(plan->traces, plan->nr_traces, &cookie, e);

	r = r ? r : name_calls(k, plan, e);
	if (r)
		return r;
	k->skel->bss->hits_counted = bpf_side_hits_counted();
	k->skel->bss->raw_cookie = cookie ? cookie : k->skel->bss->raw_cookie;
	for (uint32_t i = 0; i < plan->nr_traces; i++)
		if (plan->traces[i].how == CAPTURE_TRACE_SIGNAL)
			k->skel->bss->signal_cookie = SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + plan->traces[i].probe,
									plan->traces[i].span);
	return 0;
}

void bpf_side_measure_own(struct bpf_side *k, struct programs *p, struct sberf_bpf *s)
{
	struct owncost *own = &k->own;
	struct owncost found;

	owncost_measure(p, s, &found);
	if (programs_chosen(p, ATTACH_OWN_BEGIN)) {
		memcpy(own->begin, found.begin, sizeof(own->begin));
		memcpy(own->end, found.end, sizeof(own->end));
	}
	if (programs_chosen(p, ATTACH_OWN_CALLS)) {
		own->call = found.call;
		own->call_way = found.call_way;
	}
	memcpy(s->bss->own_begin_ns, own->begin, sizeof(own->begin));
	memcpy(s->bss->own_end_ns, own->end, sizeof(own->end));
	s->bss->own_call_ns = own->call;
}

static bool copy_traces(trace_vec *to, const struct capture_trace *from, uint32_t n)
{
	if (!n)
		return true;
	if (to->n < n && !vec_reserve(to, n - to->n))
		return false;
	memcpy(to->v, from, n * sizeof(*from));
	to->n = n;
	return true;
}

int bpf_side_keep_mapping_calls(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	return copy_traces(&k->mapping_calls, plan->mapping_calls, plan->nr_mapping_calls) ? 0 :
		err_nomem(e, "system calls that map");
}

/* Keeps the tracepoints of PLAN until the capture starts. */
static int keep_traces(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	if (plan->call_wishes)
		memcpy(k->skel->bss->call_wishes, plan->call_wishes, sizeof(k->skel->bss->call_wishes));
	k->skel->rodata->raw_cookies = trace_cookies();
	if (!copy_traces(&k->traces, plan->traces, plan->nr_traces))
		return err_nomem(e, "probes");
	return bpf_side_keep_mapping_calls(k, plan, e);
}

/* Those of one probe, which stand together. */
static int attach_traces_of(struct bpf_side *k, const struct capture_trace *traces, uint32_t n, struct err *e)
{
	struct probe_links *at = vec_push(&k->trace_links);
	int prog[CAPTURE_TRACE_HOWS];

	if (!at)
		return err_nomem(e, "probes");
	*at = (struct probe_links){ .probe = traces->probe };
	for (unsigned int i = 0; i < CAPTURE_TRACE_HOWS; i++) {
		const struct programs *p = bpf_late_find(k, trace_ways[i].attach);

		prog[i] = p ? programs_fd(p, trace_ways[i].attach) : -ENOENT;
	}
	return trace_attach(prog, traces, n, &at->links, e);
}

/* How long it takes to get to the programs at TRACES, N of them, becomes known. */
static void measure_ways(struct bpf_side *k, const struct capture_trace *traces, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const enum capture_trace_how how = traces[i].how;
		const uint32_t probe = traces[i].probe;

		if (!(k->trace_ways >> how & 1))
			k->trace_way_ns[how] = traceway_measure(how);
		k->trace_ways |= 1u << how;
		if (probe < SB_PROBES && k->probe_way_ns[probe] < k->trace_way_ns[how])
			k->probe_way_ns[probe] = k->trace_way_ns[how];
	}
}

int bpf_side_attach_traces(struct bpf_side *k, const struct capture_trace *traces, uint32_t n, struct err *e)
{
	int r = 0;

	measure_ways(k, traces, n);
	for (uint32_t from = 0, to; from < n && !r; from = to) {
		for (to = from + 1; to < n && traces[to].probe == traces[from].probe; to++)
			;
		r = attach_traces_of(k, traces + from, to - from, e);
	}
	return r;
}

static int attach_traces(struct bpf_side *k, struct err *e)
{
	return k->trace_links.n ? 0 : bpf_side_attach_traces(k, k->traces.v, (uint32_t)k->traces.n, e);
}

int bpf_side_attach_growth(struct bpf_side *k, struct err *e)
{
	struct programs *p = (struct programs *)(uintptr_t)bpf_late_find(k, ATTACH_GROWTH);
	int prog[CAPTURE_TRACE_HOWS] = { 0 }, r;

	if (!p)
		return 0;
	prog[CAPTURE_TRACE_FORMATTED] = programs_fd(p, ATTACH_MAPPING_CALLS);
	r = programs_attach(p, ATTACH_GROWTH, e);
	if (!r && k->mapping_calls.n && !k->mapping_links)
		r = trace_attach(prog, k->mapping_calls.v, (uint32_t)k->mapping_calls.n, &k->mapping_links, e);
	return r;
}

void bpf_side_detach_growth(struct bpf_side *k)
{
	struct programs *p = (struct programs *)(uintptr_t)bpf_late_find(k, ATTACH_GROWTH);

	if (p)
		programs_detach(p, ATTACH_GROWTH, NULL);
	links_drop(k->mapping_links);
	k->mapping_links = NULL;
}

static enum program_attach attach_of_places(const struct link_places *p)
{
	static const enum program_attach attach[] = {
		[LINK_OF_MOMENTS] = ATTACH_PLACES, [LINK_OF_BEGINS] = ATTACH_ENTRIES, [LINK_OF_ENDS] = ATTACH_RETURNS,
		[LINK_OF_ALLOCS] = ATTACH_ALLOCS, [LINK_OF_ALLOC_ENDS] = ATTACH_ALLOC_RETURNS,
		[LINK_OF_GO_ALLOCS] = ATTACH_GO_ALLOCS, [LINK_OF_FREES] = ATTACH_FREES,
		[LINK_OF_TOLD_ALLOCS] = ATTACH_TOLD_ALLOCS,
		[LINK_OF_TOLD_FREES] = ATTACH_TOLD_FREES,
	};

	return attach[p->of];
}

struct bpf_program *bpf_side_program(const struct programs *programs, const struct link_places *p)
{
	return programs_chosen(programs, attach_of_places(p));
}

/* The program of any object that is to be attached to P. */
static struct bpf_program *program_of_places(const struct bpf_side *k, const struct link_places *p)
{
	const struct programs *programs = bpf_late_find(k, attach_of_places(p));

	return programs ? bpf_side_program(programs, p) : NULL;
}

/* The kind of link decides as what the program of places is loaded. */
int bpf_side_prepare_places(const struct programs *programs, enum link_kind first, struct err *e)
{
	const struct link_places all[] = {
		{ .kind = first },
		{ .kind = LINK_ENTRY, .of = LINK_OF_BEGINS },
		{ .kind = LINK_RETURN, .of = LINK_OF_ENDS },
		{ .kind = link_way_of(LINK_SESSION) == LINK_NOT ? LINK_ENTRY : LINK_SESSION, .of = LINK_OF_ALLOCS },
		{ .kind = LINK_RETURN, .of = LINK_OF_ALLOC_ENDS },
		{ .kind = LINK_ENTRY, .of = LINK_OF_GO_ALLOCS },
		{ .kind = LINK_ENTRY, .of = LINK_OF_FREES },
		{ .kind = LINK_ENTRY, .of = LINK_OF_TOLD_ALLOCS },
		{ .kind = LINK_ENTRY, .of = LINK_OF_TOLD_FREES },
	};
	static const enum program_attach own[] = { ATTACH_OWN_BEGIN, ATTACH_OWN_END };
	static const enum program_attach called[] = { ATTACH_CALLED, ATTACH_CALLED_RETURNS };
	int r = 0;

	for (size_t i = 0; i < sizeof(called) / sizeof(*called) && !r; i++) {
		struct bpf_program *prog = programs_chosen(programs, called[i]);

		if (prog && trace_many())
			r = bpf_program__set_expected_attach_type(prog, BPF_TRACE_KPROBE_MULTI);
	}

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !r; i++) {
		struct bpf_program *prog = bpf_side_program(programs, &all[i]);

		r = prog ? link_prepare(prog, all[i].kind, link_way_of(all[i].kind)) : 0;
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(*own) && !r; i++) {
		struct bpf_program *prog = programs_chosen(programs, own[i]);

		r = prog ? link_prepare(prog, LINK_ENTRY, link_way_of(LINK_ENTRY)) : 0;
	}
	return r ? err_set(e, -r, "this kernel cannot probe programs in that way: %s", strerror(-r)) : 0;
}

/* Those that can be had. */
static int attach_places(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	int all = 0;

	for (uint32_t i = 0; i < plan->nr_places; i++) {
		const struct link_places *places = &plan->places[i];
		struct links **at = vec_push(&k->links);
		int r;

		if (!at)
			return err_nomem(e, "probes");
		*at = NULL;
		r = links_attach(program_of_places(k, places), link_way_of(places->kind), places, plan->place_failed,
				 plan->place_ctx, at, e);
		if (r < 0)
			return r;
		all += r;
	}
	return all || !plan->nr_places ? 0 : err_set(e, ENOENT, "none of the places that were asked for can be probed");
}

/* Hands to the kernel where the named values at PLACES are. */
static int tell_loads(struct bpf_side *k, const struct link_places *places, struct err *e)
{
	const int map = bpf_map__fd(k->probe_skel->maps.loads);
	int r = 0;

	for (uint32_t i = 0; places->loads && i < places->n && !r; i++) {
		const uint32_t set = SB_COOKIE_LOADS(places->cookie[i]);
		/* What a set refers to comes before it. */
		const uint32_t all[] = { places->loads[set].args, places->loads[set].print, set };

		for (size_t n = 0; n < sizeof(all) / sizeof(all[0]) && !r; n++)
			r = all[n] ? bpf_map_update_elem(map, &all[n], &places->loads[all[n]], BPF_ANY) : 0;
	}
	return r ? err_set(e, -r, "cannot hand conditions of probes to the kernel: %s", strerror(-r)) : 0;
}

int bpf_side_set_loads(const struct bpf_side *k, uint32_t n, const struct sb_loads *set)
{
	return bpf_map_update_elem(bpf_map__fd(k->skel->maps.loads), &n, set, BPF_ANY);
}

int bpf_side_place(struct bpf_side *k, const struct link_places *places, link_failed_fn *failed, void *ctx,
		   struct links **ret, struct err *e)
{
	struct bpf_program *prog = k->hold ? NULL : program_of_places(k, places);
	int r;

	if (k->hold)
		return bpf_adopt_place(k, places, failed, ctx, ret, e);
	r = prog ? tell_loads(k, places, e) : err_set(e, ENOTSUP, "there is no program for that place");

	if (!r)
		owncost_note(&k->own, places);
	return r ? r : links_attach(prog, link_way_of(places->kind), places, failed, ctx, ret, e);
}

static void drop_places(struct bpf_side *k)
{
	for (size_t i = 0; i < k->links.n; i++)
		links_drop(k->links.v[i]);
	vec_free(&k->links);
	for (size_t i = 0; i < k->trace_links.n; i++)
		links_drop(k->trace_links.v[i].links);
	vec_free(&k->trace_links);
}

static uint64_t ran_ns_of(const struct bpf_object *obj)
{
	struct bpf_program *p;
	uint64_t sum = 0;

	bpf_object__for_each_program(p, obj) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_program__fd(p) >= 0 && !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			sum += info.run_time_ns;
	}
	return sum;
}

/* How long programs have run, as far as it was measured. */
static uint64_t bpf_side_ran_ns(const struct bpf_side *k)
{
	uint64_t sum = ran_ns_of(k->skel->obj);

	for (uint32_t i = 0; i < k->nr_late; i++)
		sum += ran_ns_of(k->late[i]->skel->obj);
	return sum;
}

static void bpf_side_begin_runtime(struct bpf_side *k, const struct capture_plan *plan)
{
	bool partly = plan->nr_calls || plan->nr_traces || plan->nr_places || plan->places_to_come;

	/* While it is measured, a program takes longer. */
	if (partly)
		bpf_side_measure_own(k, &k->programs, k->skel);
	for (uint32_t i = 0; i < plan->nr_calls; i++)
		probes_note_own(plan->calls[i].probe, k->own.call);
	k->stats_fd = k->features.run_stats ? runtime_enable() : -1;
	/* Who may not ask for it has it where somebody else did: all of the time then. */
	k->features.run_stats = k->features.run_stats && (k->stats_fd >= 0 || bpfprogs_counted());
	partly = partly && k->stats_fd >= 0;
	runtime_begin(&k->runtime, partly, partly ? bpf_side_ran_ns(k) : 0, clock_mono_ns());
}

/* Walks stacks only if *WALKS says that the kernel may let it, and leaves there whether it does. */
static int open_half(const struct capture_plan *asked, const struct cpu_layout *layout, uint32_t freq_hz, bool *walks,
		     struct bpf_side **ret, struct err *e)
{
	AUTO(bpf_side_free) struct bpf_side *k = calloc(1, sizeof(*k));
	struct capture_plan had = *asked;
	const struct capture_plan *const plan = &had;
	const enum link_kind first = plan->nr_places ? plan->places[0].kind : LINK_ENTRY;
	int r;

	if (!k)
		return err_nomem(e, "the capture");
	k->stats_fd = k->cgroup_fd = -1;
	r = check_features(k, plan, e);
	k->features.walks &= *walks;
	had.walk_rules &= k->features.walks;
	k->sizes = map_sizes_of(plan, layout, map_sizes_target(plan));
	r = r ? r : bpf_side_object(k, &k->skel, &k->programs, e);
	if (r)
		return r;
	set_knobs(k, plan, layout);
	k->when = bpf_side_probe_conditions(plan) & (k->features.rss_stat ? UINT32_MAX : ~(uint32_t)WHEN_GROWTH);
	programs_choose(&k->programs, bpf_side_conditions(k, plan), plan->kinds);
	k->sum_hits = plan->sum_hits;
	r = keep_traces(k, plan, e);
	r = r ? r : bpf_side_tell_probes(k, plan, e);
	r = r ? r : bpf_side_prepare_places(&k->programs, first, e);
	r = r ? r : know_cgroup(k, plan, e);
	r = r ? r : make_rings(k, plan, layout, freq_hz, e);
	r = r ? r : bpf_side_load(k, e);
	*walks = k->features.walks;
	r = r ? r : fill_maps(k, layout, e);
	r = r ? r : bpf_side_fill_filters(k->skel, plan, e);
	r = r ? r : bpf_side_map_all(k, e);
	r = r ? r : check_namespace(k, e);
	/* What follows children has to be there before the first target is. */
	r = r ? r : programs_attach(&k->programs, ATTACH_LOADED, e);
	r = r ? r : set_target(k, plan, e);
	r = r ? r : attach_places(k, plan, e);
	if (r)
		return r;
	k->probe_skel = k->sizes.probe_first == UINT32_MAX ? NULL : k->skel;
	bpf_side_begin_runtime(k, plan);
	*ret = take_ptr(k);
	return 0;
}

int bpf_side_open(const struct capture_plan *plan, const struct cpu_layout *layout, uint32_t freq_hz,
		     struct bpf_side **ret, struct err *e)
{
	bool walks = true;
	int r = open_half(plan, layout, freq_hz, &walks, ret, e);

	return r && !walks && plan->walk_or_copy ? open_half(plan, layout, freq_hz, &walks, ret, e) : r;
}

void bpf_side_free(struct bpf_side *k)
{
	if (!k)
		return;
	bpf_side_stop(k);
	bpf_late_free(k);
	programs_free(&k->programs);
	if (k->cpus)
		munmap((void *)(uintptr_t)k->cpus, k->cpus_bytes);
	if (k->slots)
		munmap(k->slots, k->slots_size);
	for (uint32_t i = 0; k->ring_fd && i < k->nr_rings; i++)
		if (k->ring_fd[i] >= 0)
			close(k->ring_fd[i]);
	rulebook_free(k->book);
	bpf_adopt_free(k);
	if (k->stats_fd >= 0)
		close(k->stats_fd);
	if (k->cgroup_fd >= 0)
		close(k->cgroup_fd);
	sberf_bpf__destroy(k->skel);
	vec_free(&k->ids);
	vec_free(&k->traces);
	vec_free(&k->mapping_calls);
	links_drop(k->mapping_links);
	free(k->name);
	free(k->ring_fd);
	free(k->ring_bytes);
	free(k);
}

int bpf_side_sampler_fd(const struct bpf_side *k)
{
	return programs_fd(&k->programs, ATTACH_SAMPLES);
}

int bpf_side_fault_fd(const struct bpf_side *k)
{
	return programs_fd(&k->programs, ATTACH_FAULTS);
}

bool bpf_side_has_faults(const struct bpf_side *k)
{
	return k->hold ? hold_reply(k->hold)->faults : bpf_side_fault_fd(k) >= 0;
}

void bpf_side_watch_balancing(struct bpf_side *k, bool on)
{
	if (k->hold) {
		(void)hold_do(k->hold, HOLD_BALANCING, on, NULL, NULL);
		return;
	}
	if (on)
		(void)programs_attach(&k->programs, ATTACH_LIVE, NULL);
	else
		programs_detach(&k->programs, ATTACH_LIVE, NULL);
}

int bpf_side_ring_fd(const struct bpf_side *k, uint32_t ring)
{
	return k->ring_fd[ring];
}

uint64_t bpf_side_wake_bytes(const struct bpf_side *k)
{
	return k->skel->bss->wake_bytes;
}

uint64_t bpf_side_ring_bytes(const struct bpf_side *k, uint32_t ring)
{
	return k->ring_bytes[ring];
}

const volatile struct sb_cpu *bpf_side_cpus(const struct bpf_side *k)
{
	return k->cpus;
}

void bpf_side_deaf(struct bpf_side *k, uint64_t until_ns)
{
	__atomic_store_n(&k->skel->bss->deaf_until_ns, until_ns, __ATOMIC_RELAXED);
}

int bpf_side_set_cap(struct bpf_side *k, uint64_t exe_id, uint32_t bytes)
{
	const struct mapway caps = bpf_side_mapway(k, k->skel->maps.caps);

	return mapway_put(&caps, &exe_id, sizeof(exe_id), &bytes, sizeof(bytes));
}

int bpf_side_set_plan(struct bpf_side *k, uint32_t pid, const struct sb_plan *plan)
{
	const struct mapway plans = bpf_side_mapway(k, k->skel->maps.plans);
	int r;

	if (!plan) {
		r = mapway_delete(&plans, &pid, sizeof(pid));
		return r == -ENOENT ? 0 : r;
	}
	r = mapway_put(&plans, &pid, sizeof(pid), plan, sizeof(*plan));
	if (!r)
		k->skel->bss->planned = 1;
	return r;
}

int bpf_side_start(struct bpf_side *k, struct err *e)
{
	char ignored[4096];
	int r, fd;

	if (k->hold)
		return bpf_adopt_start(k, e);
	r = programs_attach(&k->programs, ATTACH_EVENTS, e);
	r = r ? r : programs_attach(&k->programs, ATTACH_CALLS, e);
	r = r ? r : bpf_side_attach_growth(k, e);
	r = r ? r : attach_traces(k, e);
	if (r || !k->off_cpu || programs_attached(&k->programs, ATTACH_WAITS))
		return r;
	r = programs_attach(&k->programs, ATTACH_WAITS, e);
	if (r)
		return r;
	__atomic_store_n(&k->skel->bss->following, true, __ATOMIC_SEQ_CST);
	/* The tasks that are there get their state. */
	fd = bpf_side_list(k, UINT64_MAX, 0, e);
	if (fd < 0)
		return fd;
	while (read(fd, ignored, sizeof(ignored)) > 0)
		;
	close(fd);
	return 0;
}

void bpf_side_stop(struct bpf_side *k)
{
	if (k->hold) {
		/* Where nobody answers any more, the kernel has detached it already. */
		(void)hold_do(k->hold, HOLD_STOP, 0, NULL, NULL);
		return;
	}
	/* Else some who come would not have been seen to leave. */
	if (programs_attached(&k->programs, ATTACH_WAITS))
		__atomic_store_n(&k->skel->bss->following, false, __ATOMIC_SEQ_CST);
	/* In this order the kernel need not wait until nobody looks at the first one any more. */
	programs_detach(&k->programs, ATTACH_WAITS, "sb_enter");
	programs_detach(&k->programs, ATTACH_LIVE, NULL);
	programs_detach(&k->programs, ATTACH_EVENTS, NULL);
	programs_detach(&k->programs, ATTACH_CALLS, NULL);
	bpf_late_stop(k);
	if (k->runtime.partly && !k->runtime.ended)
		runtime_end(&k->runtime, bpf_side_ran_ns(k), clock_mono_ns());
	drop_places(k);
}

int bpf_side_list(struct bpf_side *k, uint64_t min_ns, uint64_t up_to_ns, struct err *e)
{
	k->skel->bss->open_min_ns = min_ns;
	k->skel->bss->open_kstack_ns = up_to_ns;
	return bpf_side_tasks(k, e);
}

int bpf_side_tasks(struct bpf_side *k, struct err *e)
{
	return k->hold ? hold_file(k->hold, HOLD_TASKS, 0, 0, e) : programs_iterate(&k->programs, "sb_tasks", e);
}

int bpf_side_homes(struct bpf_side *k, struct err *e)
{
	return k->hold ? hold_file(k->hold, HOLD_HOMES, 0, 0, e) : programs_iterate(&k->programs, "sb_homes", e);
}

int bpf_side_open_calls(struct bpf_side *k, bool functions, struct err *e)
{
	const struct programs *p = bpf_late_find(k, functions ? ATTACH_RETURNS : ATTACH_CALLS);

	if (k->hold)
		return hold_file(k->hold, HOLD_CALLS, functions, 0, e);
	if (!p)
		return err_set(e, ENOENT, "no calls are probed");
	return programs_iterate((struct programs *)(uintptr_t)p, functions ? "sb_open_funcs" : "sb_open_calls", e);
}

struct sb_slot *bpf_side_slot(struct bpf_side *k, uint32_t slot)
{
	return k->slots && slot < k->sizes.slots ? (void *)(k->slots + (size_t)slot * k->sizes.slot_bytes) : NULL;
}

uint32_t bpf_side_slot_bytes(const struct bpf_side *k)
{
	return k->sizes.slot_bytes;
}

int bpf_side_free_slot(struct bpf_side *k, uint32_t slot)
{
	const struct mapway slots = bpf_side_mapway(k, k->skel->maps.free_slots);

	return mapway_put(&slots, NULL, 0, &slot, sizeof(slot));
}

struct mapway bpf_side_totals(const struct bpf_side *k)
{
	return k->off_cpu ? bpf_side_mapway(k, k->skel->maps.totals) : (struct mapway){ .fd = -1 };
}

bool bpf_side_sums(struct bpf_side *k, struct mapway ret[2], uint32_t *ret_turn)
{
	ret[0] = bpf_side_mapway(k, k->skel->maps.even_sums);
	ret[1] = bpf_side_mapway(k, k->skel->maps.odd_sums);
	*ret_turn = k->skel->bss->sums_turn;
	return k->skel->rodata->sum_waits;
}

void bpf_side_turn_sums(struct bpf_side *k)
{
	__atomic_store_n(&k->skel->bss->sums_turn, k->skel->bss->sums_turn + 1, __ATOMIC_SEQ_CST);
}

bool bpf_side_hits(struct bpf_side *k, struct mapway ret[2], uint32_t *ret_turn)
{
	const struct sberf_bpf *s = k->probe_skel;

	if (!s || !s->rodata->sum_hits)
		return false;
	ret[0] = bpf_side_mapway(k, s->maps.even_hits);
	ret[1] = bpf_side_mapway(k, s->maps.odd_hits);
	*ret_turn = k->skel->bss->hits_turn;
	return true;
}

void bpf_side_turn_hits(struct bpf_side *k)
{
	__atomic_store_n(&k->skel->bss->hits_turn, k->skel->bss->hits_turn + 1, __ATOMIC_SEQ_CST);
}

/* struct untold of bpf/thin.bpf.h */
struct untold {
	uint64_t count, weight, seen, lost[SB_HIT_LOST_NR];
	uint64_t timed[2], took_ns[2];
	uint64_t look[3];        /* its own business */
};

/* What all CPUs know of PROBE; false, and zeroes, when nothing can be had. */
static bool bpf_side_sum_untold(const struct bpf_side *k, uint32_t probe, struct untold *ret)
{
	AUTO_FREE struct untold *each = calloc(k->sizes.cpus, sizeof(*each));
	const struct sberf_bpf *s = k->probe_skel;
	struct mapway way;

	*ret = (struct untold){ 0 };
	if (!s || probe >= PROBES_MAX || !each)
		return false;
	way = bpf_side_mapway(k, s->maps.untold);
	/* One for each possible CPU: the layout has them all. */
	if (mapway_get(&way, probe, each, k->sizes.cpus * sizeof(*each)))
		return false;
	for (uint32_t cpu = 0; cpu < k->sizes.cpus; cpu++) {
		ret->count += each[cpu].count;
		ret->weight += each[cpu].weight;
		ret->seen += each[cpu].seen;
		for (unsigned int i = 0; i < SB_HIT_LOST_NR; i++)
			ret->lost[i] += each[cpu].lost[i];
		for (unsigned int i = 0; i < 2; i++) {
			ret->timed[i] += each[cpu].timed[i];
			ret->took_ns[i] += each[cpu].took_ns[i];
		}
	}
	return true;
}

void bpf_side_hits_lost(const struct bpf_side *k, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR])
{
	struct untold sum;

	(void)bpf_side_sum_untold(k, probe, &sum);
	memcpy(ret, sum.lost, sizeof(sum.lost));
}

uint32_t bpf_side_way(const struct bpf_side *k, uint32_t probe)
{
	return probe < SB_PROBES ? k->probe_way_ns[probe] : 0;
}

void bpf_side_hits_cost(const struct bpf_side *k, uint32_t probe, struct source_hits_cost *ret)
{
	struct untold sum;

	(void)bpf_side_sum_untold(k, probe, &sum);
	*ret = (struct source_hits_cost){
		.seen = sum.seen, .call_way_ns = k->own.call_way,
		.trace_way_ns = bpf_side_way(k, probe),
		.untold = { sum.timed[0], sum.took_ns[0] }, .told = { sum.timed[1], sum.took_ns[1] },
	};
}

void bpf_side_thin_hits(struct bpf_side *k, uint32_t probe, uint32_t every)
{
	if (probe < SB_PROBES)
		k->skel->bss->hits_thin[probe] = every;
}

void bpf_side_scale_hits(struct bpf_side *k, uint32_t scale)
{
	/* Calls and spans that began before do not go on. */
	if (scale && !k->skel->data->hits_scale)
		k->skel->data->hits_slice++;
	k->skel->data->hits_scale = scale;
}

bool bpf_side_untold(const struct bpf_side *k, uint32_t probe, uint64_t *ret_count, uint64_t *ret_weight)
{
	struct untold sum;
	const bool known = bpf_side_sum_untold(k, probe, &sum);

	*ret_count = sum.count;
	*ret_weight = sum.weight;
	return known;
}

bool bpf_side_span(const struct bpf_side *k, uint32_t probe, struct source_span *ret)
{
	if (probe >= SB_PROBES)
		return false;
	/* In this order none has ended that has not begun. */
	ret->ended = __atomic_load_n(&k->skel->bss->spans_ended[probe], __ATOMIC_SEQ_CST);
	ret->begun = __atomic_load_n(&k->skel->bss->spans_begun[probe], __ATOMIC_SEQ_CST);
	ret->unbegun = __atomic_load_n(&k->skel->bss->spans_unbegun[probe], __ATOMIC_SEQ_CST);
	return ret->begun || ret->unbegun;
}

void bpf_side_set_wait_period(struct bpf_side *k, uint64_t ns)
{
	k->skel->data->wait_period_ns = ns;
}

uint64_t bpf_side_wait_period(const struct bpf_side *k)
{
	return k->skel->data->wait_period_ns;
}

void bpf_side_set_wakers(struct bpf_side *k, bool on)
{
	k->skel->bss->wakers = on;
}

struct rulebook *bpf_side_rulebook(const struct bpf_side *k)
{
	return k->book;
}

uint32_t bpf_side_first_copy(const struct bpf_side *k)
{
	return k->first_copy;
}

const struct features *bpf_side_features(const struct bpf_side *k)
{
	return &k->features;
}

uint64_t bpf_side_cpu_ns(const struct bpf_side *k)
{
	uint64_t ns;

	if (k->hold)
		return k->features.run_stats && !hold_do(k->hold, HOLD_RAN, 0, &ns, NULL) ? ns : UINT64_MAX;
	return k->features.run_stats ? runtime_ns(&k->runtime, bpf_side_ran_ns(k), clock_mono_ns()) : UINT64_MAX;
}

void bpf_side_turn(struct bpf_side *k)
{
	const uint64_t now = clock_mono_ns();

	if (k->hold || !k->features.run_stats || !runtime_due(&k->runtime, now))
		return;
	runtime_turn(&k->runtime, bpf_side_ran_ns(k), now);
	if (k->runtime.on) {
		k->stats_fd = runtime_enable();
		return;
	}
	close(k->stats_fd);
	k->stats_fd = -1;
}
