/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython.c - finds the state of a thread and its frames in a process that runs CPython, and names them.
 *
 * The plan. A thread of glibc keeps the first 32 of its own variables (pthread_getspecific(3)) in its
 * descriptor, to which its thread pointer points, and others in blocks of 32, to which a table behind
 * the first ones points. CPython keeps the state of the thread in one of them. It is there also while
 * the thread has not got the lock of the interpreter. Where it is is found by looking: CPython's own
 * list of threads has each state with the descriptor of its thread. From the state a list leads through
 * all frames.
 *
 * What is believed. The list of interpreters, from _PyRuntime, leads to a thread whose state points
 * back to its interpreter, and to a descriptor that points to the state. Objects are of the type that
 * they should be. What is read later than the sample must have the same name and first line as in the
 * sample: else the memory belongs to something else by now.
 */
#include "config.h"

#include "plugin/cpython.h"

#include "plugin/cpython_text.h"
#include "plugin/cpython_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define THREADS_MAX 256u                 /* that are looked at for one whose descriptor shows its state */
#define INTERPRETERS_MAX 64u
#define DESCRIPTOR_FROM 0x100u           /* of a thread: where its variables are looked for */
#define DESCRIPTOR_BYTES 0x800u
#define VARIABLE_BYTES 16u               /* number of the key, value */
#define BLOCK_BYTES (32 * VARIABLE_BYTES)
#define BLOCKS 32u                       /* in a table of blocks, the first of which is in front of it */
#define GIL_BYTES 208u                   /* struct _gil_runtime_state on x86-64, from 3.8 to 3.14 */
#define GIL_HOLDER 8u                    /* last_holder in there: the state of the thread that has it, or had it last */
#define THREAD_NUMBER 720u               /* tid of glibc's struct pthread (nptl/descr.h), to which thread_id points */
#define LINE_MAX 100000000u              /* of a file */
#define OWNED_BY_CSTACK 3u               /* FRAME_OWNED_BY_CSTACK of pycore_frame.h */
#define COPIES_MAX 65536u                /* of the instructions of a function */
#define WORDS_MAX (SBERF_PLAN_RECORD_MAX / 8)

/* Where the words of a record are, by what they say. */
struct cpython_record {
	uint8_t code, back, instr, entry, copy, firstline, name;
	uint8_t words;
};

struct cpython {
	const struct sberf_host *host;
	struct cpython_layout layout;
	struct cpython_record record;
	uint64_t runtime, code_type, text_type;
	uint32_t block;                  /* of the thread descriptor: what points to the block; 0 = there is none */
	uint32_t variable;               /* of the block, or the descriptor: the state */
	struct sberf_range loop;         /* of the interpreter */
	uint64_t interp;                 /* the first one whose threads were found */
	uint64_t first;                  /* state of the first thread of the first interpreter; 0 = unknown */
	struct cpython_threads threads;
	uint64_t lines_of;               /* the code object whose table of lines is at hand; 0 = none */
	size_t lines_len;
	uint8_t lines[CPYTHON_LINES_MAX];
};

static int cpython_word(const struct cpython *c, uint64_t address, uint64_t *ret)
{
	return c->host->read(c->host, address, ret, sizeof(*ret));
}

/* "python3.8", "libpython3.10.so.1.0": its version; 0 = that is no such name. */
static uint16_t version_of_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, "python3.");
	unsigned int minor = 0;

	if (!at)
		return 0;
	for (at += sizeof("python3.") - 1; *at >= '0' && *at <= '9' && minor < 100; at++)
		minor = 10 * minor + (unsigned int)(*at - '0');
	return minor && minor < 100 ? (uint16_t)CPYTHON_VERSION(3, minor) : 0;
}

/* Before 3.11 no symbol says which version it is, but the name of the file does. */
static uint16_t version_by_files(const struct sberf_host *host)
{
	struct sberf_mapped m;
	uint64_t last = 0;
	uint16_t version = 0;

	for (size_t i = 0; !version && i < SBERF_PLUGIN_READS_MAX && !host->mapped(host, i, &m); i++) {
		if (*m.path == '/' && m.start >= last)
			version = version_of_name(m.path);
		last = m.end;
	}
	return version;
}

