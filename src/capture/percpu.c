/* SPDX-License-Identifier: BSD-2-Clause */
/* percpu.c - reads the list of such variables, a section of the kernel's BTF. */
#include "config.h"

#include "capture/percpu.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <string.h>

#define SECTION ".data..percpu"
#define NESTED 2u                        /* a struct in a union in a struct */

static bool percpu_offset(const struct btf *btf, const struct btf_type *section, const char *name, int64_t *ret)
{
	const struct btf_var_secinfo *v = btf_var_secinfos(section);

	for (unsigned int i = 0; i < btf_vlen(section); i++) {
		const struct btf_type *t = btf__type_by_id(btf, v[i].type);
		const char *text = t ? btf__name_by_offset(btf, t->name_off) : NULL;

		if (text && !strcmp(text, name)) {
			*ret = v[i].offset;
			return true;
		}
	}
	return false;
}

/* Where MEMBER is in T, or in what has no name there, down to so many LEVELS; false when it is not there. */
static bool percpu_member(const struct btf *btf, const struct btf_type *t, const char *member, unsigned int levels,
			  int64_t *ret)
{
	for (unsigned int i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *text = btf__name_by_offset(btf, m->name_off);
		int64_t in = 0;

		if (!text)
			continue;
		if (!strcmp(text, member) ||
		    (!*text && levels && percpu_member(btf, btf__type_by_id(btf, m->type), member, levels - 1, &in))) {
			*ret = btf_member_bit_offset(t, i) / 8 + in;
			return true;
		}
	}
	return false;
}

/* Its number is a variable, or from 6.2 to 6.14 in one. */
static bool percpu_number(const struct btf *btf, const struct btf_type *section, int64_t *ret)
{
	const int id = btf__find_by_name_kind(btf, "pcpu_hot", BTF_KIND_STRUCT);
	int64_t in;

	if (percpu_offset(btf, section, "cpu_number", ret))
		return true;
	if (id <= 0 || !percpu_offset(btf, section, "pcpu_hot", ret) ||
	    !percpu_member(btf, btf__type_by_id(btf, (uint32_t)id), "cpu_number", NESTED, &in))
		return false;
	*ret += in;
	return true;
}

void percpu_distances_of(const struct btf *btf, int64_t *ret_off, int64_t *ret_number)
{
	const int id = btf__find_by_name_kind(btf, SECTION, BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	int64_t queue, off, number;

	*ret_off = *ret_number = 0;
	if (!section || !percpu_offset(btf, section, "runqueues", &queue) ||
	    !percpu_offset(btf, section, "this_cpu_off", &off) ||
	    !percpu_number(btf, section, &number))
		return;
	*ret_off = off - queue;
	*ret_number = number - queue;
}

void percpu_distances(int64_t *ret_off, int64_t *ret_number)
{
	struct btf *btf = btf__load_vmlinux_btf();

	*ret_off = *ret_number = 0;
	if (btf)
		percpu_distances_of(btf, ret_off, ret_number);
	btf__free(btf);
}
