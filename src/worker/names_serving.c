/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_serving.c - elfnames.h behind a socket. Whatever it does to this process, sberf finds out which module it was
 * at: that is said first.
 */
#include "config.h"

#include "worker/names_serving.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "plugin/sandbox.h"
#include "symbol/demangle.h"
#include "symbol/elfnames.h"
#include "symbol/names_message.h"
#include "symbol/target_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* elf_names keeps 768 MB of tables at most, and reads debug files of a gigabyte, which may be packed, before that. */
static const struct sandbox_needs needs = {
	.memory_bytes = 8ull << 30, .stack_bytes = DEMANGLE_STACK + (8u << 20), .files = 1024, .cpu_seconds = 600,
	.reads_files = true,
};

static struct serving_names {
	int socket;
	bool gone;                   /* sberf is, or has said what makes no sense: nothing is asked of it any more */
	struct elf_names *names;
	module_id at;                /* the module that is worked on; ID_NONE = none yet */
	module_id plain;             /* the last one that was said to have no details */
	uint32_t tokens;             /* functions that have been said */
	struct symbolizer_stats stats;
	struct unread unread;        /* since it was told last */
	struct names_message call;
	struct names_message out;    /* that is being sent */
	struct names_message said;   /* names that are being gathered */
	struct names_message answer; /* to an errand */
} serving;

static void names_serving_send(struct names_message *m, enum names_op op, module_id module, uint32_t flag,
			       uint32_t length)
{
	struct serving_names *s = &serving;

	m->head = (struct names_head){ .op = op, .length = length, .module = module, .flag = flag,
				       .result = m->head.result };
	s->gone = s->gone || names_message_send(s->socket, m, -1);
}

