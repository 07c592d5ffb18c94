/* SPDX-License-Identifier: BSD-2-Clause */
/* bpfcalls.c - see bpfcalls.h. */
#include "config.h"

#include "capture/bpfcalls.h"

#include "base/clock.h"
#include "base/vec.h"
#include "bpf/bpfcalls.skel.h"
#include "capture/bpflog.h"
#include "capture/ring.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_BYTES (1u << 22)
#define OPEN_CALLS 8u            /* on each CPU, as bpfcalls.bpf.c has it */
#define PRICE_HITS 64u
#define PRICE_TURNS 5u
#define CPU_LIST "/sys/devices/system/cpu/online"

/* A function, with programs of its own. */
struct bpfcalls_one {
	struct bpfcalls_bpf *skel;
	struct bpf_link *in, *out;
	int target;              /* descriptor of the program that is followed; -1 = none */
};

struct bpfcalls_event {
	int fd;
	struct bpf_link *link;
};

typedef VEC(struct bpfcalls_event) bpfcalls_events;

struct bpfcalls {
	struct bpfcalls_one one[BPFCALLS_FUNCTIONS_MAX];
	size_t n;
	bool records;
	bool prints;             /* something is to be shown */
	int cpus;                /* possible ones */
	struct ring *ring;
	bpfcalls_events event;   /* breakpoints: those of a CPU one behind the other */
	bpfcalls_events end_event;       /* those that tell of ends, */
	uint64_t leaves;         /* which stand there */
	VEC(int) branch_event;   /* has the CPUs keep records; descriptors */
	uint32_t each;           /* breakpoints of each CPU */
	uint32_t hit_ns;
	uint64_t own_hits;       /* of the breakpoint with which that was measured */
};

/* ---- loading ---- */

/* Whether the N loads at L have some. */
static bool bpfcalls_reads(const struct sb_load *l, size_t n)
{
	while (n && !l[n - 1].size)
		n--;
	return n;
}

static void bpfcalls_set_constants(struct bpfcalls_bpf *skel, const struct bpfcalls_function *f, uint32_t number,
				   bool prints)
{
	skel->rodata->prints = prints;
	skel->rodata->named = f->loads && bpfcalls_reads(f->loads->load + SB_PRINTS, SB_BPF_NAMES);
	skel->rodata->function = number;
	skel->rodata->nr_args = f->nr_args;
	skel->rodata->packet_kind = f->packet;
	skel->rodata->conditional = f->when != NULL;
	skel->rodata->at_entry = f->entry;
	skel->rodata->by_breakpoint = f->leaves != 0;
	for (size_t i = 0; i <= SB_BPF_ARGS; i++) {
		skel->rodata->unused_bits[i] = f->unused_bits[i];
		skel->rodata->is_signed[i] = f->is_signed[i];
	}
}

/* All share the maps of the first one, the variables among them. */
static int bpfcalls_share(const struct bpfcalls *b, struct bpfcalls_bpf *skel)
{
	const struct bpfcalls_bpf *first = b->one[0].skel;
	int r = bpf_map__reuse_fd(skel->maps.open_calls, bpf_map__fd(first->maps.open_calls));

	r = r ? r : bpf_map__reuse_fd(skel->maps.ring, bpf_map__fd(first->maps.ring));
	r = r ? r : bpf_map__reuse_fd(skel->maps.lost, bpf_map__fd(first->maps.lost));
	r = r ? r : bpf_map__reuse_fd(skel->maps.conditions, bpf_map__fd(first->maps.conditions));
	r = r ? r : bpf_map__reuse_fd(skel->maps.call_loads, bpf_map__fd(first->maps.call_loads));
	return r ? r : bpf_map__reuse_fd(skel->maps.bss, bpf_map__fd(first->maps.bss));
}

static int bpfcalls_size(const struct bpfcalls *b, struct bpfcalls_bpf *skel, size_t n)
{
	int r = bpf_map__set_max_entries(skel->maps.open_calls, OPEN_CALLS * (uint32_t)b->cpus);

	r = r ? r : bpf_map__set_max_entries(skel->maps.ring, RING_BYTES);
	r = r ? r : bpf_map__set_max_entries(skel->maps.conditions, (uint32_t)n);
	return r ? r : bpf_map__set_max_entries(skel->maps.call_loads, (uint32_t)n);
}

