/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel.h - finds functions and variables of the kernel, its modules and BPF programs, from /proc/kallsyms.
 *
 * A line is "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]", sorted roughly by address,
 * without sizes: a symbol reaches to the next one of any type. Names of modules are kept
 * ("nft_do_chain [nf_tables]", "bpf_prog_..._name [bpf]"). Without CAP_SYSLOG, or with
 * kptr_restrict = 2, every address reads as 0 (kernel/kallsyms.c, kallsyms_show_value()).
 */
#ifndef SBERF_SYMBOL_KERNEL_H
#define SBERF_SYMBOL_KERNEL_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The address of _text of the running kernel, from which frames of MODULE_KERNEL count
 * (model/dict.h); 0 = unknown: hidden or unreadable. Read once; any thread.
 */
uint64_t kernel_text_base(void);

struct ksyms;

struct ksym {
	uint64_t start, size;    /* address, bytes */
	const char *name;        /* as long as the table lives */
	uint32_t *user;          /* a number for the caller, 0 at first */
};

/* Takes the LEN bytes of TEXT in the format of /proc/kallsyms; lines that are not are counted and left out. */
int ksyms_parse(const char *text, size_t len, struct ksyms **ret, struct err *e);
/* Of the running kernel. */
int ksyms_load(struct ksyms **ret, struct err *e);
void ksyms_free(struct ksyms *k);                /* NULL is fine */

/* The function that covers ADDR; false when none does. */
bool ksyms_find(const struct ksyms *k, uint64_t addr, struct ksym *ret);
/* The same of variables, which kernels with CONFIG_KALLSYMS_ALL list. */
bool ksyms_find_variable(const struct ksyms *k, uint64_t addr, struct ksym *ret);

bool ksyms_hidden(const struct ksyms *k);        /* there were symbols, all at address 0 */
size_t ksyms_count(const struct ksyms *k);       /* functions */
size_t ksyms_bad_lines(const struct ksyms *k);

DEFINE_AUTO(ksyms_free, struct ksyms);

#endif
