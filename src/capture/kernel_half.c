/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_half.c - see kernel_half.h.
 *
 * Maps that are indexed by CPU get their sizes before loading, rings are made by hand, each in the memory of its node: the
 * template of a map of maps must have the same flags, so it is made the same way.
 */
#include "config.h"

#include "capture/kernel_half.h"

#include "base/clock.h"
#include "bpf/sberf.skel.h"
#include "capture/features.h"
#include "capture/probe.h"
#include "capture/sysfile.h"
#include "process/cgroup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define WAKE_BYTES_MAX (1024u * 1024)

/* Stacks of waits under way that are kept at a time: of threads that have been active within the last second. */
#define SLOTS_FEW 512u
#define SLOTS_MANY 1024u                 /* for a whole machine or cgroup */
#define SLOT_EXTRA 8192u                 /* of a slot, for all that is not stack bytes */
#define TOTALS_FEW 16384u                /* threads times the calls they wait in */
#define TOTALS_MANY 65536u

struct kernel_half {
	struct sberf_bpf *skel;
	int stats_fd;                    /* keeps the kernel measuring run times, -1 = not permitted */
	uint32_t nr_cpus, nr_rings;
	int *ring_fd;                    /* of each ring */
	uint64_t *ring_bytes;
	const volatile struct sb_cpu *cpus;
	size_t cpus_bytes;               /* of that mapping */
	bool follows;                    /* children belong to the target */
	bool off_cpu;
	int handler[2];                  /* of libbpf, for restore_read_user(); 0 or less = none */
	uint8_t *slots;                  /* mapped; NULL without off_cpu */
	size_t slots_size;               /* of that mapping */
	uint32_t nr_slots, slot_bytes, nr_totals;
	struct bpf_link *on_switch, *on_waking, *iterator;
};

static int no_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/*
 * libbpf asks whether the kernel knows bpf_probe_read_kernel(), and if it does not, takes it for one from before 5.5 and
 * puts the old bpf_probe_read() in the place of bpf_probe_read_user() too. A kernel that is locked down to confidentiality
 * denies both, but not bpf_probe_read_user(), and the programs need no other. So this puts it back before loading.
 */
static int restore_read_user(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t n = bpf_program__insn_cnt(prog);
	AUTO_FREE struct bpf_insn *insn = malloc(n * sizeof(*insn));

	if (!insn)
		return -ENOMEM;
	memcpy(insn, bpf_program__insns(prog), n * sizeof(*insn));
	for (size_t i = 0; i < n; i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && !insn[i].src_reg && insn[i].imm == BPF_FUNC_probe_read)
			insn[i].imm = BPF_FUNC_probe_read_user;
	return bpf_program__set_insns(prog, insn, n);
}

static int open_skeleton(struct kernel_half *k, struct err *e)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = restore_read_user);
	struct bpf_program *p;
	int r = 0;

	libbpf_set_print(no_print);
	k->handler[0] = libbpf_register_prog_handler("perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, &opts);
	k->handler[1] = libbpf_register_prog_handler("tp_btf+", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, &opts);
	k->skel = sberf_bpf__open();
	if (!k->skel || k->handler[0] < 0 || k->handler[1] < 0)
		return err_set(e, errno, "cannot open the BPF programs: %s", strerror(errno));
	/* What libbpf's own handler of the section would have done. */
	bpf_object__for_each_program(p, k->skel->obj) {
		const char *section = bpf_program__section_name(p);

		if (!r && !strncmp(section, "tp_btf/", 7))
			r = bpf_program__set_attach_target(p, 0, section + 7);
	}
	return r ? probe_explain(PROBE_STEP_LOAD, -r, e) : 0;
}

static int make_ring(uint32_t node, uint64_t bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NUMA_NODE, .numa_node = node);

	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sb_ring", 0, 0, (uint32_t)bytes, &opts);
}