static int bpfcalls_refused(const struct bpfcalls_function *f, int code, struct err *e)
{
	if (code == EPERM || code == EACCES)
		return err_set(e, code, "%s cannot be followed: that takes root, or CAP_BPF and CAP_PERFMON, and a "
			       "kernel that lets BPF programs be traced (%s)", f->name, strerror(code));
	if (!f->program)
		return err_set(e, code, "the function %s of the kernel cannot be followed to its return: it is not "
			       "traceable (%s)", f->name, strerror(code));
	return err_set(e, code, "the kernel does not let %s be followed: it needs type information (BTF), and may not "
		       "be a program that traces others (%s)", f->name, strerror(code));
}

/* Loads the programs for F, number NR of N, once with ARGS arguments. */
static int bpfcalls_load_with(struct bpfcalls *b, const struct bpfcalls_function *f, uint32_t nr, size_t n,
			      uint32_t args)
{
	struct bpfcalls_one *one = &b->one[nr];
	int r = 0;

	one->skel = bpfcalls_bpf__open();
	if (!one->skel)
		return -ENOMEM;
	bpfcalls_set_constants(one->skel, f, nr, b->prints);
	one->skel->rodata->nr_args = args;
	bpf_program__set_autoload(one->skel->progs.sb_call_in, !b->records);
	bpf_program__set_autoload(one->skel->progs.sb_call_out, !b->records && !f->entry && !f->leaves);
	bpf_program__set_autoload(one->skel->progs.sb_call_left, !b->records && !f->entry && f->leaves);
	bpf_program__set_autoload(one->skel->progs.sb_call_records, b->records);
	bpf_program__set_autoload(one->skel->progs.sb_call_jump, !b->records && !f->entry && !nr);
	if (b->records) {
		if (f->entry)
			bpf_program__set_expected_attach_type(one->skel->progs.sb_call_records, BPF_TRACE_FENTRY);
		r = bpf_program__set_attach_target(one->skel->progs.sb_call_records, one->target, f->name);
	} else {
		r = bpf_program__set_attach_target(one->skel->progs.sb_call_in, one->target, f->name);
		r = r || f->entry || f->leaves ? r :
			bpf_program__set_attach_target(one->skel->progs.sb_call_out, one->target, f->name);
	}
	r = r ? r : nr ? bpfcalls_share(b, one->skel) : bpfcalls_size(b, one->skel, n);
	r = r ? r : bpfcalls_bpf__load(one->skel);
	if (r) {
		bpfcalls_bpf__destroy(one->skel);
		one->skel = NULL;
	}
	return r;
}

static int bpfcalls_load_one(struct bpfcalls *b, const struct bpfcalls_function *f, uint32_t nr, size_t n,
			     struct err *e)
{
	struct bpfcalls_one *one = &b->one[nr];
	int r;

	one->target = f->program ? bpf_prog_get_fd_by_id(f->program) : 0;
	b->n = nr + 1u;
	if (one->target < 0)
		return err_set(e, errno, "%s cannot be opened: %s", f->name, strerror(errno));
	r = bpfcalls_load_with(b, f, nr, n, f->nr_args);
	/* Of a function whose types the verifier does not trust there are as many arguments as registers: five. */
	if (r && r != -ENOMEM && f->program)
		r = bpfcalls_load_with(b, f, nr, n, SB_BPF_ARGS - 1) ? r : 0;
	if (r)
		return r == -ENOMEM ? err_nomem(e, "BPF programs") : bpfcalls_refused(f, -r, e);
	if (f->when && bpf_map_update_elem(bpf_map__fd(b->one[0].skel->maps.conditions), &nr, f->when, BPF_ANY))
		return err_set(e, errno, "the condition of %s cannot be set: %s", f->name, strerror(errno));
	if (f->loads && bpf_map_update_elem(bpf_map__fd(b->one[0].skel->maps.call_loads), &nr, f->loads, BPF_ANY))
		return err_set(e, errno, "what is read of %s cannot be set: %s", f->name, strerror(errno));
	return 0;
}

