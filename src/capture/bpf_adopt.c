/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_adopt.c - a kernel half that another process has loaded: the same skeleton, never loaded here, whose maps are
 * those that were handed over.
 */
#include "config.h"

#include "capture/bpf_side_private.h"

#include "base/cleanup.h"
#include "capture/hold_ask.h"
#include "collector/proclink.h"
#include "model/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct hold *bpf_side_hold(const struct bpf_side *k)
{
	return k->hold;
}

void bpf_side_spare(struct bpf_side *k, uint32_t own)
{
	k->skel->bss->own_tgid = own;
}

void bpf_side_describe(const struct bpf_side *k, struct hold_reply *ret)
{
	ret->nr_rings = k->nr_rings;
	ret->first_copy = k->first_copy;
	ret->walks = k->walks;
	ret->features = k->features;
	ret->sizes = k->sizes;
	ret->own = k->own;
	ret->many = link_way_of(LINK_ENTRY) == LINK_MANY;
	ret->faults = bpf_side_has_faults(k);
	ret->walk_bytes = k->walks ? bpf_side_walk_bytes(k) : 0;
	ret->session = link_way_of(LINK_SESSION) != LINK_NOT;
	memcpy(ret->ring_bytes, k->ring_bytes, k->nr_rings * sizeof(*k->ring_bytes));
}

/* The map I of K, NULL = it has none. */
static struct bpf_map_skeleton *adopt_map_at(const struct bpf_side *k, uint32_t i)
{
	const struct bpf_object_skeleton *s = k->skel->skeleton;

	return i < (uint32_t)s->map_cnt ? (void *)((char *)s->maps + (size_t)i * (size_t)s->map_skel_sz) : NULL;
}

/* Entries of which maps a sberf may ask for that cannot by itself. */
static const struct bpf_map *adopt_entries(const struct bpf_side *k, uint32_t i, enum hold_op op)
{
	const struct bpf_map_skeleton *m = adopt_map_at(k, i);
	const struct sberf_bpf *s = k->skel;
	const struct {
		enum hold_op op;
		const struct bpf_map *map;
	} may[] = {
		{ HOLD_READ, s->maps.totals }, { HOLD_DELETE, s->maps.totals },
		{ HOLD_TAKE, s->maps.even_sums }, { HOLD_TAKE, s->maps.odd_sums },
		{ HOLD_TAKE, s->maps.even_hits }, { HOLD_TAKE, s->maps.odd_hits },
		{ HOLD_GET, s->maps.untold },
		{ HOLD_PUT, s->maps.page_of }, { HOLD_DELETE, s->maps.page_of },
		{ HOLD_PUT, s->maps.space_of }, { HOLD_DELETE, s->maps.space_of },
		{ HOLD_PUT, s->maps.plans }, { HOLD_DELETE, s->maps.plans },
		{ HOLD_PUT, s->maps.caps }, { HOLD_PUT, s->maps.free_slots },
	};

	for (size_t n = 0; m && n < sizeof(may) / sizeof(*may); n++)
		if (may[n].op == op && may[n].map == *m->map)
			return *m->map;
	return NULL;
}

int bpf_side_entries(const struct bpf_side *k, enum hold_op op, uint32_t i, uint32_t key)
{
	const struct bpf_map *m = adopt_entries(k, i, op);
	const int fd = m ? bpf_map__fd(m) : -1;

	if (fd < 0)
		return -EPERM;
	/* A value of each CPU takes a multiple of eight bytes. */
	return op == HOLD_GET ? mapway_file_of(fd, key, (bpf_map__value_size(m) + 7) / 8 * 8 * k->sizes.cpus) :
		mapway_file(fd, bpf_map__key_size(m), bpf_map__value_size(m), op == HOLD_TAKE);
}

int bpf_side_set_entry(struct bpf_side *k, enum hold_op op, const struct hold_entry *entry)
{
	const struct bpf_map *m = adopt_entries(k, entry->map, op);
	const int fd = m ? bpf_map__fd(m) : -1;

	if (fd < 0)
		return -EPERM;
	if (entry->reserved || bpf_map__key_size(m) > sizeof(entry->key) ||
	    bpf_map__value_size(m) > sizeof(entry->value))
		return -EINVAL;
	return op == HOLD_DELETE ? bpf_map_delete_elem(fd, entry->key) :
		bpf_map_update_elem(fd, bpf_map__key_size(m) ? entry->key : NULL, entry->value, BPF_ANY);
}

int bpf_side_map_fd(const struct bpf_side *k, uint32_t i)
{
	const struct bpf_map_skeleton *m = adopt_map_at(k, i);
	const int fd = m ? bpf_map__fd(*m->map) : -EINVAL;

	if (m && *m->map == k->skel->maps.loads)
		return -EPERM;
	return fd < 0 ? -EINVAL : fd;
}