static uint16_t cpython_version(const struct sberf_host *host)
{
	uint64_t address, version;

	if (host->symbol(host, NULL, "Py_Version", &address, NULL) ||
	    host->read(host, address, &version, sizeof(version)))
		return version_by_files(host);
	return (uint16_t)CPYTHON_VERSION(version >> 24 & 0xff, version >> 16 & 0xff);
}

/* 0; -ENOTSUP, which has been said. */
static int find_layout(struct cpython *c)
{
	_Alignas(8) uint8_t table[CPYTHON_OFFSETS_BYTES];
	const uint16_t version = cpython_version(c->host);
	const struct cpython_layout *known = cpython_layout_of(version);
	char text[160];
	int r = c->host->read(c->host, c->runtime, table, sizeof(table));

	r = r ? r : cpython_layout_read(table, sizeof(table), &c->layout);
	if (!r)
		return 0;
	if (known && r == -ENOENT) {
		c->layout = *known;
		return 0;
	}
	snprintf(text, sizeof(text), "Python %u.%u%s is not known: its stacks are native ones",
		 (unsigned int)version >> 8, (unsigned int)version & 0xff,
		 r == -EBADMSG ? " with such a table of offsets" : "");
	c->host->log(c->host, text);
	return -ENOTSUP;
}

/* Where among N words, of which the first is at the offset FROM, a variable has the value THREAD; 0 = nowhere. */
static uint32_t variable_of(const uint64_t *word, size_t n, uint32_t from, uint64_t thread)
{
	for (uint32_t i = 0; i < n; i++)
		if (word[i] == thread && (from + 8 * i) % VARIABLE_BYTES == 8)
			return from + 8 * i;
	return 0;
}

/*
 * Looks for THREAD, whose descriptor at ID has the words WORD, in blocks beyond the first. Their table is known by
 * its first entry, which points to the block in the descriptor, directly in front of the table.
 */
static bool find_in_blocks(struct cpython *c, uint64_t id, const uint64_t word[DESCRIPTOR_BYTES / 8], uint64_t thread)
{
	uint64_t block[BLOCK_BYTES / 8];
	size_t table = BLOCK_BYTES / 8;

	while (table < DESCRIPTOR_BYTES / 8 - BLOCKS && word[table] != id + DESCRIPTOR_FROM + 8 * table - BLOCK_BYTES)
		table++;
	if (table >= DESCRIPTOR_BYTES / 8 - BLOCKS)
		return false;
	for (size_t i = table + 1; i < table + BLOCKS; i++) {
		if (!word[i] || c->host->read(c->host, word[i], block, sizeof(block)))
			continue;
		c->block = (uint32_t)(DESCRIPTOR_FROM + 8 * i);
		c->variable = variable_of(block, sizeof(block) / 8, 0, thread);
		if (c->variable)
			return true;
	}
	return false;
}

/* Is THREAD the state of a thread whose descriptor shows it? Then its place there is noted. */
static bool find_variable(struct cpython *c, uint64_t thread)
{
	uint64_t id, word[DESCRIPTOR_BYTES / 8];

	if (cpython_word(c, thread + c->layout.thread_id, &id) || !id || id & 7 ||
	    c->host->read(c->host, id + DESCRIPTOR_FROM, word, sizeof(word)))
		return false;
	c->block = 0;
	c->variable = variable_of(word + 1, sizeof(word) / 8 - 1, DESCRIPTOR_FROM + 8, thread);
	return c->variable || find_in_blocks(c, id, word, thread);
}

/* Looks for such a thread in the interpreter INTERP. */
static int find_thread(struct cpython *c, uint64_t interp)
{
	uint64_t thread, back;

	if (cpython_word(c, interp + c->layout.interp_threads, &thread))
		return -EBADMSG;
	for (unsigned int i = 0; thread && i < THREADS_MAX; i++) {
		if (cpython_word(c, thread + c->layout.thread_interp, &back) || back != interp)
			return -EBADMSG;
		if (find_variable(c, thread))
			return 0;
		if (cpython_word(c, thread + c->layout.thread_next, &thread))
			return -EBADMSG;
	}
	return -EAGAIN;
}

