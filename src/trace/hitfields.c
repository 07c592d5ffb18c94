/* SPDX-License-Identifier: BSD-2-Clause */
/* hitfields.c - see hitfields.h. */
#include "config.h"

#include "trace/hitfields.h"

#include "base/text.h"
#include "bpf/wire.h"
#include "trace/callargs.h"
#include "trace/callflags.h"

#include <signal.h>
#include <string.h>

#define HEX_FROM (1ull << 32)    /* unsigned numbers from here on are more likely addresses or masks */

static char *add_field(struct hitfields *f, const char *key, bool number)
{
	f->field[f->n].key = key;
	f->field[f->n].number = number;
	return f->field[f->n++].value;
}

static void add_text(struct hitfields *f, const char *key, const char *text)
{
	text_format(add_field(f, key, false), HITFIELD_BYTES, "%s", text);
}

static void add_number(struct hitfields *f, const char *key, long long n)
{
	text_format(add_field(f, key, true), HITFIELD_BYTES, "%lld", n);
}

/* Is what was mapped THEN what is NOW, by its name? */
static bool is_same_mapping(const struct hit_text *then, const char *now)
{
	const char *slash = strrchr(now, '/'), *name = slash ? slash + 1 : now;
	const size_t len = strlen(name);

	/* "anon:NAME" is anon, and what is as long as it may be was cut. */
	return len >= then->len && !memcmp(name, then->bytes, then->len) &&
		(len == then->len || name[then->len] == ':' || then->len == SB_MAPPED_MAX - 1);
}

void hitfields_of_fault(const struct hit *h, const char *mapped, struct hitfields *ret)
{
	const struct hit_text *then = hit_text_of(h, SB_FAULT_ADDRESS);
	const unsigned long long address = h->arg[SB_FAULT_ADDRESS];
	char name[SB_MAPPED_MAX];

	if (then && then->len && !(mapped && is_same_mapping(then, mapped))) {
		text_format(name, sizeof(name), "%.*s", (int)then->len, then->bytes);
		mapped = name;
	}
	ret->n = 0;
	ret->result[0] = '\0';
	text_format(ret->text, sizeof(ret->text), "0x%llx%s%.*s", address, mapped ? ", " : "", (int)HITFIELD_BYTES - 1,
		    mapped ? mapped : "");
	text_format(add_field(ret, "address", false), HITFIELD_BYTES, "0x%llx", address);
	if (mapped)
		add_text(ret, "mapped", mapped);
}