int bpfcalls_load(const struct bpfcalls_function *f, size_t n, bool records, struct bpfcalls **ret, struct err *e)
{
	AUTO(bpfcalls_free) struct bpfcalls *b = calloc(1, sizeof(*b));
	int r = b ? 0 : err_nomem(e, "BPF programs");

	if (!r && (!n || n > BPFCALLS_FUNCTIONS_MAX))
		r = err_set(e, E2BIG, "%zu functions are too many to be followed: %u can be", n,
			    BPFCALLS_FUNCTIONS_MAX);
	if (r)
		return r;
	bpflog_begin();
	b->records = records;
	b->cpus = libbpf_num_possible_cpus();
	for (size_t i = 0; i < BPFCALLS_FUNCTIONS_MAX; i++)
		b->one[i].target = -1;
	if (b->cpus < 0)
		return err_set(e, -b->cpus, "the CPUs cannot be counted: %s", strerror(-b->cpus));
	for (size_t i = 0; i < n; i++)
		b->prints |= f[i].loads && bpfcalls_reads(f[i].loads->load, SB_PRINTS);
	for (size_t i = 0; i < n && !r; i++)
		r = bpfcalls_load_one(b, &f[i], (uint32_t)i, n, e);
	if (!r)
		r = ring_open(bpf_map__fd(b->one[0].skel->maps.ring), RING_BYTES, &b->ring, e);
	if (!r)
		*ret = take_ptr(b);
	return r;
}

/* ---- records ---- */

/* Has CPU keep records of branches. */
static int bpfcalls_keep_records(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_BRANCH_STACK, .exclude_user = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Calls EACH for the CPUs that are online until it returns something else than 0, which is returned. */
static int bpfcalls_each_cpu(struct bpfcalls *b, int (*each)(struct bpfcalls *b, int cpu))
{
	AUTO_FILE FILE *f = fopen(CPU_LIST, "re");
	unsigned int from, to;
	int r = f ? 0 : -errno, got;

	while (!r && (got = fscanf(f, "%u-%u", &from, &to)) > 0) {
		for (to = got == 2 ? to : from; from <= to && !r; from++)
			r = each(b, (int)from);
		if (getc(f) != ',')
			break;
	}
	return r;
}

static int bpfcalls_record_cpu(struct bpfcalls *b, int cpu)
{
	const int fd = bpfcalls_keep_records(cpu);
	int *at = fd < 0 ? NULL : vec_push(&b->branch_event);

	if (at)
		*at = fd;
	return at ? 0 : -errno;
}

static void bpfcalls_attr(uint64_t address, bool user, bool on, struct perf_event_attr *ret)
{
	*ret = (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(*ret), .bp_type = HW_BREAKPOINT_X, .bp_addr = address,
		.bp_len = sizeof(long), .sample_period = 1, .disabled = !on, .pinned = !user, .exclude_user = !user,
		.exclude_kernel = user,
	};
}

/* A breakpoint of CPU, or of this process, which runs PROGRAM as number WHICH, switched off. A negative errno. */
static int bpfcalls_break(const struct bpf_program *program, int cpu, uint32_t which, uint64_t address,
			  struct bpfcalls_event *ret)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = which);
	struct perf_event_attr attr;
	AUTO_FD int fd = -1;

	bpfcalls_attr(address, cpu < 0, false, &attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret->link = bpf_program__attach_perf_event_opts(program, fd, &opts);
	if (!ret->link)
		return -errno;
	ret->fd = take_fd(&fd);
	/* Attaching has enabled it, where it is of no use yet. */
	ioctl(ret->fd, PERF_EVENT_IOC_DISABLE, 0);
	return 0;
}