uint32_t bpf_adopt_index(const struct bpf_side *k, const struct bpf_map *m)
{
	const struct bpf_map_skeleton *at;

	for (uint32_t i = 0; (at = adopt_map_at(k, i)); i++)
		if (*at->map == m)
			return i;
	return UINT32_MAX;
}

void bpf_adopt_free(struct bpf_side *k)
{
	for (uint32_t i = 0; i < k->nr_maps; i++)
		if (k->map_fd[i] >= 0)
			close(k->map_fd[i]);
	free(k->map_fd);
}

/* The variables of the programs take the place of the initial values of the map M, whose file is FD. */
static int adopt_variables(const struct bpf_map_skeleton *m, int fd, struct err *e)
{
	const bool constant = bpf_map__map_flags(*m->map) & BPF_F_RDONLY_PROG;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = bpf_map__value_size(*m->map);

	if (!m->mmaped || !*m->mmaped || !(bpf_map__map_flags(*m->map) & BPF_F_MMAPABLE))
		return 0;
	bytes = (bytes + page - 1) / page * page;
	if (mmap(*m->mmaped, bytes, PROT_READ | (constant ? 0 : PROT_WRITE), MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		return err_set(e, errno, "cannot map the variables of the BPF programs (%s): %s", m->name,
			       strerror(errno));
	return 0;
}

static int adopt_map(struct bpf_side *k, uint32_t i, struct err *e)
{
	const struct bpf_map_skeleton *m = adopt_map_at(k, i);
	const bool ours = *m->map != k->skel->maps.loads;
	AUTO_FD int fd = !ours ? -1 : hold_file(k->hold, HOLD_MAP, i, 0, e);
	int r;

	if (!ours)
		return 0;
	if (fd < 0)
		return fd;
	r = k->map_fd ? 0 : bpf_map__reuse_fd(*m->map, fd);
	if (r)
		return err_set(e, -r, "cannot use the BPF map %s: %s", m->name, strerror(-r));
	r = adopt_variables(m, fd, e);
	if (!r && k->map_fd)
		k->map_fd[i] = take_fd(&fd);
	return r;
}

/* May this process ask the kernel for entries of maps? Else it keeps their files by itself. */
static int adopt_may_ask(struct bpf_side *k, struct err *e)
{
	const uint32_t n = (uint32_t)k->skel->skeleton->map_cnt;
	const uint32_t key = 0;

	if (features_allow("map_entries") && bpf_map_lookup_elem(-1, &key, NULL) == -EBADF)
		return 0;
	k->map_fd = malloc(n * sizeof(*k->map_fd));
	if (!k->map_fd)
		return err_nomem(e, "the maps of the BPF programs");
	memset(k->map_fd, 0xff, n * sizeof(*k->map_fd));
	k->nr_maps = n;
	return 0;
}

static int adopt_rings(struct bpf_side *k, const struct hold_reply *has, struct err *e)
{
	k->ring_fd = malloc(has->nr_rings * sizeof(*k->ring_fd));
	k->ring_bytes = calloc(has->nr_rings, sizeof(*k->ring_bytes));
	if (!k->ring_fd || !k->ring_bytes)
		return err_nomem(e, "ring buffers");
	for (k->nr_rings = 0; k->nr_rings < has->nr_rings; k->nr_rings++) {
		const uint32_t i = k->nr_rings;

		k->ring_bytes[i] = has->ring_bytes[i];
		k->ring_fd[i] = hold_file(k->hold, HOLD_RING, i, 0, e);
		if (k->ring_fd[i] < 0)
			return k->ring_fd[i];
	}
	return 0;
}

/* What PLAN has of probes becomes known here, too. */
static void adopt_probes(struct bpf_side *k, const struct capture_plan *plan)
{
	if (!k->probe_skel)
		return;
	k->skel->bss->hits_counted = bpf_side_hits_counted();
	for (uint32_t i = 0; i < plan->nr_traces; i++)
		k->traced |= (uint64_t)1 << plan->traces[i].probe;
	for (uint32_t i = 0; i < plan->nr_calls; i++)
		probes_note_own(plan->calls[i].probe, k->own.call);
}

int bpf_side_adopt(const struct capture_plan *plan, struct bpf_side **ret, struct err *e)
{
	AUTO(bpf_side_free) struct bpf_side *k = calloc(1, sizeof(*k));
	const struct hold_reply *has = hold_reply(plan->hold);
	int r;

	if (!k)
		return err_nomem(e, "the capture");
	k->hold = plan->hold;
	k->stats_fd = k->cgroup_fd = -1;
	k->features = has->features;
	k->sizes = has->sizes;
	k->walks = has->walks;
	k->first_copy = has->first_copy;
	k->own = has->own;
	links_can(has->many, has->session);
	r = bpf_side_open_object(k, &k->skel);
	if (r)
		return err_set(e, -r, "cannot open the BPF programs: %s", strerror(-r));
	r = adopt_may_ask(k, e);
	r = r ? r : adopt_rings(k, has, e);
	for (uint32_t i = 0; !r && adopt_map_at(k, i); i++)
		r = adopt_map(k, i, e);
	if (r)
		return r;
	k->off_cpu = k->skel->rodata->off_cpu;
	k->probe_skel = k->sizes.probe_first == UINT32_MAX ? NULL : k->skel;
	r = bpf_side_map_all(k, e);
	if (r)
		return r;
	adopt_probes(k, plan);
	*ret = take_ptr(k);
	return 0;
}

int bpf_adopt_start(struct bpf_side *k, struct err *e)
{
	const int r = hold_do(k->hold, HOLD_START, 0, NULL, e);

	for (uint32_t probe = 0; !r && probe < SB_PROBES; probe++) {
		uint64_t ns = 0;

		if (k->traced >> probe & 1 && !hold_do(k->hold, HOLD_WAY, probe, &ns, NULL))
			k->probe_way_ns[probe] = (uint32_t)ns;
	}
	return r;
}

/* Who holds K knows the set AT of SETS, and those that it refers to. */
static int adopt_tell_set(struct bpf_side *k, const struct sb_loads *sets, uint32_t at, struct err *e)
{
	const uint32_t all[] = { sets[at].args, sets[at].print, at };
	struct hold_answer answer;
	int r = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !r; i++) {
		const uint32_t set = all[i];

		if (!set || k->told[set / 64] >> set % 64 & 1)
			continue;
		r = hold_tell(k->hold, HOLD_LOADS, set, &sets[set], -1, &answer, e);
		if (!r)
			k->told[set / 64] |= (uint64_t)1 << set % 64;
	}
	return r;
}

static int adopt_tell_loads(struct bpf_side *k, const struct link_places *places, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; places->loads && places->cookie && i < places->n && !r; i++) {
		const uint32_t set = SB_COOKIE_LOADS(places->cookie[i]);

		r = set && set < SB_LOAD_SETS ? adopt_tell_set(k, places->loads, set, e) : 0;
	}
	return r;
}

