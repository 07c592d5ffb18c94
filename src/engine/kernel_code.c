/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_code.c - see kernel_code.h. */
#include "config.h"

#include "engine/kernel_code.h"

#include "base/clock.h"
#include "base/hash.h"
#include "probe/leaves.h"
#include "symbol/kcore.h"
#include "symbol/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define PAUSE_NS (NSEC_PER_SEC / 10)
#define PAUSES 15u               /* in which nothing changes, until it is given up */

struct kernel_code {
	struct kcore *core;
	struct ksyms *syms;
};

int kernel_code_open(struct kernel_code **ret, struct err *e)
{
	AUTO(kernel_code_free) struct kernel_code *k = calloc(1, sizeof(*k));
	int r = k ? kcore_open(KCORE_PATH, &k->core, e) : err_nomem(e, "the kernel's code");

	r = r ? r : ksyms_load(&k->syms, e);
	if (!r && ksyms_hidden(k->syms))
		r = err_set(e, EPERM, "the kernel does not show where its functions are: root or CAP_SYSLOG sees that, "
			    "unless kernel.kptr_restrict is 2");
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
