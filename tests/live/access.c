/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.c - samples the workload arrays and holds the addresses found against where its functions
 * access memory:
 *
 *	access WORKLOAD WAY SAMPLES
 *
 * Runs WORKLOAD with WAY ("all" for every way) until each way has SAMPLES samples in its function,
 * or for two minutes. Prints a line for each way and one for all samples of user code, in percent:
 *
 *	NAME samples N address A right R slow S far F truth T before B at A ahead H MISS COUNT ...
 *
 * A: have an address; R of these: in an array that the function accesses; S: in one of those it
 * waits for, which are not in the caches. F of the latter: on a far node, by a map made up here, in
 * which parts of the arrays are far; T: what F must be, since the functions access all of these
 * arrays alike.
 */
#include "config.h"

#include "base/clock.h"
#include "base/vec.h"
#include "capture/source.h"
#include "engine/ingest.h"
#include "numa/code.h"
#include "symbol/elfsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define FREQ_HZ 1999u
#define LONGEST_NS (120 * NSEC_PER_SEC)
#define ARRAYS_MAX 16u
#define BLOCK_BYTES 16384u       /* of an array, on one node */
#define FUNCTION "way_"

struct array {
	char name[32];
	uint64_t start, end;
};

/* How much of each array is far. The program runs on a near node. */
static const struct way {
	const char *name, *array, *other;
	unsigned int far, other_far;     /* percent */
	const char *cached;              /* accessed as well, but seldom waited for */
} ways[] = {
	{ "stride", "stride", NULL, 50, 0, NULL },
	{ "gather", "gather", NULL, 50, 0, "table" },
	{ "chase", "chase", NULL, 30, 0, NULL },
	{ "store", "store", NULL, 20, 0, NULL },
	{ "pair", "pair_a", "pair_b", 50, 100, NULL },
	{ "copy", "source", "copied", 50, 50, NULL },
	{ "fill", "fill", NULL, 0, 0, NULL },
};
#define NR_WAYS (sizeof(ways) / sizeof(*ways))

/* A sample, as far as it is needed. */
struct seen {
	struct frame place;
	struct raw_sample raw;
};

struct count {
	uint64_t samples, address, right, slow, far;
	uint64_t how[ACCESS_HARDWARE + 1], miss[MISS_NR];
};

struct test {
	const char *name;        /* of the workload's file */
	pid_t child;
	int out;                 /* of the workload */
	struct array array[ARRAYS_MAX];
	size_t nr_arrays;
	struct elf_file *elf;
	struct elf_syms *syms;
	module_id workload;      /* ID_NONE: not seen yet */
	struct processes *ps;
	struct dict *dict;
	VEC(struct seen) seen;
	uint64_t wanted, in_way[NR_WAYS];
	struct count count[NR_WAYS], all;
};

static int start_workload(struct test *t, const char *path, const char *way)
{
	int out[2];

	if (pipe(out))
		return -errno;
	t->child = fork();
	if (t->child == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl(path, path, "0", strcmp(way, "all") ? way : NULL, NULL);
		_exit(127);
	}
	close(out[1]);
	t->out = out[0];
	return t->child < 0 ? -errno : 0;
}

static int read_arrays(struct test *t, struct err *e)
{
	AUTO_FILE FILE *f = fdopen(t->out, "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		struct array a;

		if (!strcmp(line, "end\n"))
			return 0;
		if (t->nr_arrays < ARRAYS_MAX && sscanf(line, "array %31s %" SCNx64 " %" SCNx64, a.name,
							&a.start, &a.end) == 3)
			t->array[t->nr_arrays++] = a;
	}
	return err_set(e, EPROTO, "the workload did not tell its arrays");
}

static int read_symbols(struct test *t, const char *path, struct err *e)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_set(e, errno, "cannot open %s", path);
	rc = elf_file_open(fd, &t->elf, e);
	rc = rc ? rc : elf_syms_new(t->elf, NULL, &t->syms, e);
	close(fd);
	return rc;
}

static const struct array *find_array(const struct test *t, const char *name)
{
	for (size_t i = 0; name && i < t->nr_arrays; i++)
		if (!strcmp(t->array[i].name, name))
			return &t->array[i];
	return NULL;
}