/* 0; -EAGAIN: it has only begun; -EBADMSG: what the layout leads to makes no sense. */
static int find_threads(struct cpython *c)
{
	uint64_t interp;
	int r = -EAGAIN;

	if (cpython_word(c, c->runtime + c->layout.runtime_interpreters, &interp))
		return -EBADMSG;
	for (unsigned int i = 0; r == -EAGAIN && interp && i < INTERPRETERS_MAX; i++) {
		c->interp = interp;
		r = find_thread(c, interp);
		if (r == -EAGAIN && cpython_word(c, interp + c->layout.interp_next, &interp))
			r = -EBADMSG;
	}
	return r;
}

/*
 * Interpreters and threads are added in front of their lists, so the last of the last is the one that the program began
 * with. It is part of its interpreter from 3.12 on, so it stays.
 */
static void find_first(struct cpython *c)
{
	uint64_t interp = c->interp, thread, next = interp;

	for (unsigned int i = 0; next && i < INTERPRETERS_MAX; i++) {
		interp = next;
		if (cpython_word(c, interp + c->layout.interp_next, &next))
			return;
	}
	if (next || cpython_word(c, interp + c->layout.interp_threads, &next))
		return;
	for (unsigned int i = 0; next && i < THREADS_MAX; i++) {
		thread = next;
		if (cpython_word(c, thread + c->layout.thread_next, &next))
			return;
		c->first = next ? 0 : thread;
	}
}

static int cpython_attach(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	uint64_t runtime, loop, size;
	struct cpython *c;
	int r;

	(void)process;
	if (host->symbol(host, NULL, "_PyRuntime", &runtime, NULL) ||
	    host->symbol(host, NULL, "_PyEval_EvalFrameDefault", &loop, &size) || !size)
		return -ENOENT;
	c = host->allocate(host, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->host = host;
	c->runtime = runtime;
	c->loop = (struct sberf_range){ loop, loop + size };
	if (host->symbol(host, NULL, "PyCode_Type", &c->code_type, NULL) ||
	    host->symbol(host, NULL, "PyUnicode_Type", &c->text_type, NULL))
		return -ENOENT;
	r = find_layout(c);
	r = r ? r : find_threads(c);
	if (r == -EBADMSG)
		host->log(host, "the threads of Python are not where they should be: its stacks are native ones");
	if (!r && c->layout.runtime_current == CPYTHON_NONE)
		find_first(c);
	if (!r)
		*ret_state = c;
	return r;
}

/* Where the lock of the interpreter is; that of the first one, where each has its own. */
static struct sberf_range find_lock(const struct cpython *c)
{
	uint64_t gil = c->runtime + c->layout.runtime_gil;

	if (c->layout.runtime_gil == CPYTHON_NONE &&
	    (cpython_word(c, c->interp + c->layout.interp_gil, &gil) || !gil || gil > UINT64_MAX - GIL_BYTES))
		return (struct sberf_range){ 0, 0 };
	return (struct sberf_range){ gil, gil + GIL_BYTES };
}

static void plan_step(struct sberf_plan *p, uint32_t op, uint32_t count, int64_t value)
{
	if (p->nr_steps < SBERF_PLAN_STEPS_MAX)
		p->steps[p->nr_steps] = (struct sberf_step){ op, count, value };
	p->nr_steps++;
}

/* A word of the object at hand that the plan copies; AT is where in the record it comes. */
struct wanted_word {
	uint16_t offset;
	uint8_t *at;
};

static void sort_words(struct wanted_word *w, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && w[k].offset < w[k - 1].offset; k--) {
			const struct wanted_word other = w[k];

			w[k] = w[k - 1];
			w[k - 1] = other;
		}
}

