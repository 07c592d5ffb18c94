/* SPDX-License-Identifier: BSD-2-Clause */
/* kinds.c - see kinds.h. Nothing but a table: the generator of man pages is linked with it alone. */
#include "config.h"

#include "probe/kinds.h"

#include <string.h>

static const struct probe_kind_info kind_rows[PROBE_KINDS] = {
	[PROBE_SYSCALL] = { "sys", NULL, ":CALL",
			    "a system call, from its entry to its return. CALL is a name, a "
			    "wildcard, a /regex/, or a group: %file, %net, %memory, %process",
			    PROBE_KNOWS_ARGS | PROBE_KNOWS_RETVAL | PROBE_KNOWS_LATENCY | PROBE_KNOWS_FIELDS, false },
	[PROBE_TRACEPOINT] = { "tracepoint", "t", ":CATEGORY:EVENT",
			       "a tracepoint of the kernel, with the fields of "
			       "its format",
			       PROBE_KNOWS_FIELDS, false },
	[PROBE_RAW_TRACEPOINT] = { "rawtracepoint", "rt", ":EVENT",
				   "a tracepoint with the arguments that the kernel "
				   "passes to it: cheaper, and named by BTF",
				   PROBE_KNOWS_ARGS | PROBE_KNOWS_FIELDS, false },
	[PROBE_ENTRY] = { "uprobe", "u", ":TARGET:FUNCTION",
			  "a function of a program or library begins, or a line or "
			  "an address of it is reached",
			  PROBE_KNOWS_ARGS | PROBE_KNOWS_FIELDS, true },
	[PROBE_RETURN] = { "uretprobe", "ur", ":TARGET:FUNCTION", "a function returns", PROBE_KNOWS_RETVAL, true },
	[PROBE_CALL] = { "call", NULL, ":TARGET:FUNCTION", "a function from its entry to its return: its time",
			 PROBE_KNOWS_ARGS | PROBE_KNOWS_RETVAL | PROBE_KNOWS_LATENCY | PROBE_KNOWS_FIELDS, true },
	[PROBE_USDT] = { "usdt", "U", ":TARGET:PROVIDER:NAME",
			 "a static probe that the authors of a program placed; "
			 "PROVIDER may be left out",
			 PROBE_KNOWS_ARGS, true },
	[PROBE_FAULT] = { "fault", NULL, "[:major]",
			  "page faults, by what was mapped there; major ones "
			  "wait for a disk",
			  PROBE_KNOWS_ARGS | PROBE_KNOWS_FIELDS, false },
	[PROBE_SIGNAL] = { "signal", NULL, "", "who sends which signal to whom", PROBE_KNOWS_ARGS | PROBE_KNOWS_FIELDS,
			   false },
	[PROBE_KPROBE] = { "kprobe", "k", ":FUNCTION", "a function of the kernel begins, on kernels that have kprobes",
			   PROBE_KNOWS_ARGS | PROBE_KNOWS_FIELDS, false },
	[PROBE_KRETPROBE] = { "kretprobe", "kr", ":FUNCTION",
			      "a function of the kernel returns, on kernels that have kprobes",
			      PROBE_KNOWS_RETVAL, false },
	[PROBE_SPAN] = { "span", NULL, ":PROBE~~PROBE", "from one probe to another of the same thread",
			 PROBE_KNOWS_LATENCY, false },
};

const struct probe_kind_info *probe_kind_info(enum probe_kind kind)
{
	return &kind_rows[kind];
}

const char *probe_kind_values(enum probe_kind kind)
{
	return kind == PROBE_FAULT ? "address" : kind == PROBE_SIGNAL ? "sig, to_pid, to_tid, code, group, result" : "";
}

int probe_kind_value(enum probe_kind kind, const char *name)
{
	const char *at = probe_kind_values(kind);

	for (int i = 0; *at; i++) {
		const size_t len = strcspn(at, ",");

		if (strlen(name) == len && !memcmp(name, at, len))
			return i;
		at += len + strspn(at + len, ", ");
	}
	return -1;
}

static bool kind_is(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, word, len);
}

enum probe_kind probe_kind_find(const char *word, size_t len)
{
	for (enum probe_kind k = 0; k < PROBE_KINDS; k++)
		if (kind_is(kind_rows[k].name, word, len) || kind_is(kind_rows[k].alias, word, len))
			return k;
	return PROBE_KINDS;
}
