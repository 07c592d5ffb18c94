/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_code.c - see kernel_code.h. */
#include "config.h"

#include "engine/kernel_code.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/wildcard.h"
#include "probe/leaves.h"
#include "probe/traceable.h"
#include "symbol/kcore.h"
#include "symbol/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSE_NS (NSEC_PER_SEC / 10)
#define PAUSES 15u               /* in which nothing changes, until it is given up */

struct kernel_code {
	struct kcore *core;
	struct ksyms *syms;
	struct traceable *traceable;     /* NULL = the kernel does not say what may be traced */
};

int kernel_code_open(struct kernel_code **ret, struct err *e)
{
	AUTO(kernel_code_free) struct kernel_code *k = calloc(1, sizeof(*k));
	int r = k ? kcore_open(KCORE_PATH, &k->core, e) : err_nomem(e, "the kernel's code");

	r = r ? r : ksyms_load(&k->syms, e);
	if (!r && ksyms_hidden(k->syms))
		r = err_set(e, EPERM, "the kernel does not show where its functions are: root or CAP_SYSLOG sees that, "
			    "unless kernel.kptr_restrict is 2");
	r = r ? r : traceable_load(&k->traceable, e);
	if (!r)
		*ret = take_ptr(k);
	return r;
}

void kernel_code_free(struct kernel_code *k)
{
	if (!k)
		return;
	kcore_free(k->core);
	ksyms_free(k->syms);
	traceable_free(k->traceable);
	free(k);
}

static bool kernel_code_read(void *ctx, uint64_t address, void *to, size_t size)
{
	const struct kernel_code *k = ctx;

	return kcore_read(k->core, address, to, size);
}

static bool kernel_code_find(void *ctx, uint64_t address, const char **ret_name, uint64_t *ret_start,
			     uint64_t *ret_size)
{
	const struct kernel_code *k = ctx;
	struct ksym sym;

	if (!ksyms_find(k->syms, address, &sym))
		return false;
	*ret_name = sym.name;
	*ret_start = sym.start;
	*ret_size = sym.size;
	return true;
}

/* A number that changes with the code of the function at ADDRESS; 0 = it cannot be read. */
static uint64_t kernel_code_sum(const struct kernel_code *k, uint64_t address)
{
	AUTO_FREE uint8_t *bytes = NULL;
	struct ksym sym;

	if (!ksyms_find(k->syms, address, &sym))
		return 0;
	bytes = malloc(sym.size);
	return bytes && kcore_read(k->core, sym.start, bytes, sym.size) ? hash_bytes(bytes, sym.size) : 0;
}

int kernel_code_blocks(const struct kernel_code *k, uint64_t address, code_blocks *ret, bool *returns, struct err *e)
{
	const struct leaves_kernel kernel = { kernel_code_read, kernel_code_find, (void *)(uintptr_t)k };
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const size_t before = ret->n;
	uint64_t sum = kernel_code_sum(k, address);
	int r = leaves_kernel_blocks(&kernel, address, ret, e);

	/* Probes of a sberf that has ended are taken off behind it, one after the other. */
	for (unsigned int still = 0; (r == -EBUSY || r == -EOPNOTSUPP) && still < PAUSES; still++) {
		const uint64_t had = sum;

		nanosleep(&pause, NULL);
		sum = kernel_code_sum(k, address);
		if (sum == had)
			continue;
		still = 0;
		r = leaves_kernel_blocks(&kernel, address, ret, e);
	}
	*returns = false;
	for (size_t i = before; i < ret->n; i++) {
		ret->v[i].probed = true;
		*returns |= ret->v[i].end == CODE_TAIL;
	}
	/* The caller tells of each return then. */
	for (size_t i = before + 1; *returns && i < ret->n; i++)
		ret->v[i].probed = ret->v[i].end != CODE_RETURN;
	return r;
}

/* ---- what is called ---- */

bool kernel_code_traceable(const struct kernel_code *k, const char *name)
{
	return !k->traceable || traceable_has(k->traceable, name);
}

/* Called by everything, or part of how the kernel is compiled: wildcards. */
static const char *const kernel_common[] = {
	"*spin_*lock*", "_raw_*", "*rcu_read_*lock*", "__rcu_*", "preempt_*", "migrate_*able", "*lockdep*",
	"lock_acquire*", "lock_release*", "mutex_lock", "mutex_unlock", "down_read", "down_write", "up_read",
	"up_write", "*__x86_*", "__fentry__", "__stack_chk_fail", "__sanitizer_*", "__kasan_*", "__asan_*", "__ubsan_*",
	"__cond_resched", "__SCT__*", "memcpy*", "memmove*", "memset*", "memcmp*", "__mem*", "strlen", "strnlen",
	"strcmp", "strncmp", "strchr*", "_printk", "__warn*", "refcount_warn*", "ktime_get*", "sched_clock*",
	"*return_thunk", "clear_bhb*", "write_ibpb*", "__get_user_*", "__put_user_*", "__raw_callee_save_*", "native_*",
	"pv_*",
};