/* Copies the N words W, by ascending offset, so that they can be read at once. *WORDS counts those of the record. */
static void plan_words(struct sberf_plan *p, struct wanted_word *w, size_t n, uint8_t *words)
{
	sort_words(w, n);
	for (size_t i = 0; i < n;) {
		const uint16_t from = w[i].offset;
		uint16_t end = from;

		/* Two may be of the same word. */
		for (; i < n && w[i].offset <= end; i++) {
			*w[i].at = (uint8_t)(*words + (w[i].offset - from) / 8);
			end = (uint16_t)(w[i].offset + 8);
		}
		plan_step(p, SBERF_STEP_COPY, end - from, from);
		*words = (uint8_t)(*words + (end - from) / 8);
	}
}

static void plan_frames(struct cpython *c, struct sberf_plan *p)
{
	const struct cpython_layout *l = &c->layout;
	struct cpython_record *r = &c->record;
	struct wanted_word frame[] = {
		{ l->frame_code, &r->code }, { l->frame_back, &r->back }, { l->frame_instr, &r->instr },
		{ (uint16_t)(l->frame_entry & ~7u), &r->entry },
		{ (uint16_t)(l->frame_copy & ~7u), &r->copy },
	};
	const size_t words = l->entry == CPYTHON_EACH ? 3 : l->frame_copy == CPYTHON_NONE ? 4 : 5;
	struct wanted_word code[] = {
		{ (uint16_t)(l->code_firstline & ~7u), &r->firstline },
		{ l->code_qualname != CPYTHON_NONE ? l->code_qualname : l->code_name, &r->name },
	};

	plan_step(p, SBERF_STEP_LOOP, SBERF_PLAN_TURNS_MAX, 0);
	plan_words(p, frame, words, &r->words);
	plan_step(p, SBERF_STEP_COPIED, l->code_tag, 8 * r->code);
	plan_words(p, code, 2, &r->words);
	plan_step(p, SBERF_STEP_COPIED, 0, 8 * r->back);
	plan_step(p, SBERF_STEP_END, 0, 0);
}

/*
 * A thread may be in one interpreter, called by another one. Before 3.12 its variable is the outer one's state, and
 * that of the inner one is known to the lock. Since then it is the inner one's.
 */
static void plan_states(const struct cpython *c, struct sberf_plan *p)
{
	const struct cpython_layout *l = &c->layout;

	if (l->runtime_current == CPYTHON_NONE) {
		p->flags = SBERF_PLAN_INNER_FIRST;
		if (c->first)
			plan_step(p, SBERF_STEP_THEN, l->thread_id, (int64_t)c->first);
		return;
	}
	plan_step(p, SBERF_STEP_OWN, l->thread_id, (int64_t)(c->runtime + l->runtime_current));
	plan_step(p, SBERF_STEP_OWN, l->thread_id, (int64_t)(c->runtime + l->runtime_gil + GIL_HOLDER));
}

static int cpython_plan(void *state, struct sberf_plan *ret)
{
	struct cpython *c = state;
	const struct cpython_layout *l = &c->layout;
	struct cpython_record *r = &c->record;
	const unsigned int shift = 8 * (l->frame_entry & 7u);

	*r = (struct cpython_record){ 0 };
	plan_step(ret, SBERF_STEP_THREAD, 0, 0);
	if (c->block)
		plan_step(ret, SBERF_STEP_DEREF, 0, c->block);
	plan_step(ret, SBERF_STEP_DEREF, 0, c->variable);
	plan_states(c, ret);
	plan_step(ret, SBERF_STEP_DEREF, 0, l->thread_frame);
	if (l->cframe_frame != CPYTHON_NONE)
		plan_step(ret, SBERF_STEP_DEREF, 0, l->cframe_frame);
	plan_frames(c, ret);
	if (ret->nr_steps > SBERF_PLAN_STEPS_MAX || r->words > WORDS_MAX)
		return -ENOTSUP;
	ret->nr_ranges = 1;
	ret->ranges[0] = c->loop;
	ret->lock = find_lock(c);
	if (ret->lock.start) {
		ret->holder = ret->lock.start + GIL_HOLDER;
		ret->holder_thread = l->thread_id;
		ret->holder_id = THREAD_NUMBER;
	}
	ret->key_words = 1u << r->code | 1u << r->instr | 1u << r->firstline | 1u << r->name;
	if (l->entry == CPYTHON_EACH)
		return 0;
	ret->run_end = l->entry == CPYTHON_SHIM ? SBERF_RUN_BEHIND : SBERF_RUN_LAST;
	ret->run_offset = 8u * r->entry;
	ret->run_mask = (uint64_t)0xff << shift;
	ret->run_value = (uint64_t)(l->entry == CPYTHON_SHIM ? OWNED_BY_CSTACK : 1) << shift;
	return 0;
}

