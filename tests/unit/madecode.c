/* SPDX-License-Identifier: BSD-2-Clause */
/* madecode.c - see madecode.h. */
#include "config.h"

#include "tests/unit/madecode.h"

#include "base/clock.h"
#include "base/text.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	uint32_t line;           /* 0 = not known */
	bool inlined, enters;
} code[MADECODE_INSNS] = {
	{ "pushq   %rbx", 10, false, false },
	{ "movl    (%rdi, %rcx, 4), %edx", 12, false, false },
	{ "movl    %edx, %eax", 4, true, false },
	{ "shrl    $0x10, %eax", 5, true, false },
	{ "movl    %eax, (%rdi, %rcx, 4)", 12, false, false },
	{ "callq   0x2000 <note>", 13, false, false },
	{ "movl    $1, %eax", 14, false, false },
	{ "syscall ", 14, false, true },
	{ "addq    $1, %rcx", 11, false, false },
	{ "jne     0x1004", 11, false, false },
	{ "popq    %rbx", 16, false, false },
	{ "retq", 16, false, false },
};

static const char *const text[17] = {
	[4] = "        x ^= x >> 16;", [5] = "        return x * 0x45d9f3b;", [8] = "",
		[9] = "unsigned long work(unsigned *v, unsigned n)",
	[10] = "{", [11] = "        for (unsigned i = 0; i < n; i++) {", [12] = "                v[i] = mix(v[i] + i);",
	[13] = "                note(v[i]);", [14] = "                syscall(SYS_getppid);",
	[15] = "        }", [16] = "}",
};

static func_id add_func(struct made *m, const char *name, uint64_t start, uint64_t size)
{
	/* Any function of it has the module. */
	const frame_id any = dict_get_stack(m->d, made_stack(m, "main"))->frame;
	struct func f = { .module = dict_get_frame(m->d, any)->module, .start = start, .size = size,
			  .kind = FUNC_USER };

	f.name = names_add_text(m->names, name, strlen(name));
	return names_add_func(m->names, &f);
}

frame_id madecode_frame(struct made *m, uint32_t at, bool inlined)
{
	const func_id work = add_func(m, "work", MADECODE_START, 4 * MADECODE_INSNS), mix = add_func(m, "mix", 0, 0);
	const str_id file = names_add_text(m->names, "/src/app.c", strlen("/src/app.c"));
	const struct name name[] = { { .func = mix, .file = file, .line = 4 },
				     { .func = work, .file = file, .line = 12 } };
	const frame_id frame = dict_frame(m->d, names_func(m->names, work)->module, MADECODE_START + at);

	assert_int_equal(names_set(m->names, frame, inlined ? name : name + 1, inlined ? 2 : 1, true), 0);
	return frame;
}

void madecode_add(struct made_session *f, unsigned int second, const uint32_t *at, const char *callee, unsigned int n)
{
	stack_id s = made_stack(&f->m, "main");

	for (; *at != MADECODE_END; at++)
		s = dict_stack(f->m.d, s, madecode_frame(&f->m, *at, *at < 4 * MADECODE_INSNS &&
							 code[*at / 4].inlined));
	while (*callee) {
		const size_t len = strcspn(callee, ";");
		char one[128];

		snprintf(one, sizeof(one), "%.*s", (int)len, callee);
		s = dict_stack(f->m.d, s, dict_get_stack(f->m.d, made_stack(&f->m, one))->frame);
		callee += len + (callee[len] == ';');
	}
	for (unsigned int i = 0; i < n; i++) {
		f->m.ev = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE,
					  .time_ns = MADE_START_NS + second * NSEC_PER_SEC,
					  .weight = 10 * NSEC_PER_MSEC,
					  .thread = made_thread(&f->m, 7, 7, "app"), .stack = s };
		made_again(&f->m);
	}
	f->meta.samples += n;
	f->meta.duration_ns = (second + 1) * NSEC_PER_SEC;
	f->published++;
}

void madecode_fill(struct made_session *f)
{
	madecode_add(f, 1, (const uint32_t[]){ 4, MADECODE_END }, "", 30);
	madecode_add(f, 1, (const uint32_t[]){ 12, MADECODE_END }, "", 45);
	madecode_add(f, 1, (const uint32_t[]){ 36, MADECODE_END }, "", 5);
	madecode_add(f, 1, (const uint32_t[]){ 23, MADECODE_END }, "note", 15);
	madecode_add(f, 1, (const uint32_t[]){ 32, MADECODE_END }, "do_syscall_64_[k]", 5);
	madesession_add(f, 1, "main;other", 20);
}

static const char *keep(struct listing *l, const char *s)
{
	char clean[1024];

	text_sanitise(clean, sizeof(clean), s, strlen(s));
	return arena_strndup(&l->text, clean, strlen(clean));
}

static void add_lines(struct listing *l, bool found, bool hostile)
{
	*vec_push(&l->file) = (struct listing_file){ .path =
						     keep(l, hostile ? "/src/\x1b[2Jé\xE2\x80\xAE.c" : "/src/app.c"),
						     .why = found ? NULL : "No such file or directory" };
	for (uint32_t i = 1; i < 17; i++) {
		bool used = false;

		for (uint32_t k = 0; k < MADECODE_INSNS; k++)
			used |= code[k].line == i;
		if (found ? !text[i] : !used)
			continue;
		*vec_push(&l->line) = (struct listing_line){ .number = i, .code = used,
			.text = !found ? NULL : keep(l, hostile &&
						     i == 12 ? "\x1b]0;title\x07 日本語\tcombining e\xCC\x81" : text[i]) };
		for (uint32_t k = 0; k < MADECODE_INSNS; k++)
			if (code[k].line == i)
				l->insn.v[k].line = (uint32_t)l->line.n - 1;
	}
}

struct listing *madecode_listing(const struct listing_of *of, enum madecode_source source)
{
	struct listing *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	atomic_init(&l->refs, 1);
	l->of = *of;
	if (source == MADECODE_NO_CODE) {
		snprintf(l->why_no_code, sizeof(l->why_no_code),
			 "/usr/bin/app is not the one that ran: it has another build-id");
		return l;
	}
	l->size = 4 * MADECODE_INSNS;
	l->place = calloc(l->size, sizeof(*l->place));
	for (uint32_t i = 0; i < MADECODE_INSNS; i++) {
		*vec_push(&l->insn) = (struct listing_insn){ .address = 0x401000 + 4 * i, .at = 4 * i, .size = 4,
							     .line = LISTING_NONE,
							     .enters = code[i].enters, .text = keep(l, code[i].text),
							     .inlined = code[i].inlined ? "mix" : NULL };
		for (uint32_t k = 0; k < 4; k++)
			l->place[4 * i + k] = i;
	}
	if (source == MADECODE_NO_LINES)
		snprintf(l->why_no_lines, sizeof(l->why_no_lines),
			 "there is no debug information (-g) in the file, and none beside it: so no lines are known");
	else
		add_lines(l, source != MADECODE_NOT_FOUND, source == MADECODE_HOSTILE);
	return l;
}