static bool kernel_is_common(const char *name)
{
	for (size_t i = 0; i < sizeof(kernel_common) / sizeof(kernel_common[0]); i++)
		if (wildcard_matches(kernel_common[i], name))
			return true;
	return false;
}

struct graph_search {
	const struct kernel_code *k;
	kernel_callees *ret;
	kernel_pointers *pointers;
	struct ksym from;        /* whose calls are found now, and how deep they are */
	uint32_t depth;
	uint32_t dropped;
	bool nomem;
};

static void graph_add(struct graph_search *s, uint64_t address, const char *name)
{
	struct kernel_callee *at;

	if (s->ret->n >= KERNEL_GRAPH_MAX) {
		s->dropped++;
		return;
	}
	at = vec_push(s->ret);
	s->nomem |= !at;
	if (!at)
		return;
	*at = (struct kernel_callee){ .address = address, .depth = s->depth };
	text_format(at->name, sizeof(at->name), "%.*s", (int)strcspn(name, " "), name);
	text_format(at->symbol, sizeof(at->symbol), "%s", name);
}

/* Whether a function called NAME, "f" or "f [module]", is one that graphs have. */
static bool graph_takes(const struct kernel_code *k, const char *name)
{
	char plain[sizeof(((struct kernel_callee *)NULL)->name)];

	text_format(plain, sizeof(plain), "%.*s", (int)strcspn(name, " "), name);
	return !kernel_is_common(plain) && kernel_code_traceable(k, plain);
}

static void graph_call(void *ctx, uint64_t target)
{
	struct graph_search *s = ctx;
	struct ksym sym;

	if (!ksyms_find(s->k->syms, target, &sym) || sym.start != target)
		return;
	for (size_t i = 0; i < s->ret->n; i++)
		if (s->ret->v[i].address == target)
			return;
	if (graph_takes(s->k, sym.name))
		graph_add(s, target, sym.name);
}

static void graph_pointer(void *ctx, uint64_t address, uint8_t reg)
{
	struct graph_search *s = ctx;
	struct kernel_pointer *at = vec_push(s->pointers);

	s->nomem |= !at;
	if (at)
		*at = (struct kernel_pointer){ .address = address, .start = s->from.start,
					       .end = s->from.start + s->from.size, .depth = s->depth - 1, .reg = reg };
}

void kernel_code_name(const struct kernel_code *k, uint64_t address, char *dst, size_t size)
{
	struct ksym sym;

	if (!ksyms_find(k->syms, address, &sym))
		text_format(dst, size, "0x%llx", (unsigned long long)address);
	else if (sym.start == address)
		text_format(dst, size, "%s", sym.name);
	else
		text_format(dst, size, "%s+0x%llx", sym.name, (unsigned long long)(address - sym.start));
}

int kernel_code_graph(const struct kernel_code *k, uint64_t address, uint32_t at, uint32_t depth, kernel_callees *ret,
		      kernel_pointers *pointers, uint32_t *dropped, struct err *e)
{
	const struct leaves_kernel kernel = { kernel_code_read, kernel_code_find, (void *)(uintptr_t)k };
	struct graph_search s = { .k = k, .ret = ret, .pointers = pointers, .depth = at };
	const struct leaves_calls to = { graph_call, graph_pointer, &s };
	struct ksym sym;
	size_t first;

	*dropped = 0;
	if (!ksyms_find(k->syms, address, &sym) || sym.start != address)
		return err_set(e, ENOENT, "no function of the kernel begins there");
	if (at && !graph_takes(k, sym.name))
		return err_set(e, EOPNOTSUPP, "%s is left out of graphs", sym.name);
	first = ret->n;
	graph_add(&s, address, sym.name);
	for (size_t i = first; i < ret->n && ret->v[i].depth < depth && !s.nomem; i++) {
		s.depth = ret->v[i].depth + 1;
		if (!ksyms_find(k->syms, ret->v[i].address, &s.from))
			continue;
		leaves_kernel_calls(&kernel, ret->v[i].address, &to);
	}
	*dropped = s.dropped;
	return s.nomem ? err_nomem(e, "functions of the kernel") : 0;
}