static void adopt_drop(void *ctx, uint64_t number)
{
	(void)hold_do(ctx, HOLD_DROP, number, NULL, NULL);
}

/* Those of PLACES from FIRST on that one request has room for; how many there are. */
static uint32_t adopt_choose(const struct link_places *places, uint32_t first, struct hold_places *ret)
{
	const uint32_t left = places->n - first, n = left < HOLD_PLACES ? left : HOLD_PLACES;
	const size_t bytes = n * sizeof(uint64_t);

	*ret = (struct hold_places){ .kind = places->kind, .of = places->of, .pid = places->pid, .n = n };
	memcpy(ret->offset, places->offset + first, bytes);
	if (places->semaphore)
		memcpy(ret->semaphore, places->semaphore + first, bytes);
	if (places->cookie)
		memcpy(ret->cookie, places->cookie + first, bytes);
	return n;
}

/* How many of the N places from FIRST on are placed, as ANSWER says; FAILED is told of the others. */
static uint32_t adopt_count(const struct link_places *places, uint32_t first, uint32_t n,
			    const struct hold_answer *answer, link_failed_fn *failed, void *ctx)
{
	uint32_t placed = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct err e = ERR_INIT;

		placed += !answer->failed[i];
		if (!answer->failed[i] || !failed)
			continue;
		link_explain_place(places, first + i, -answer->failed[i], &e);
		failed(ctx, first + i, &e);
	}
	return placed;
}

int bpf_adopt_place(struct bpf_side *k, const struct link_places *places, link_failed_fn *failed, void *ctx,
		    struct links **ret, struct err *e)
{
	AUTO(links_free) struct links *l = links_elsewhere(places->n / HOLD_PLACES + 1, adopt_drop, k->hold);
	AUTO_FREE struct hold_places *told = malloc(sizeof(*told));
	AUTO_FD int fd = proclink_open(places->path);
	uint32_t all = 0;
	int r;

	if (!l || !told)
		return err_nomem(e, "probes");
	if (fd < 0 || !places->n || places->n > LINK_PLACES_MAX)
		return link_explain(places, fd < 0 ? fd : -E2BIG, e);
	r = adopt_tell_loads(k, places, e);
	for (uint32_t first = 0, n; first < places->n && !r; first += n) {
		struct hold_answer answer;

		n = adopt_choose(places, first, told);
		r = hold_tell(k->hold, HOLD_PLACE, n, told, fd, &answer, e);
		if (!r && answer.value)
			links_add_elsewhere(l, answer.value);
		all += r ? 0 : adopt_count(places, first, n, &answer, failed, ctx);
	}
	if (r)
		return r == -EPIPE ? r : link_explain(places, r, e);
	owncost_note(&k->own, places);
	*ret = all ? take_ptr(l) : NULL;
	return (int)all;
}