/* In whose function PLACE is; NR_WAYS = in none. */
static size_t way_of(struct test *t, const struct frame *place)
{
	uint64_t vaddr;
	struct elf_sym sym;

	if (place->module != t->workload || !elf_file_vaddr(t->elf, place->offset, &vaddr) ||
	    !elf_syms_find(t->syms, vaddr, &sym) || strncmp(sym.name, FUNCTION, strlen(FUNCTION)))
		return NR_WAYS;
	for (size_t i = 0; i < NR_WAYS; i++)
		if (!strcmp(sym.name + strlen(FUNCTION), ways[i].name))
			return i;
	return NR_WAYS;
}

/* Is module ID the program itself? */
static void note_workload(struct test *t, module_id id)
{
	const struct module *m = dict_get_module(t->dict, id);
	const char *path = m ? strtab_get(dict_strings(t->dict), m->path) : "";
	const char *slash = strrchr(path, '/');

	if (m && m->kind == MODULE_FILE && slash && !strcmp(slash + 1, t->name))
		t->workload = id;
}

static void on_sample(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	const struct stack *stack;
	struct test *t = ctx;
	struct seen *s;
	size_t way;

	if (!raw || raw->pid != t->child || raw->sample.in_kernel || ev->stack == STACK_ROOT)
		return;
	s = vec_push(&t->seen);
	stack = dict_get_stack(t->dict, ev->stack);
	if (!s || !stack)
		return;
	s->place = *dict_get_frame(t->dict, stack->frame);
	s->raw = raw->sample;
	if (t->workload == ID_NONE)
		note_workload(t, s->place.module);
	way = way_of(t, &s->place);
	if (way < NR_WAYS)
		t->in_way[way]++;
}

static bool enough(const struct test *t, const char *only)
{
	for (size_t i = 0; i < NR_WAYS; i++)
		if ((!strcmp(only, "all") || !strcmp(only, ways[i].name)) && t->in_way[i] < t->wanted)
			return false;
	return true;
}

static int capture(struct test *t, struct source *s, struct ingest *in, const char *only, struct err *e)
{
	const uint64_t until = clock_mono_ns() + LONGEST_NS;
	int r = source_prepare(s, e);

	if (!r)
		r = processes_scan(t->ps, &t->child, 1, e);
	if (!r)
		r = source_start(s, e);
	while (r >= 0 && !enough(t, only) && clock_mono_ns() < until) {
		r = source_read(s, 50, false, ingest_raw, in, e);
		if (processes_poll(t->ps))
			ingest_retry(in, clock_mono_ns());
	}
	source_stop(s);
	ingest_settle(in);
	return r < 0 ? r : 0;
}

/*
 * Of each hundred blocks PERCENT are far, evenly spread: which part of an array happens to be in a
 * cache, or in huge pages, must not make a difference.
 */
static bool is_far(const struct array *a, uint64_t addr, unsigned int percent)
{
	const uint64_t block = (addr - a->start) / BLOCK_BYTES;

	return (block + 1) * percent / 100 != block * percent / 100;
}

static void judge(struct test *t, size_t w, uint64_t addr, struct count *c)
{
	const char *names[] = { ways[w].array, ways[w].other, ways[w].cached };
	const unsigned int far[] = { ways[w].far, ways[w].other_far };

	for (unsigned int i = 0; i < 3; i++) {
		const struct array *a = find_array(t, names[i]);

		if (!a || addr < a->start || addr >= a->end)
			continue;
		c->right++;
		t->all.right++;
		if (i == 2)
			break;
		c->slow++;
		t->all.slow++;
		c->far += is_far(a, addr, far[i]);
	}
}

static int open_module(void *ctx, module_id module, struct err *e)
{
	return processes_open_code(ctx, module, e);
}

static struct access_rule get_rule(struct code *code, const struct frame *place)
{
	struct access_rule r;

	while (!code_rule(code, place, &r))
		if (!code_poll(code))
			usleep(100);
	return r;
}

