/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_ktypes.c - any bytes as types of a kernel or of a BPF program (BTF): functions are listed and written, and
 * members are looked for, within bounds.
 */
#include "config.h"

#include "probe/ktypes.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 8u
#define SHOWN 64u
#define BYTES 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* TEXT has an end within SIZE bytes. */
static void must_end(const char *text, size_t size)
{
	if (!memchr(text, '\0', size))
		abort();
}

/* All that is asked of the function NAME. */
static void ask(struct ktypes *t, const char *name)
{
	static const struct param_step steps[] = {
		{ .join = PARAM_POINTER, .name = "next" }, { .join = PARAM_MEMBER, .name = "a" },
		{ .join = PARAM_INDEX, .index = UINT32_MAX },
	};
	struct param_listed list[PARAM_ARGS + 1];
	struct ktypes_value value;
	char text[64];

	(void)ktypes_list(t, KTYPES_FUNCTION, name, list);
	for (unsigned int i = 0; i <= PARAM_ARGS; i++)
		must_end(list[i].name, sizeof(list[i].name));
	must_end(ktypes_text(t, KTYPES_FUNCTION, name, text, sizeof(text)), sizeof(text));
	must_end(ktypes_result_text(t, name, text, sizeof(text)), sizeof(text));
	for (uint32_t n = 0; n <= 3; n++)
		for (unsigned int first = 0; first + n <= 3; first++)
			if (!ktypes_find(t, KTYPES_FUNCTION, name, "arg0", steps + first, n, n & 1, &value, NULL) &&
			    (value.hops > PARAM_HOPS || !value.size || value.size > 8))
				abort();
	for (uint32_t n = 0; n <= 3; n++)
		if (!ktypes_find(t, KTYPES_FUNCTION, name, "retval", steps, n, n & 1 ? KTYPES_POINTED : KTYPES_VALUE,
				 &value, NULL) && value.hops > PARAM_HOPS)
			abort();
}

/* Writes SIZE bytes at DATA as each of the first N types, and as one that there is not. */
static void show(const struct ktypes *t, uint32_t n, const uint8_t *data, size_t size)
{
	const struct ktypes_style style = { .errors = true };
	char text[200];

	for (uint32_t id = 0; id <= n && id < SHOWN; id++) {
		must_end(ktypes_show(t, id, data, size < BYTES ? size : BYTES, &style, text, sizeof(text)),
			 sizeof(text));
		must_end(ktypes_show(t, id, data, size % 9, &style, text, 5), 5);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktypes *t = NULL;
	struct btf *btf;
	char names[FUNCTIONS][64];
	uint32_t n = 0, types;

	libbpf_set_print(NULL);
	btf = btf__new(data, (uint32_t)size);
	if (libbpf_get_error(btf))
		return 0;
	for (uint32_t id = 1; id < btf__type_cnt(btf) && n < FUNCTIONS; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf_is_func(type) ? btf__name_by_offset(btf, type->name_off) : NULL;

		if (name)
			strncpy(names[n++], name, sizeof(names[0]) - 1)[sizeof(names[0]) - 1] = '\0';
	}
	types = btf__type_cnt(btf);
	if (!ktypes_of_btf(btf, &t, NULL)) {
		for (uint32_t i = 0; i < n; i++)
			ask(t, names[i]);
		show(t, types, data, size);
	}
	ktypes_free(t);
	return 0;
}
