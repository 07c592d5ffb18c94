/* SPDX-License-Identifier: BSD-2-Clause */
/* proctext.c - see proctext.h. */
#include "config.h"

#include "numa/proctext.h"

#include "base/parse.h"
#include "base/part.h"
#include "base/units.h"
#include "system/listtext.h"

#include <stdio.h>
#include <string.h>

/* What stands behind KEY, which begins with a newline, up to the end of its line. NULL = the key is not there. */
static const char *value_of(const char *text, const char *key, size_t *ret_len)
{
	const char *p = strstr(text, key);

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, " \t");
	*ret_len = strcspn(p, "\n");
	return p;
}

static void copy_list(const char *text, const char *key, char dst[NUMA_LIST_MAX])
{
	size_t len = 0;
	const char *list = value_of(text, key, &len);

	/* Digits, commas and dashes only, so there is nothing to sanitise. */
	list_text_copy(dst, NUMA_LIST_MAX, list ? list : "", list ? strspn(list, "0123456789,-") : 0);
}

void node_status_parse(const char *text, struct node_status *ret)
{
	size_t len = 0;
	const char *huge = value_of(text, "\nHugetlbPages:", &len);
	uint64_t kb;

	memset(ret, 0, sizeof(*ret));
	copy_list(text, "\nMems_allowed_list:", ret->mems);
	copy_list(text, "\nCpus_allowed_list:", ret->cpus);
	if (huge && parse_dec(&huge, huge + len, &kb) && kb <= UINT64_MAX >> 10) {
		ret->huge_known = true;
		ret->huge_bytes = kb << 10;
	}
}

bool statm_parse(const char *text, size_t len, uint64_t *ret_pages)
{
	const char *p = text, *end = text + len;
	uint64_t size, resident;

	if (!parse_dec(&p, end, &size) || p == end || *p++ != ' ' || !parse_dec(&p, end, &resident))
		return false;
	*ret_pages = resident;
	return true;
}

/* "0x7ffe": moves *P behind it. */
static bool take_address(const char **p, const char *end, uint64_t *ret)
{
	if (end - *p < 3 || (*p)[0] != '0' || (*p)[1] != 'x')
		return false;
	*p += 2;
	return parse_hex(p, end, ret);
}

bool syscall_parse_sp(const char *text, size_t len, uint64_t *ret_sp)
{
	const char *end = text + len, *p = end;
	uint64_t sp, pc;

	/* "running", or a number, arguments if it is one of a call, stack pointer, pc: the last two words. */
	while (end > text && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	p = end;
	for (unsigned int words = 0; p > text; p--)
		if (p[-1] == ' ' && ++words == 2)
			break;
	if (p == text || !take_address(&p, end, &sp) || p == end || *p++ != ' ' ||
	    !take_address(&p, end, &pc) || p != end)
		return false;
	*ret_sp = sp;
	return true;
}

/* What numa_maps calls a policy, mpol_to_str() of the kernel, and what it is called elsewhere (policy.h). */
static const struct {
	const char *kernels, *ours;
} policy_names[] = {
	{ "prefer (many)", "preferred-many" },
	{ "prefer", "preferred" },
	{ "weighted interleave", "weighted-interleave" },
};

/* The policy that *IN begins with: up to the next space behind its name. */
static void take_policy(struct part *in, char dst[POLICY_TEXT])
{
	const char *name = "";
	struct part word;

	for (size_t i = 0; i < sizeof(policy_names) / sizeof(*policy_names) && !*name; i++) {
		const size_t n = strlen(policy_names[i].kernels);

		if (part_begins(*in, policy_names[i].kernels)) {
			name = policy_names[i].ours;
			*in = (struct part){ in->s + n, in->len - n };
		}
	}
	word = part_cut(in, ' ');
	snprintf(dst, POLICY_TEXT, "%s%.*s", name, (int)word.len, word.s);
}

/* Bytes in memory by the words behind the policy: "N0=12 N3=4 kernelpagesize_kB=4". */
static uint64_t bytes_of(struct part in, bool *ret_stack)
{
	uint64_t pages = 0, kb = 4, node, n;

	while (in.len) {
		struct part value = part_cut(&in, ' ');
		const struct part word = value, key = part_cut(&value, '=');

		*ret_stack |= part_is(word, "stack");
		if (part_begins(key, "N") && part_number((struct part){ key.s + 1, key.len - 1 }, &node) &&
		    part_number(value, &n))
			pages += n;
		if (part_is(key, "kernelpagesize_kB"))
			part_number(value, &kb);
	}
	return pages * kb << 10;
}

void policies_add(struct policies *p, const char *line, size_t len)
{
	const char *at = line, *end = line + len;
	char name[POLICY_TEXT];
	struct part rest;
	bool stack = false;
	uint64_t addr, bytes;
	unsigned int i = 0;

	if (!parse_hex(&at, end, &addr) || at == end || *at++ != ' ')
		return;
	rest = (struct part){ at, (size_t)(end - at) };
	take_policy(&rest, name);
	bytes = bytes_of(rest, &stack);
	if (stack)
		memcpy(p->own, name, sizeof(name));
	while (i < p->n && strcmp(p->v[i].name, name))
		i++;
	if (i == POLICIES_MAX) {
		p->more = true;
		return;
	}
	if (i == p->n) {
		memcpy(p->v[p->n].name, name, sizeof(name));
		p->v[p->n++].bytes = 0;
	}
	p->v[i].bytes += bytes;
}

/* The policy with most memory that is not told yet, of which DONE are; POLICIES_MAX = none. */
static unsigned int next_policy(const struct policies *p, uint32_t done)
{
	unsigned int most = POLICIES_MAX;

	for (unsigned int i = 0; i < p->n; i++)
		if (!(done >> i & 1) && strcmp(p->v[i].name, p->own) &&
		    (most == POLICIES_MAX || p->v[i].bytes > p->v[most].bytes))
			most = i;
	return most;
}

char *policies_text(const struct policies *p, char *dst, size_t size)
{
	struct list_text l = list_text(dst, size);
	uint32_t done = 0;
	unsigned int i;

	while ((i = next_policy(p, done)) < POLICIES_MAX) {
		char item[POLICY_TEXT + UNITS_MAX + 2], bytes[UNITS_MAX];

		snprintf(item, sizeof(item), "%s%s %s", done ? " " : "", p->v[i].name,
			 units_bytes(bytes, p->v[i].bytes));
		list_text_add(&l, item, strlen(item));
		done |= UINT32_C(1) << i;
	}
	if (p->more)
		list_text_add(&l, " ...", strlen(" ..."));
	return dst;
}