/* The end of the function that is followed alone, on CPU. */
static int bpfcalls_break_end(struct bpfcalls *b, int cpu)
{
	struct bpfcalls_event at = { .fd = -1 }, *to;
	const int r = bpfcalls_break(b->one[0].skel->progs.sb_call_left, cpu, 0, b->leaves, &at);

	if (r)
		return r;
	to = vec_push(&b->end_event);
	if (!to) {
		bpf_link__destroy(at.link);
		return -ENOMEM;
	}
	*to = at;
	return ioctl(at.fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int bpfcalls_open(const struct bpfcalls_function *f, size_t n, bool records, struct bpfcalls **ret, struct err *e)
{
	AUTO(bpfcalls_free) struct bpfcalls *b = NULL;
	int r = bpfcalls_load(f, n, records, &b, e);

	if (!r && records) {
		r = bpfcalls_each_cpu(b, bpfcalls_record_cpu);
		if (r)
			return err_set(e, -r, "the CPUs cannot be told to keep branch records: %s", strerror(-r));
	}
	for (size_t i = 0; i < n && !r; i++) {
		struct bpfcalls_one *one = &b->one[i];

		/* The end first: a call that has begun is not to be seen without it. */
		if (!records && !f[i].entry && f[i].leaves) {
			b->leaves = f[i].leaves;
			r = bpfcalls_each_cpu(b, bpfcalls_break_end);
			if (r)
				err_set(e, -r, "a breakpoint at the end of %s cannot be set: %s", f[i].name,
					strerror(-r));
		} else if (records || !f[i].entry) {
			one->out = bpf_program__attach(records ? one->skel->progs.sb_call_records :
						       one->skel->progs.sb_call_out);
			r = one->out ? 0 : bpfcalls_refused(&f[i], errno, e);
		}
		if (!r && !records) {
			one->in = bpf_program__attach(one->skel->progs.sb_call_in);
			r = one->in ? 0 : bpfcalls_refused(&f[i], errno, e);
		}
	}
	if (!r)
		*ret = take_ptr(b);
	return r;
}

static void bpfcalls_close_all(bpfcalls_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		bpf_link__destroy(events->v[i].link);
		if (events->v[i].fd >= 0 && !events->v[i].link)
			close(events->v[i].fd);
	}
	vec_free(events);
}

static void bpfcalls_close_events(struct bpfcalls *b)
{
	bpfcalls_close_all(&b->event);
	b->each = 0;
}

void bpfcalls_free(struct bpfcalls *b)
{
	if (!b)
		return;
	bpfcalls_close_events(b);
	bpfcalls_close_all(&b->end_event);
	for (size_t i = 0; i < b->branch_event.n; i++)
		close(b->branch_event.v[i]);
	vec_free(&b->branch_event);
	ring_free(b->ring);
	for (size_t i = b->n; i--;) {
		bpf_link__destroy(b->one[i].in);
		bpf_link__destroy(b->one[i].out);
		bpfcalls_bpf__destroy(b->one[i].skel);
		if (b->one[i].target > 0)
			close(b->one[i].target);
	}
	free(b);
}

/* ---- breakpoints ---- */

/* Any code of the kernel: the breakpoint is disabled there. */
static uint64_t bpfcalls_nowhere(const struct bpfcalls *b)
{
	struct bpf_prog_info info = { 0 };
	uint64_t address = 0;
	uint32_t len = sizeof(info);

	info.nr_jited_ksyms = 1;
	info.jited_ksyms = (uint64_t)(uintptr_t)&address;
	return bpf_obj_get_info_by_fd(bpf_program__fd(b->one[0].skel->progs.sb_call_jump), &info, &len) ? 0 : address;
}

static int bpfcalls_break_cpu(struct bpfcalls *b, int cpu)
{
	const uint64_t nowhere = bpfcalls_nowhere(b);
	int r = 0;

	for (uint32_t i = 0; i < b->each && !r; i++) {
		struct bpfcalls_event at = { .fd = -1 }, *to;

		r = bpfcalls_break(b->one[0].skel->progs.sb_call_jump, cpu, i, nowhere, &at);
		to = r ? NULL : vec_push(&b->event);
		if (to)
			*to = at;
		else if (!r)
			r = -ENOMEM;
	}
	return r;
}

/* It is hit to learn what a hit costs. */
__attribute__((noinline)) static void bpfcalls_hit_here(void)
{
	__asm__ volatile("" ::: "memory");
}

static uint64_t bpfcalls_time_hits(void)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t turn = 0; turn < PRICE_TURNS; turn++) {
		const uint64_t from = clock_mono_ns();
		uint64_t took;

		for (uint32_t i = 0; i < PRICE_HITS; i++)
			bpfcalls_hit_here();
		took = clock_mono_ns() - from;
		least = took < least ? took : least;
	}
	return least;
}

/* What a hit costs, of a breakpoint that stands in this process. */
static void bpfcalls_price(struct bpfcalls *b)
{
	struct bpfcalls_event at = { .fd = -1 };
	const uint64_t without = bpfcalls_time_hits();
	uint64_t with;

	if (bpfcalls_break(b->one[0].skel->progs.sb_call_jump, -1, 0, (uint64_t)(uintptr_t)bpfcalls_hit_here, &at))
		return;
	ioctl(at.fd, PERF_EVENT_IOC_ENABLE, 0);
	with = bpfcalls_time_hits();
	b->own_hits = (uint64_t)PRICE_HITS * PRICE_TURNS;
	bpf_link__destroy(at.link);
	b->hit_ns = with > without ? (uint32_t)((with - without) / PRICE_HITS) : 0;
}

