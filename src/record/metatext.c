/* SPDX-License-Identifier: BSD-2-Clause */
/* metatext.c - one table of keys serves both directions. */
#include "config.h"

#include "record/metatext.h"

#include "base/keyvalue.h"

#define AT(name, member, kind, ...) { name, kind, VALUE_AT(struct profile_meta, member), __VA_ARGS__ }
#define TEXT(name, member) AT(name, member, VALUE_TEXT, 0, 0, VALUE_OPTIONAL)
#define NUMBER(name, member, max) AT(name, member, VALUE_UNSIGNED, 0, max, VALUE_OPTIONAL)
#define U32(name, member) NUMBER(name, member, UINT32_MAX)
#define BOOL(name, member) NUMBER(name, member, 1)
#define U64(name, member) AT(name, member, VALUE_OR_UNKNOWN, 0, UINT64_MAX, VALUE_OPTIONAL)
/* Readers count it themselves. */
#define U64_OUT(name, member) AT(name, member, VALUE_OR_UNKNOWN, 0, UINT64_MAX, VALUE_WRITTEN)

static const struct value_key keys[] = {
	TEXT("version", version),
	TEXT("host", host),
	TEXT("kernel", kernel),
	TEXT("kernel_without", kernel_without),
	TEXT("plugins", plugins),
	TEXT("arch", arch),
	TEXT("target", target),
	TEXT("cmdline", cmdline),
	TEXT("written_when", written_when),
	TEXT("event", event),
	U32("freq_asked_hz", freq_asked),
	U32("freq_got_hz", freq_got),
	U32("cpus", cpus),
	U64("start_real_ns", start_real_ns),
	U64("start_mono_ns", start_mono_ns),
	U64("duration_ns", duration_ns),
	NUMBER("target_state", target_state, TARGET_ENDED),
	AT("end_code", end_code, VALUE_SIGNED, -INT32_MAX, INT32_MAX, VALUE_OPTIONAL),
	TEXT("executed", executed),
	U64("late", late),
	U64("refused", refused),
	U64("user_cpu_ns", user_cpu_ns),
	U64("bpf_cpu_ns", bpf_cpu_ns),
	U64("engine_cpu_ns", engine_cpu_ns),
	U64("rss_bytes", rss_bytes),
	U64("symbols_pending", symbols_pending),
	U64("unread", unread.n),
	TEXT("unread_1", unread.text[0]),
	TEXT("unread_2", unread.text[1]),
	TEXT("unread_3", unread.text[2]),
	TEXT("unread_4", unread.text[3]),
	TEXT("unread_5", unread.text[4]),
	TEXT("unread_6", unread.text[5]),
	TEXT("unread_7", unread.text[6]),
	TEXT("unread_8", unread.text[7]),
	TEXT("pressure_of", pressure_of),
	TEXT("pressure_said", pressure_said),
	U64("pressure_cpu_some_ns", pressure_some_ns[0]),
	U64("pressure_cpu_full_ns", pressure_full_ns[0]),
	U64("pressure_memory_some_ns", pressure_some_ns[1]),
	U64("pressure_memory_full_ns", pressure_full_ns[1]),
	U64("pressure_io_some_ns", pressure_some_ns[2]),
	U64("pressure_io_full_ns", pressure_full_ns[2]),
	BOOL("off_cpu", off_cpu),
	BOOL("wakers", wakers),
	U64("wait_short_ns", wait_short_ns),
	U64("wait_short", wait_short),
	U64("wait_period_ns", wait_period_ns),
	U64("wait_outside", wait_outside),
	U64("wait_hung", wait_hung),
	U64("wait_denied", wait_denied),
	U64("wait_inferred", wait_inferred),
	U64("wait_summed", wait_summed),
	U64("wait_unsummed", wait_unsummed),
	U64("wait_not_handed", wait_not_handed),
	U64_OUT("unwound_kernel", unwound.way[WAY_KERNEL]),
	U64_OUT("unwound_copy", unwound.way[WAY_COPY]),
	U64("verify_checked", verify_checked),
	U64("verify_different", verify_different),
	U64("verify_incomplete", verify_incomplete),
#define X(id, name, text) U64("verify_" name, verify_cause[VERIFY_##id]),
	VERIFY_CAUSES(X)
#undef X
	U64("verify_kernel_checked", verify_kernel_checked),
	U64("verify_kernel_different", verify_kernel_different),
	U64("script_stacks", script_stacks),
	U64("script_whole", script_whole),
	U64("script_unread", script_unread),
	U64("script_cut", script_cut),
	U64("script_unmatched", script_unmatched),
	U64("script_nameless", script_nameless),
	U64("script_refused", script_refused),
	TEXT("script_said", script_said),
	U64("split_asked", split_asked),
	U64("split_refused", split_refused),
	U64("worker_ended", worker_ended),
	U64("files_left", files_left),
	U64("images_in_worker", images_in_worker),
	U64("rows_asked", rows_asked),
	U64("rows_late", rows_late),
	U64("rules_pages", rules_pages),
	U64("rules", rules),
	U64("rules_processes", rules_processes),
	U64("rules_evicted", rules_evicted),
	U64("rules_bytes", rules_bytes),
	U64("numa_too_large", numa_too_large),
	U64("probe_hits_s", probe_hits_s),
	U64("probe_share", probe_share),
	U64("probe_scale", probe_scale),
	U64("probe_thin", probe_thin),
	U64("probe_own_ns", probe_own_ns),
	U64("mem_interval", mem_interval),
	U64("mem_told", mem_told),
	U64("mem_living", mem_living),
	U64("mem_in_use", mem_in_use),
	U64("mem_peak", mem_peak),
	U64("mem_dropped", mem_dropped),
	U64("mem_missed", mem_missed),
	U64("mem_unknown", mem_unknown),
	U64("mem_unfollowed_ns", mem_unfollowed_ns),
	U64("mem_unseen", mem_unseen),
#define X(nr, id, name, text, remedy) U64("lost_" name, lost.n[nr]),
	LOST_REASONS(X)
#undef X
};