/* What is known of a code object. */
struct code_text {
	char function[4 * SBERF_PLUGIN_TEXT_MAX + 1], file[4 * SBERF_PLUGIN_TEXT_MAX + 1];
	uint32_t firstline, line;
};

/* The table of lines of the code object at CODE, to C. */
static int code_read_lines(struct cpython *c, uint64_t code)
{
	uint64_t table, size;

	if (c->lines_of == code)
		return 0;
	c->lines_of = 0;
	if (cpython_word(c, code + c->layout.code_lines, &table) ||
	    cpython_word(c, table + c->layout.bytes_size, &size) || size > INT32_MAX)
		return -EBADMSG;
	c->lines_len = size < sizeof(c->lines) ? size : sizeof(c->lines);
	for (size_t at = 0; at < c->lines_len; at += SBERF_PLUGIN_READ_MAX) {
		const size_t left = c->lines_len - at;

		if (c->host->read(c->host, table + c->layout.bytes_data + at, c->lines + at,
				  left < SBERF_PLUGIN_READ_MAX ? left : SBERF_PLUGIN_READ_MAX))
			return -EFAULT;
	}
	c->lines_of = code;
	return 0;
}

/* Four bytes at the OFFSET of the structure whose word there is the word AT of the record W. */
static uint32_t half_word(const uint64_t *w, uint8_t at, uint16_t offset)
{
	uint32_t v;

	memcpy(&v, (const char *)&w[at] + (offset & 7u), sizeof(v));
	return v;
}

/* Where the instructions of the code at CODE that the frame of the record W executes begin. False: unreadable. */
static bool instructions_of(const struct cpython *c, const uint64_t *w, uint64_t code, uint64_t *ret)
{
	const struct cpython_layout *l = &c->layout;
	const uint32_t copy = l->frame_copy == CPYTHON_NONE ? 0 : half_word(w, c->record.copy, l->frame_copy);
	uint64_t copies, n;

	*ret = code + l->code_instr;
	return !copy || (!cpython_word(c, code + l->code_copies, &copies) && !cpython_word(c, copies, &n) &&
			 n <= COPIES_MAX && copy < n && !cpython_word(c, copies + 8 + 8ull * copy, ret));
}

/* Where in the code at CODE the frame of the record W is, in bytes from its begin. False: that cannot be read. */
static bool instruction_of(const struct cpython *c, const uint64_t *w, uint64_t code, int64_t *ret)
{
	uint64_t begin;

	if (c->layout.instr_scale) {
		*ret = (int64_t)(int32_t)w[c->record.instr] * c->layout.instr_scale;
		return true;
	}
	if (!instructions_of(c, w, code, &begin))
		return false;
	*ret = (int64_t)(w[c->record.instr] - begin);
	return true;
}

/* The line of the frame of the record W, whose code is at CODE; 0 = that is not known. */
static uint32_t line_of(struct cpython *c, const uint64_t *w, uint64_t code, uint32_t first)
{
	int64_t at;

	if (code_read_lines(c, code) || !instruction_of(c, w, code, &at))
		return 0;
	return cpython_line(c->layout.lines, c->lines, c->lines_len, first, at);
}