uint32_t bpfcalls_breakpoints(struct bpfcalls *b, struct err *why)
{
	int r = -ENOSPC;

	/* While there is one left for it. */
	bpfcalls_price(b);
	/* Somebody else may have some. */
	for (b->each = SB_JUMPS; b->each; ) {
		const uint32_t wanted = b->each;

		r = bpfcalls_each_cpu(b, bpfcalls_break_cpu);
		if (!r)
			break;
		bpfcalls_close_events(b);
		b->each = r == -ENOSPC || r == -EBUSY ? wanted - 1 : 0;
	}
	if (!b->each)
		err_set(why, -r, r == -EINVAL ? "this kernel lets no breakpoint stand in its code (it was built "
			"without kprobes)" :
			r == -ENOSPC || r == -EBUSY ? "somebody else has all breakpoints of a CPU" :
			"breakpoints cannot be had (%s)", strerror(-r));
	return b->each;
}

uint32_t bpfcalls_hit_ns(const struct bpfcalls *b)
{
	return b->hit_ns;
}

/* Writes of variables that the programs read. */
static void bpfcalls_set(struct bpfcalls *b, uint32_t set)
{
	__atomic_store_n(&b->one[0].skel->bss->set, set, __ATOMIC_SEQ_CST);
}

bool bpfcalls_watch(struct bpfcalls *b, const uint64_t *address, uint32_t n, uint32_t set)
{
	bool ok = n <= b->each;

	bpfcalls_set(b, 0);
	for (size_t i = 0; i < b->event.n && ok; i++) {
		const uint32_t which = (uint32_t)(i % b->each);
		struct perf_event_attr attr;

		if (which >= n) {
			ioctl(b->event.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
			continue;
		}
		bpfcalls_attr(address[which], false, true, &attr);
		ok = !ioctl(b->event.v[i].fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
	}
	if (ok && n)
		bpfcalls_set(b, set);
	return ok;
}

void bpfcalls_off(struct bpfcalls *b, bool off)
{
	__atomic_store_n(&b->one[0].skel->bss->off, off, __ATOMIC_SEQ_CST);
}

/* ---- reading ---- */

struct bpfcalls_reading {
	struct bpfcalls *b;
	bpfcalls_each *each;
	void *ctx;
};

static void bpfcalls_one_read(void *ctx, const void *data, uint32_t len, uint64_t tag)
{
	const struct bpfcalls_reading *r = ctx;
	const struct sb_bpf_prints *prints = r->b->prints ? data : NULL;
	const size_t before = prints ? sizeof(*prints) : 0;
	const struct sb_bpf_call *call = (const void *)((const char *)data + before);
	const size_t head = before + offsetof(struct sb_bpf_call, jump);
	const size_t most = len >= head ? len - head : 0;

	if (len >= head && call->jumps <= SB_CALL_JUMPS && call->records <= SB_RECORDS && call->function < r->b->n &&
	    call->jumps * sizeof(call->jump[0]) + call->records * sizeof(call->record[0]) <= most)
		r->each(r->ctx, call, prints);
	ring_done(r->b->ring, tag);
}

void bpfcalls_read(struct bpfcalls *b, int timeout_ms, bpfcalls_each *each, void *ctx)
{
	struct pollfd fd = { .fd = bpf_map__fd(b->one[0].skel->maps.ring), .events = POLLIN };
	struct bpfcalls_reading r = { b, each, ctx };

	(void)poll(&fd, 1, timeout_ms);
	(void)ring_collect(b->ring, bpfcalls_one_read, &r);
}

void bpfcalls_lost(const struct bpfcalls *b, struct sb_bpf_lost *ret)
{
	AUTO_FREE struct sb_bpf_lost *each = calloc((size_t)b->cpus, sizeof(*each));
	const uint32_t zero = 0;

	memset(ret, 0, sizeof(*ret));
	if (!each || bpf_map_lookup_elem(bpf_map__fd(b->one[0].skel->maps.lost), &zero, each))
		return;
	for (int i = 0; i < b->cpus; i++) {
		uint64_t *to = (uint64_t *)ret;
		const uint64_t *from = (const uint64_t *)&each[i];

		for (size_t k = 0; k < sizeof(*ret) / sizeof(*to); k++)
			to[k] += from[k];
	}
	ret->hits -= b->own_hits < ret->hits ? b->own_hits : ret->hits;
	ret->strange -= b->own_hits < ret->strange ? b->own_hits : ret->strange;
}