static void look_at(struct test *t, const struct seen *s, const struct access_rule *r)
{
	const size_t w = way_of(t, &s->place);
	struct count none = { 0 }, *c = w < NR_WAYS ? &t->count[w] : &none;
	enum access_miss miss;
	uint64_t addr;

	c->samples++;
	t->all.samples++;
	if (!access_address(r, &s->raw, &addr, &miss)) {
		c->miss[miss]++;
		t->all.miss[miss]++;
		return;
	}
	c->address++;
	t->all.address++;
	c->how[r->how]++;
	t->all.how[r->how]++;
	if (w < NR_WAYS)
		judge(t, w, addr, c);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_count(const char *name, const struct count *c, unsigned int truth)
{
	printf("%s samples %" PRIu64 " address %.1f right %.1f slow %.1f far %.1f truth %u", name, c->samples,
	       percent(c->address, c->samples), percent(c->right, c->address), percent(c->slow, c->address),
	       percent(c->far, c->slow), truth);
	printf(" before %.1f at %.1f ahead %.1f", percent(c->how[ACCESS_BEFORE], c->address),
	       percent(c->how[ACCESS_AT], c->address), percent(c->how[ACCESS_AHEAD], c->address));
	for (unsigned int i = 1; i < MISS_NR; i++)
		if (c->miss[i])
			printf(" %s %" PRIu64, access_miss_word(i)->name, c->miss[i]);
	printf("\n");
}

static int find_addresses(struct test *t, struct err *e)
{
	const struct code_config config = { .dict = t->dict, .open = open_module, .ctx = t->ps };
	AUTO(code_free) struct code *code = NULL;
	int r = code_new(&config, &code, e);

	for (size_t i = 0; !r && i < t->seen.n; i++) {
		const struct access_rule rule = get_rule(code, &t->seen.v[i].place);

		look_at(t, &t->seen.v[i], &rule);
	}
	for (size_t i = 0; !r && i < NR_WAYS; i++) {
		const struct way *w = &ways[i];

		if (t->count[i].samples)
			print_count(w->name, &t->count[i], w->other ? (w->far + w->other_far) / 2 : w->far);
	}
	print_count("all", &t->all, 0);
	return r;
}

static int run(struct test *t, char **argv, struct err *e)
{
	struct capture_plan plan = { .target = TARGET_PIDS, .event = EVENT_CPU_CLOCK, .freq_hz = FREQ_HZ,
				     .stack_bytes = 4096 };
	struct event_sink sink = { .observer = on_sample, .observer_ctx = t };
	struct ingest_config config = { .sink = &sink, .stack_bytes = 4096 };
	AUTO(dict_free) struct dict *dict = dict_new();
	AUTO(processes_free) struct processes *ps = dict ? processes_new(dict, e) : NULL;
	AUTO(ingest_free) struct ingest *in = NULL;
	AUTO(source_free) struct source *s = NULL;
	uint32_t *id = vec_push(&plan.ids);
	int r = read_symbols(t, argv[1], e);

	r = r ? r : start_workload(t, argv[1], argv[2]);
	r = r ? r : read_arrays(t, e);
	if (r || !ps || !id)
		return r ? r : err_nomem(e, "the test");
	*id = (uint32_t)t->child;
	t->dict = config.dict = dict;
	t->ps = config.ps = ps;
	r = source_open(&plan, &s, e);
	r = r ? r : ingest_new(&config, &in, e);
	r = r ? r : capture(t, s, in, argv[2], e);
	r = r ? r : find_addresses(t, e);
	vec_free(&plan.ids);
	return r;
}

int main(int argc, char **argv)
{
	static struct test t = { .workload = ID_NONE };
	struct err e = ERR_INIT;
	int r;

	if (argc != 4)
		return 2;
	t.name = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
	t.wanted = strtoul(argv[3], NULL, 10);
	r = run(&t, argv, &e);
	if (t.child > 0) {
		kill(t.child, SIGKILL);
		waitpid(t.child, NULL, 0);
	}
	if (r)
		fprintf(stderr, "access: %s\n", e.text);
	vec_free(&t.seen);
	elf_syms_free(t.syms);
	elf_file_free(t.elf);
	return r ? 1 : 0;
}