/* Is the object at CODE still the code object of the record W? */
static bool is_that_code(const struct cpython *c, uint64_t code, const uint64_t *w)
{
	const struct cpython_layout *l = &c->layout;
	uint64_t type, firstline, name;

	return !cpython_word(c, code + l->object_type, &type) && type == c->code_type &&
	       !cpython_word(c, code + (l->code_firstline & ~7u), &firstline) &&
	       firstline == w[c->record.firstline] &&
	       !cpython_word(c, code + (l->code_qualname != CPYTHON_NONE ? l->code_qualname : l->code_name), &name) &&
	       name == w[c->record.name];
}

/* "<module>" and "<lambda>" are in every file: "<module> (decoder.py)". */
static void code_name_place(struct code_text *t)
{
	const size_t len = strlen(t->function);
	const char *slash = strrchr(t->file, '/');

	if (*t->file)
		snprintf(t->function + len, sizeof(t->function) - len, " (%s)", slash ? slash + 1 : t->file);
}

/* NULL, or why it cannot be told. */
static const char *read_code(struct cpython *c, const uint64_t *w, struct code_text *ret)
{
	const uint64_t code = w[c->record.code] & ~(uint64_t)c->layout.code_tag;
	uint64_t file;

	if (!is_that_code(c, code, w))
		return "[python: a function that is gone]";
	ret->firstline = half_word(w, c->record.firstline, c->layout.code_firstline);
	if (ret->firstline > LINE_MAX || cpython_word(c, code + c->layout.code_filename, &file) ||
	    cpython_text(c->host, &c->layout, c->text_type, w[c->record.name], ret->function, sizeof(ret->function)) ||
	    cpython_text(c->host, &c->layout, c->text_type, file, ret->file, sizeof(ret->file)))
		return "[python: a function whose name cannot be read]";
	if (!*ret->function)
		return "[python: a function without a name]";
	if (*ret->function == '<')
		code_name_place(ret);
	ret->line = line_of(c, w, code, ret->firstline);
	/* Nothing may have taken its place while it was read. */
	return is_that_code(c, code, w) ? NULL : "[python: a function that is gone]";
}

static int cpython_expand(void *state, const struct sberf_taken *taken, struct sberf_sink *sink)
{
	struct cpython *c = state;
	struct code_text text;
	int r = 0;

	if (taken->record_bytes != 8u * c->record.words)
		return -EINVAL;
	/* It may have been freed, and another one made in its place. */
	c->lines_of = 0;
	for (uint32_t i = 0; i < taken->nr_records && r != -EDQUOT; i++) {
		uint64_t w[WORDS_MAX];
		const char *why;
		struct sberf_said said = { .size = sizeof(said), .kind = SBERF_SAID_INTERPRETED };

		memcpy(w, (const char *)taken->records + (size_t)i * taken->record_bytes, taken->record_bytes);
		why = read_code(c, w, &text);
		said.function = why ? why : text.function;
		said.kind = why ? SBERF_SAID_NOTE : SBERF_SAID_INTERPRETED;
		said.file = why ? "" : text.file;
		said.line = why ? 0 : text.line;
		said.start = why ? 0 : text.firstline;
		r = sink->say(sink, i, &said);
	}
	return r;
}

static int cpython_name_threads(void *state, const uint64_t *tid, size_t n, struct sberf_sink *sink)
{
	struct cpython *c = state;

	if (!c->threads.host) {
		c->threads = (struct cpython_threads){ .host = c->host, .layout = &c->layout, .interp = c->interp,
						       .text_type = c->text_type, .number = THREAD_NUMBER };
		(void)c->host->symbol(c->host, NULL, "PyDict_Type", &c->threads.dict_type, NULL);
	}
	return cpython_threads_name(&c->threads, tid, n, sink);
}

const struct sberf_plugin cpython_plugin = {
	.abi = SBERF_PLUGIN_ABI,
	.size = sizeof(struct sberf_plugin),
	.name = "python",
	.runtime = "CPython",
	.versions = "3.8 to 3.14, 3.13t, 3.14t",
	.attach = cpython_attach,
	.plan = cpython_plan,
	.expand = cpython_expand,
	.threads = cpython_name_threads,
};