/* An errand: what is in s->out but for its head. 0, with what *RET_FD may be, or a negative errno. */
static int names_serving_ask(enum names_op op, module_id module, uint32_t flag, uint32_t length, int *ret_fd)
{
	struct serving_names *s = &serving;
	AUTO_FD int fd = -1;

	names_serving_send(&s->out, op, module, flag, length);
	s->gone = s->gone || names_message_take(s->socket, false, &s->answer, &fd) <= 0 ||
		  s->answer.head.op != NAMES_FILE;
	if (s->gone)
		return -EPIPE;
	if (s->answer.head.result)
		return s->answer.head.result < 0 ? s->answer.head.result : -EBADMSG;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* The same for a file: that, or a negative errno. */
static int names_serving_file(enum names_op op, module_id module, uint32_t flag, uint32_t length)
{
	int fd = -1;
	const int r = names_serving_ask(op, module, flag, length, &fd);

	return r ? r : fd < 0 ? -EBADF : fd;
}

static int names_serving_module(void *ctx, module_id module, struct err *e)
{
	(void)ctx;
	(void)e;                     /* sberf has the sentence */
	return names_serving_file(NAMES_OPEN, module, 0, 0);
}

/* A root cannot be had here: any file stands for it, which target_root_open() then is told. */
static int names_serving_root(void *ctx, module_id module)
{
	int fd = -1;
	const int r = names_serving_ask(NAMES_ROOT, module, 0, 0, &fd);

	(void)ctx;
	return r ? r : fcntl(serving.socket, F_DUPFD_CLOEXEC, 3);
}

static int names_serving_debuginfo(void *ctx, module_id module, const uint8_t *id, uint8_t id_len, const char *what)
{
	(void)ctx;
	(void)what;
	if (!id_len)
		return -ENOENT;
	memcpy(serving.out.body, id, id_len);
	return names_serving_file(NAMES_FETCH, module, 0, id_len);
}

/* An ELF file at PATH: below the root that the target of the module at hand sees if IN_ROOT, else ours. */
static int names_serving_path(const char *path, bool in_root)
{
	const size_t len = strlen(path) + 1;

	if (len < 2 || len > PATH_MAX || serving.at == ID_NONE)
		return -ENOENT;
	memcpy(serving.out.body, path, len);
	return names_serving_file(NAMES_PATH, serving.at, in_root, (uint32_t)len);
}

static bool names_serving_setup(void)
{
	static const _Atomic bool never;
	const struct elf_names_files files = { .open = names_serving_module, .root = names_serving_root,
					       .debuginfo = names_serving_debuginfo, .stop = &never };
	const char *symfs = (const char *)serving.call.body;

	if (serving.names)
		return false;
	serving.names = elf_names_new(&files, symfs[0] ? symfs : NULL, &serving.stats, &serving.unread);
	return serving.names;
}

static bool names_serving_know(void)
{
	const struct names_module *is = (const struct names_module *)serving.call.body;
	const size_t length = serving.call.head.length - offsetof(struct names_module, text);
	struct module m = { .kind = is->kind, .build_id_len = is->build_id_len };
	const char *called = memchr(is->text, '\0', length);

	if (!called || ++called == is->text + length || is->text[length - 1] || is->build_id_len > BUILD_ID_MAX)
		return false;
	memcpy(m.build_id, is->build_id, sizeof(m.build_id));
	return elf_names_add(serving.names, serving.call.head.module, &m, is->text, called);
}

/* Sends the names that have been gathered. */
static void names_serving_flush(void)
{
	if (serving.said.head.length)
		names_serving_send(&serving.said, NAMES_SAID, 0, 0, serving.said.head.length);
	serving.said.head.length = 0;
}

static uint32_t names_serving_length(const char *text, uint32_t max)
{
	return (uint32_t)strnlen(text, max);
}

/* The name A of the place PLACE. */
static void names_serving_say(uint32_t place, const struct answer_name *a)
{
	const bool fresh = !a->user || !*a->user;
	const struct names_texts t = { .text = fresh ? a->text : "", .file = a->file, .dir = a->dir };
	struct names_record r = { .start = a->start, .size = a->size, .place = place, .line = a->line,
				  .by_place = a->by_place, .text = names_serving_length(t.text, NAMES_TEXT_MAX),
				  .file = names_serving_length(t.file, NAMES_FILE_MAX),
				  .dir = names_serving_length(t.dir, NAMES_FILE_MAX) };

	/* One without a name, which an empty symbol would be, has no number. */
	if (a->user && !*a->user && r.text)
		*a->user = ++serving.tokens;
	r.token = a->user ? *a->user : 0;
	if (names_record_add(&serving.said, &r, &t))
		return;
	names_serving_flush();
	(void)names_record_add(&serving.said, &r, &t);
}

/* From now on it is module ID that is worked on. */
static void names_serving_begin(module_id id)
{
	if (id == serving.at)
		return;
	serving.at = id;
	names_serving_send(&serving.out, NAMES_AT, id, 0, 0);
}

/* What there is to say of the module that has just been asked about, beside names. */
static void names_serving_end(bool details)
{
	if (details && serving.plain != serving.at && !elf_names_may_detail(serving.names, serving.at)) {
		serving.plain = serving.at;
		names_serving_send(&serving.out, NAMES_PLAIN, serving.at, 0, 0);
	}
	if (!serving.unread.n)
		return;
	memcpy(serving.out.body, &serving.unread, sizeof(serving.unread));
	names_serving_send(&serving.out, NAMES_UNREAD, serving.at, 0, sizeof(serving.unread));
	serving.unread = (struct unread){ 0 };
}

static bool names_serving_answer(void)
{
	const struct names_place *places = (const struct names_place *)serving.call.body;
	const size_t n = serving.call.head.length / sizeof(*places);
	const struct symbolizer_stats *st = &serving.stats;
	const bool details = serving.call.head.flag;
	static struct answer answer;

	/* sberf takes it that nothing is worked on between two batches. */
	serving.at = ID_NONE;
	for (uint32_t i = 0; i < n && !serving.gone; i++) {
		const struct names_place p = places[i];

		if (!elf_names_knows(serving.names, p.module))
			return false;
		names_serving_begin(p.module);
		if (details)
			elf_names_details(serving.names, p.module, p.offset, &answer);
		else
			elf_names_find(serving.names, p.module, p.offset, &answer);
		for (uint16_t k = 0; k < answer.n; k++)
			names_serving_say(i, &answer.name[k]);
		answer_clear(&answer);
		names_serving_end(details);
	}
	names_serving_flush();
	*(struct names_counts *)serving.out.body = (struct names_counts){
		.unreadable_modules = st->unreadable_modules, .unreadable_details = st->unreadable_details,
		.damaged_symbols = st->damaged_symbols, .damaged_details = st->damaged_details,
		.deep_inlining = st->deep_inlining, .tables_dropped = st->tables_dropped,
	};
	names_serving_send(&serving.out, NAMES_DONE, 0, 0, sizeof(struct names_counts));
	return true;
}

static bool names_serving_do(void)
{
	if (serving.call.head.op == NAMES_SETUP)
		return names_serving_setup();
	if (!serving.names)
		return false;
	switch (serving.call.head.op) {
	case NAMES_MODULE:
		return names_serving_know();
	case NAMES_CALLED:
		elf_names_call(serving.names, serving.call.head.module, (const char *)serving.call.body);
		return true;
	case NAMES_ASK:
		return names_serving_answer();
	default:
		return false;
	}
}

int names_serving_run(int socket)
{
	struct err e = ERR_INIT;

	serving.socket = socket;
	serving.at = serving.plain = ID_NONE;
	if (!sandbox_enter(&needs, &e))
		sandbox_close(&needs, &e);
	target_root_leave_to(names_serving_path);
	serving.out.head.result = -e.code;
	names_serving_send(&serving.out, NAMES_HELLO, 0, 0, 0);
	serving.out.head.result = 0;
	while (!serving.gone && !e.code) {
		const ssize_t n = names_message_take(socket, false, &serving.call, NULL);

		if (n <= 0 || !names_serving_do())
			return n ? 1 : 0;
	}
	return 1;
}