static int make_rings(struct kernel_half *k, const struct capture_plan *plan, const struct cpu_layout *l, uint32_t freq_hz,
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
		uint64_t bytes = cpu_ring_bytes(l->ring_cpus[i], l->nr_rings, freq_hz, plan->stack_bytes, plan->ring_bytes);

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

/* The knobs of the programs, and which of them are needed. */
static void set_knobs(struct kernel_half *k, const struct capture_plan *plan)
{
	struct sberf_bpf *s = k->skel;
	bool follow = plan->target == TARGET_PIDS || plan->target == TARGET_TIDS;

	_Static_assert(TARGET_ALL == 0 && TARGET_PIDS == 1 && TARGET_TIDS == 2 && TARGET_CGROUP == 3, "as in bpf/maps.bpf.h");
	s->rodata->target = plan->target;
	s->rodata->kernel_frames = plan->kernel;
	s->rodata->frame_pointers = plan->frame_pointers;
	s->rodata->walk_max = walk_max();
	s->rodata->off_cpu = plan->off_cpu;
	s->rodata->prev_state_arg = plan->off_cpu && features_prev_state();
	s->rodata->min_wait_ns = plan->min_block_ns;
	s->rodata->nr_cpus = k->nr_cpus;
	s->data->stack_cap = plan->stack_bytes;
	s->bss->wakers = plan->wakers;
	k->off_cpu = plan->off_cpu;
	k->slot_bytes = (plan->stack_bytes + 4095u) / 4096u * 4096u + SLOT_EXTRA;
	k->nr_slots = !plan->off_cpu ? 1 : follow ? SLOTS_FEW : SLOTS_MANY;
	k->nr_totals = !plan->off_cpu ? 1 : follow ? TOTALS_FEW : TOTALS_MANY;
	s->rodata->slot_bytes = k->slot_bytes;
	bpf_program__set_autoload(s->progs.sb_switch, plan->off_cpu);
	bpf_program__set_autoload(s->progs.sb_waking, plan->off_cpu);
	bpf_program__set_autoload(s->progs.sb_tasks, plan->off_cpu);
	bpf_program__set_autoload(s->progs.sb_fork, follow || plan->off_cpu);
	bpf_program__set_autoload(s->progs.sb_exec, plan->target == TARGET_TIDS);
	bpf_program__set_autoload(s->progs.sb_free, follow);
	k->follows = follow;
}

static int size_maps(struct kernel_half *k)
{
	struct sberf_bpf *s = k->skel;
	int r = bpf_map__set_inner_map_fd(s->maps.rings, k->ring_fd[0]);

	r = r ? r : bpf_map__set_max_entries(s->maps.rings, k->nr_rings);
	r = r ? r : bpf_map__set_max_entries(s->maps.cpus, k->nr_cpus);
	r = r ? r : bpf_map__set_max_entries(s->maps.cpu_ring, k->nr_cpus);
	r = r ? r : bpf_map__set_max_entries(s->maps.chunks, 2 * k->nr_cpus);
	r = r ? r : bpf_map__set_value_size(s->maps.slots, k->slot_bytes);
	r = r ? r : bpf_map__set_max_entries(s->maps.slots, k->nr_slots);
	r = r ? r : bpf_map__set_max_entries(s->maps.free_slots, k->nr_slots);
	r = r ? r : bpf_map__set_max_entries(s->maps.totals, k->nr_totals);
	return r ? r : bpf_map__set_max_entries(s->maps.scratches, k->nr_cpus);
}

static int fill_maps(struct kernel_half *k, const struct cpu_layout *l, struct err *e)
{
	int rings = bpf_map__fd(k->skel->maps.rings), cpu_ring = bpf_map__fd(k->skel->maps.cpu_ring), r = 0;

	for (uint32_t i = 0; i < k->nr_rings && !r; i++)
		r = bpf_map_update_elem(rings, &i, &k->ring_fd[i], BPF_ANY);
	for (uint32_t cpu = 0; cpu < k->nr_cpus && !r; cpu++)
		r = bpf_map_update_elem(cpu_ring, &cpu, &l->ring[cpu], BPF_ANY);
	for (uint32_t slot = 0; k->off_cpu && slot < k->nr_slots && !r; slot++)
		r = kernel_half_free_slot(k, slot);
	return r ? err_set(e, -r, "cannot fill a BPF map: %s", strerror(-r)) : 0;
}

/* *RET: the N bytes of the map FD, and how many they are in whole pages. NULL when they cannot be mapped. */
static void *map_array(int fd, size_t n, int prot, size_t *ret_size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	*ret_size = (n + page - 1) / page * page;
	p = mmap(NULL, *ret_size, prot, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int map_slots(struct kernel_half *k, struct err *e)
{
	if (!k->off_cpu)
		return 0;
	k->slots = map_array(bpf_map__fd(k->skel->maps.slots), (size_t)k->nr_slots * k->slot_bytes, PROT_READ | PROT_WRITE,
			     &k->slots_size);
	return k->slots ? 0 : err_set(e, errno, "cannot map the stacks of waits: %s", strerror(errno));
}

static int map_cpus(struct kernel_half *k, struct err *e)
{
	k->cpus = map_array(bpf_map__fd(k->skel->maps.cpus), k->nr_cpus * sizeof(struct sb_cpu), PROT_READ, &k->cpus_bytes);
	return k->cpus ? 0 : err_set(e, errno, "cannot map the counters of the BPF programs: %s", strerror(errno));
}

/*
 * The number that the kernel has for this process; where it differs from our own, the process ids that people see here are
 * not those of the samples.
 */
static int check_namespace(struct kernel_half *k, struct err *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int r = bpf_prog_test_run_opts(bpf_program__fd(k->skel->progs.sb_whoami), &opts);

	if (r < 0)
		return err_set(e, -r, "cannot run a BPF program: %s", strerror(-r));
	if (k->skel->bss->own_tgid != (uint32_t)getpid())
		return err_set(e, EPERM,
			       "sberf runs in a pid namespace of its own, so process ids here (%d) are not those of the kernel "
			       "(%u): start the container with --pid=host", (int)getpid(), k->skel->bss->own_tgid);
	return 0;
}

static int set_cgroup(struct kernel_half *k, const char *name, struct err *e)
{
	AUTO_FD int fd = cgroup_open(name, e);
	uint32_t key = 0;
	int r;

	if (fd < 0)
		return fd;
	r = bpf_map_update_elem(bpf_map__fd(k->skel->maps.cgroups), &key, &fd, BPF_ANY);
	return r ? err_set(e, -r, "cannot select the cgroup '%s': %s", name, strerror(-r)) : 0;
}

/* Its id is the inode of its directory (on 64-bit kernels). */
static int know_cgroup(struct kernel_half *k, const struct capture_plan *plan, struct err *e)
{
	AUTO_FD int fd = -1;
	struct stat st;

	if (plan->target != TARGET_CGROUP)
		return 0;
	fd = cgroup_open(plan->cgroup, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return err_set(e, errno, "cannot select the cgroup '%s': %s", plan->cgroup, strerror(errno));
	k->skel->rodata->target_cgroup = st.st_ino;
	return 0;
}

int kernel_half_add_target(struct kernel_half *k, uint32_t id, struct err *e)
{
	uint64_t unbound = 0;
	int r = bpf_map_update_elem(bpf_map__fd(k->skel->maps.targets), &id, &unbound, BPF_NOEXIST);

	if (!r || r == -EEXIST)
		return 0;
	if (r == -E2BIG)
		return err_set(e, E2BIG, "the target has too many processes or threads: use -a or --cgroup");
	return err_set(e, -r, "cannot add %u to the target: %s", id, strerror(-r));
}

static int set_target(struct kernel_half *k, const struct capture_plan *plan, struct err *e)
{
	int r = 0;

	if (plan->target == TARGET_CGROUP)
		return set_cgroup(k, plan->cgroup, e);
	for (size_t i = 0; i < plan->ids.n && !r; i++)
		r = kernel_half_add_target(k, plan->ids.v[i], e);
	return r;
}

static int attach_one(struct bpf_program *p, struct bpf_link **ret, struct err *e)
{
	*ret = bpf_program__attach_trace(p);
	return *ret ? 0 : probe_explain(PROBE_STEP_ATTACH, errno, e);
}

/* The programs that follow children are attached here: they must be there before the first target is. */
static int attach(struct kernel_half *k, struct err *e)
{
	struct sberf_bpf *s = k->skel;
	int r = 0;

	if (bpf_program__autoload(s->progs.sb_fork))
		r = attach_one(s->progs.sb_fork, &s->links.sb_fork, e);
	if (!r && bpf_program__autoload(s->progs.sb_exec))
		r = attach_one(s->progs.sb_exec, &s->links.sb_exec, e);
	if (!r && bpf_program__autoload(s->progs.sb_free))
		r = attach_one(s->progs.sb_free, &s->links.sb_free, e);
	return r;
}

static uint64_t smallest(const uint64_t *v, uint32_t n)
{
	uint64_t min = v[0];

	for (uint32_t i = 1; i < n; i++)
		if (v[i] < min)
			min = v[i];
	return min;
}

/* Loads what set_knobs() chose. */
static int load(struct kernel_half *k, struct err *e)
{
	int r = size_maps(k);

	if (r)
		return err_set(e, -r, "cannot size a BPF map: %s", strerror(-r));
	r = sberf_bpf__load(k->skel);
	if (r)
		return probe_explain(PROBE_STEP_LOAD, -r, e);
	/* A reader is woken when a ring is a quarter full, or holds a megabyte: seldom, but long before it is full. */
	k->skel->bss->wake_bytes = smallest(k->ring_bytes, k->nr_rings) / 4;
	if (k->skel->bss->wake_bytes > WAKE_BYTES_MAX)
		k->skel->bss->wake_bytes = WAKE_BYTES_MAX;
	return 0;
}

int kernel_half_open(const struct capture_plan *plan, const struct cpu_layout *layout, uint32_t freq_hz,
		     struct kernel_half **ret, struct err *e)
{
	AUTO(kernel_half_free) struct kernel_half *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return err_nomem(e, "the capture");
	k->stats_fd = -1;
	k->nr_cpus = layout->nr_cpus;
	r = open_skeleton(k, e);
	if (r)
		return r;
	set_knobs(k, plan);
	r = know_cgroup(k, plan, e);
	r = r ? r : make_rings(k, plan, layout, freq_hz, e);
	r = r ? r : load(k, e);
	r = r ? r : fill_maps(k, layout, e);
	r = r ? r : map_cpus(k, e);
	r = r ? r : map_slots(k, e);
	r = r ? r : check_namespace(k, e);
	r = r ? r : attach(k, e);
	r = r ? r : set_target(k, plan, e);
	if (r)
		return r;
	k->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	*ret = take_ptr(k);
	return 0;
}

void kernel_half_free(struct kernel_half *k)
{
	if (!k)
		return;
	kernel_half_stop(k);
	bpf_link__destroy(k->iterator);
	if (k->cpus)
		munmap((void *)(uintptr_t)k->cpus, k->cpus_bytes);
	if (k->slots)
		munmap(k->slots, k->slots_size);
	for (uint32_t i = 0; k->ring_fd && i < k->nr_rings; i++)
		if (k->ring_fd[i] >= 0)
			close(k->ring_fd[i]);
	if (k->stats_fd >= 0)
		close(k->stats_fd);
	sberf_bpf__destroy(k->skel);
	for (int i = 0; i < 2; i++)
		if (k->handler[i] > 0)
			(void)libbpf_unregister_prog_handler(k->handler[i]);
	free(k->ring_fd);
	free(k->ring_bytes);
	free(k);
}

int kernel_half_sampler_fd(const struct kernel_half *k)
{
	return bpf_program__fd(k->skel->progs.sb_oncpu);
}

int kernel_half_ring_fd(const struct kernel_half *k, uint32_t ring)
{
	return k->ring_fd[ring];
}

uint64_t kernel_half_ring_bytes(const struct kernel_half *k, uint32_t ring)
{
	return k->ring_bytes[ring];
}

const volatile struct sb_cpu *kernel_half_cpus(const struct kernel_half *k)
{
	return k->cpus;
}

int kernel_half_set_cap(struct kernel_half *k, uint64_t exe_id, uint32_t bytes)
{
	return bpf_map_update_elem(bpf_map__fd(k->skel->maps.caps), &exe_id, &bytes, BPF_ANY);
}

int kernel_half_start(struct kernel_half *k, struct err *e)
{
	char ignored[4096];
	int r, fd;

	if (!k->off_cpu || k->on_switch)
		return 0;
	r = attach_one(k->skel->progs.sb_switch, &k->on_switch, e);
	r = r ? r : attach_one(k->skel->progs.sb_waking, &k->on_waking, e);
	if (r)
		return r;
	/* The tasks that are there get their state. */
	fd = kernel_half_list(k, UINT64_MAX, e);
	if (fd < 0)
		return fd;
	while (read(fd, ignored, sizeof(ignored)) > 0)
		;
	close(fd);
	return 0;
}

void kernel_half_stop(struct kernel_half *k)
{
	bpf_link__destroy(k->on_switch);
	bpf_link__destroy(k->on_waking);
	k->on_switch = k->on_waking = NULL;
}

int kernel_half_list(struct kernel_half *k, uint64_t min_ns, struct err *e)
{
	int fd;

	if (!k->iterator)
		k->iterator = bpf_program__attach_iter(k->skel->progs.sb_tasks, NULL);
	if (!k->iterator)
		return err_set(e, errno, "cannot list the tasks: %s", strerror(errno));
	k->skel->bss->open_min_ns = min_ns;
	fd = bpf_iter_create(bpf_link__fd(k->iterator));
	return fd < 0 ? err_set(e, errno, "cannot list the tasks: %s", strerror(errno)) : fd;
}

struct sb_slot *kernel_half_slot(struct kernel_half *k, uint32_t slot)
{
	return k->slots && slot < k->nr_slots ? (void *)(k->slots + (size_t)slot * k->slot_bytes) : NULL;
}

uint32_t kernel_half_slot_bytes(const struct kernel_half *k)
{
	return k->slot_bytes;
}

int kernel_half_free_slot(struct kernel_half *k, uint32_t slot)
{
	return bpf_map_update_elem(bpf_map__fd(k->skel->maps.free_slots), NULL, &slot, BPF_ANY);
}

int kernel_half_totals_fd(const struct kernel_half *k)
{
	return k->off_cpu ? bpf_map__fd(k->skel->maps.totals) : -1;
}

void kernel_half_set_wait_period(struct kernel_half *k, uint64_t ns)
{
	k->skel->data->wait_period_ns = ns;
}

uint64_t kernel_half_wait_period(const struct kernel_half *k)
{
	return k->skel->data->wait_period_ns;
}

void kernel_half_set_wakers(struct kernel_half *k, bool on)
{
	k->skel->bss->wakers = on;
}

uint64_t kernel_half_cpu_ns(const struct kernel_half *k)
{
	struct bpf_program *p;
	uint64_t sum = 0;

	if (k->stats_fd < 0)
		return UINT64_MAX;
	bpf_object__for_each_program(p, k->skel->obj) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_program__fd(p) >= 0 && !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			sum += info.run_time_ns;
	}
	return sum;
}