static int64_t hitfields_signed(uint64_t value, unsigned int size)
{
	return size == 1 ? (int8_t)value : size == 2 ? (int16_t)value : size == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t hitfields_unsigned(uint64_t value, unsigned int size)
{
	return size == 1 ? (uint8_t)value : size == 2 ? (uint16_t)value : size == 4 ? (uint32_t)value : value;
}

/* VALUE, of the parameter P, as number AT. */
static void add_param(struct hitfields *f, const struct probe_param *p, uint64_t value, unsigned int at)
{
	const uint64_t plain = hitfields_unsigned(value, p->size);
	const bool number = p->is_signed || !(p->is_pointer || plain >= HEX_FROM);

	text_format(f->name[f->n], sizeof(f->name[f->n]), "%s", p->name);
	f->field[f->n].at = (uint8_t)at;
	if (p->is_signed)
		add_number(f, f->name[f->n], hitfields_signed(value, p->size));
	else
		text_format(add_field(f, f->name[f->n], number), HITFIELD_BYTES,
			    number ? "%llu" : plain ? "0x%llx" : "NULL", (unsigned long long)plain);
}

void hitfields_of_list(const uint64_t *arg, unsigned int nr, const struct probe_param *param, struct hitfields *ret)
{
	size_t n = 0;

	ret->n = 0;
	ret->result[0] = '\0';
	ret->text[0] = '\0';
	for (unsigned int i = 0; i < nr && ret->n < HITFIELDS_MAX && i <= HIT_CALL_ARGS; i++) {
		const char *value = ret->field[ret->n].value;

		if (!param[i].name[0])
			continue;
		add_param(ret, &param[i], arg[i], i);
		if (i == HIT_CALL_ARGS)
			text_format(ret->result, sizeof(ret->result), "%s", value);
		else
			n += text_format(ret->text + n, sizeof(ret->text) - n, "%s%s=%s", n ? ", " : "",
					 param[i].name, value);
	}
}

void hitfields_of_params(const struct hit *h, struct hitfields *ret)
{
	struct probe_param param[HIT_CALL_ARGS + 1];

	for (unsigned int i = 0; i <= HIT_CALL_ARGS; i++) {
		param[i] = probe_param_get(h->probe, i);
		if (h->unread >> i & 1)
			param[i].name[0] = '\0';
	}
	hitfields_of_list(h->arg, h->nr_args, param, ret);
}

/* Why signals are sent: si_code of sigaction(2). */
static const struct {
	int sig, code;           /* sig 0: of each signal */
	const char *name;
} codes[] = {
	{ 0, SI_USER, "SI_USER" },
	{ 0, SI_KERNEL, "SI_KERNEL" },
	{ 0, SI_QUEUE, "SI_QUEUE" },
	{ 0, SI_TIMER, "SI_TIMER" },
	{ 0, SI_TKILL, "SI_TKILL" },
	{ 0, SI_SIGIO, "SI_SIGIO" },
	{ 0, SI_ASYNCIO, "SI_ASYNCIO" },
	{ 0, SI_MESGQ, "SI_MESGQ" },
	{ SIGCHLD, CLD_EXITED, "CLD_EXITED" },
	{ SIGCHLD, CLD_KILLED, "CLD_KILLED" },
	{ SIGCHLD, CLD_DUMPED, "CLD_DUMPED" },
	{ SIGCHLD, CLD_TRAPPED, "CLD_TRAPPED" },
	{ SIGCHLD, CLD_STOPPED, "CLD_STOPPED" },
	{ SIGCHLD, CLD_CONTINUED, "CLD_CONTINUED" },
	{ SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR" },
	{ SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR" },
	{ SIGBUS, BUS_ADRALN, "BUS_ADRALN" },
	{ SIGBUS, BUS_ADRERR, "BUS_ADRERR" },
	{ SIGFPE, FPE_INTDIV, "FPE_INTDIV" },
	{ SIGTRAP, TRAP_BRKPT, "TRAP_BRKPT" },
	{ SIGTRAP, TRAP_TRACE, "TRAP_TRACE" },
};

static const char *code_name(int sig, int code)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code && (!codes[i].sig || codes[i].sig == sig))
			return codes[i].name;
	return NULL;
}

/* What became of it: enum of include/trace/events/signal.h; NULL = it was delivered. */
static const char *outcome(uint64_t result)
{
	static const char *const names[] = { NULL, "ignored", "already pending", "overflow", "its data lost" };

	return result < sizeof(names) / sizeof(*names) ? names[result] : NULL;
}

void hitfields_of_signal(const struct hit *h, struct hitfields *ret)
{
	const struct hit_text *comm = hit_text_of(h, SB_SIGNAL_PID);
	const int sig = (int)h->arg[SB_SIGNAL_SIG], code = (int)h->arg[SB_SIGNAL_CODE];
	const int pid = (int)h->arg[SB_SIGNAL_PID], tid = (int)h->arg[SB_SIGNAL_TID];
	const char *why = code_name(sig, code), *became = outcome(h->arg[SB_SIGNAL_RESULT]);
	char name[32], to[64], number[32];

	ret->n = 0;
	ret->result[0] = '\0';
	callflags_text(callflags_of(CALLARG_SIGNAL), (uint64_t)sig, name, sizeof(name));
	text_format(to, sizeof(to), "%.*s", comm ? (int)comm->len : 0, comm ? comm->bytes : "");
	text_format(number, sizeof(number), "%d", code);
	text_format(ret->text, sizeof(ret->text), "%s, %s/%d, %s%s%s", name, to, tid, why ? why : number,
		    became ? ", " : "", became ? became : "");
	add_text(ret, "signal", name);
	add_number(ret, "to_pid", pid);
	add_number(ret, "to_tid", tid);
	add_text(ret, "to_comm", to);
	if (why)
		add_text(ret, "code", why);
	else
		add_number(ret, "code", code);
	add_text(ret, "outcome", became ? became : "delivered");
}

_Static_assert(HITRECORD_BYTES == SB_RECORD_BYTES, "as the kernel half tells them");

/* The number in field I of R at BYTES, which has it. */
static void record_number(const struct hitrecord *r, unsigned int i, const char *bytes, struct hitfields *ret)
{
	const unsigned int unused = 64 - 8u * r->field[i].size;
	uint64_t value = 0;

	memcpy(&value, bytes, r->field[i].size);
	value <<= unused & 63;
	if (r->field[i].form == HITRECORD_ADDRESS)
		text_format(add_field(ret, r->field[i].name, false), HITFIELD_BYTES, value ? "0x%llx" : "NULL",
			    (unsigned long long)value);
	else if (r->field[i].is_signed)
		add_number(ret, r->field[i].name, (long long)value >> (unused & 63));
	else
		text_format(add_field(ret, r->field[i].name, value >> 63 ? false : true), HITFIELD_BYTES, "%llu",
			    (unsigned long long)(value >> (unused & 63)));
}

/* The text that field I of R says, in the record T. */
static void record_text(const struct hitrecord *r, unsigned int i, const struct hit_text *t, struct hitfields *ret)
{
	size_t at = r->field[i].offset, most = r->field[i].size;
	uint16_t where[2];

	if (r->field[i].form != HITRECORD_TEXT) {
		memcpy(where, t->bytes + at, sizeof(where));
		at = where[0] + (r->field[i].form == HITRECORD_TEXT_BEHIND ? at + sizeof(where) : 0);
		most = where[1];
	}
	if (at >= t->len)
		return;
	most = most < t->len - at ? most : t->len - at;
	text_format(add_field(ret, r->field[i].name, false), HITFIELD_BYTES, "%.*s", (int)strnlen(t->bytes + at, most),
		    t->bytes + at);
}

void hitfields_of_record(const struct hit *h, const struct hitrecord *r, struct hitfields *ret)
{
	const struct hit_text *t = hit_text_of(h, SB_TEXT_RECORD);
	size_t n = 0;

	ret->n = 0;
	ret->result[0] = '\0';
	ret->text[0] = '\0';
	for (unsigned int i = 0; t && i < r->n; i++) {
		const size_t bytes = r->field[i].form >= HITRECORD_TEXT_AT ? 4 : r->field[i].size;
		const unsigned int before = ret->n;

		if (r->field[i].offset + bytes > t->len)
			continue;
		if (r->field[i].form < HITRECORD_TEXT)
			record_number(r, i, t->bytes + r->field[i].offset, ret);
		else
			record_text(r, i, t, ret);
		if (ret->n > before)
			n += text_format(ret->text + n, sizeof(ret->text) - n, "%s%s=%s", before ? ", " : "",
					 ret->field[before].key, ret->field[before].value);
	}
}