_Static_assert(UNREAD_MAX == 8, "as the keys above");
_Static_assert(UNREAD_TEXT <= VALUE_TEXT_MAX && META_TEXT <= VALUE_TEXT_MAX, "the longest texts are written whole");

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

bool meta_text(const struct profile_meta *m, byte_vec *dst)
{
	char value[VALUE_PRINT_MAX];

	for (const struct value_key *k = keys; k < keys + NR_KEYS; k++)
		if (!bytes_add(dst, k->name, strlen(k->name)) || !bytes_add(dst, "=", 1) ||
		    !bytes_add(dst, value, value_print(k, m, value)) || !bytes_add(dst, "\n", 1))
			return false;
	return true;
}

static struct part metatext_all(const byte_vec *b)
{
	return (struct part){ (const char *)b->v, b->n };
}

bool meta_changed(const byte_vec *before, const byte_vec *now, byte_vec *dst)
{
	struct part old = metatext_all(before), new = metatext_all(now);

	while (new.len) {
		const struct part was = part_cut(&old, '\n'), is = part_cut(&new, '\n');

		if (part_same(was, is))
			continue;
		if (!bytes_add(dst, is.s, is.len) || !bytes_add(dst, "\n", 1))
			return false;
	}
	return true;
}

/* The next line of *IN that has a "=", cut there; false = there is none any more. */
static bool metatext_next_pair(struct part *in, struct part *ret_name, struct part *ret_value)
{
	while (in->len) {
		*ret_value = part_cut(in, '\n');
		if (memchr(ret_value->s, '=', ret_value->len)) {
			*ret_name = part_cut(ret_value, '=');
			return true;
		}
	}
	return false;
}

void meta_parse(struct profile_meta *m, const uint8_t *text, size_t n)
{
	struct part in = { (const char *)text, n }, name, value;

	while (metatext_next_pair(&in, &name, &value)) {
		const struct value_key *k = value_key(keys, NR_KEYS, name);

		if (k)
			value_read(k, value, m);
	}
}

void meta_init(struct profile_meta *m)
{
	memset(m, 0, sizeof(*m));
	m->target_state = TARGET_ENDED;
	m->user_cpu_ns = m->bpf_cpu_ns = m->engine_cpu_ns = m->file_bytes = META_UNKNOWN;
	m->unread.n = META_UNKNOWN;
	m->rules_pages = m->rules = m->rules_processes = m->rules_evicted = m->rules_bytes = META_UNKNOWN;
}

bool meta_number(const uint8_t *text, size_t n, const char *key, uint64_t *ret)
{
	struct part in = { (const char *)text, n }, name, value;
	bool found = false;

	while (metatext_next_pair(&in, &name, &value))
		found |= part_is(name, key) && part_number(value, ret);
	return found;
}
