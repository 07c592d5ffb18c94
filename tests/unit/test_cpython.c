/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_cpython.c - the plug-in for CPython on memory that is made here: tables of offsets that make sense and
 * that do not, tables of lines of each kind, strings, and a process whose lists lead nowhere.
 */
#include "config.h"

#include "plugin/cpython.h"
#include "plugin/cpython_layout.h"
#include "plugin/cpython_text.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x10000ull                  /* address of memory[0] */
#define MEMORY 65536u

/* A process of which nothing but this can be read. */
struct memory {
	struct sberf_host host;          /* first */
	uint8_t byte[MEMORY];
	char said[256];
	void *allocated;                 /* the last one */
};

static int memory_read(const struct sberf_host *host, uint64_t address, void *buf, size_t length)
{
	const struct memory *m = (const struct memory *)host;

	if (address < BASE || address - BASE > MEMORY || length > MEMORY - (address - BASE))
		return -EFAULT;
	memcpy(buf, m->byte + (address - BASE), length);
	return 0;
}

static int memory_symbol(const struct sberf_host *host, const char *module, const char *name, uint64_t *ret,
			 uint64_t *ret_size)
{
	static const struct {
		const char *name;
		uint64_t at, size;
	} symbols[] = {
		{ "_PyRuntime", BASE, 1024 }, { "_PyEval_EvalFrameDefault", 0x500000, 4096 },
		{ "PyCode_Type", 0x600000, 8 }, { "PyUnicode_Type", 0x600100, 8 }, { "Py_Version", BASE + 0x8000, 8 },
	};

	(void)host;
	(void)module;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!strcmp(symbols[i].name, name)) {
			*ret = symbols[i].at;
			if (ret_size)
				*ret_size = symbols[i].size;
			return 0;
		}
	return -ENOENT;
}

static int memory_mapped(const struct sberf_host *host, size_t i, struct sberf_mapped *ret)
{
	(void)host;
	(void)i;
	(void)ret;
	return -ENOENT;
}

static void *memory_allocate(const struct sberf_host *host, size_t length)
{
	struct memory *m = (struct memory *)host;

	free(m->allocated);
	m->allocated = calloc(1, length);
	return m->allocated;
}

static void memory_log(const struct sberf_host *host, const char *text)
{
	struct memory *m = (struct memory *)host;

	snprintf(m->said, sizeof(m->said), "%s", text);
}

static struct memory *memory_new(void)
{
	struct memory *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->host = (struct sberf_host){ .abi = SBERF_PLUGIN_ABI, .size = sizeof(m->host), .read = memory_read,
				       .symbol = memory_symbol, .mapped = memory_mapped, .allocate = memory_allocate,
				       .log = memory_log };
	return m;
}

static void put_u64(struct memory *m, uint64_t address, uint64_t v)
{
	memcpy(m->byte + (address - BASE), &v, sizeof(v));
}

/* The table of a process of 3.13, word by word. */
static void make_offsets(uint64_t word[CPYTHON_OFFSETS_BYTES / 8], uint64_t version)
{
	memset(word, 0, CPYTHON_OFFSETS_BYTES);
	memcpy(word, "xdebugpy", 8);
	word[1] = version;
	word[5] = 632;                                   /* interpreters */
	word[6] = 194968, word[8] = 7264, word[9] = 7344, word[14] = 16;
	word[19] = 304, word[21] = 8, word[22] = 16, word[23] = 72, word[24] = 152;
	word[28] = 88, word[29] = 8, word[30] = 0, word[31] = 56, word[33] = 70;
	word[34] = 208, word[35] = 112, word[36] = 120, word[37] = 128, word[38] = 136, word[39] = 68, word[43] = 200;
	word[44] = 16, word[45] = 8;
	word[65] = 16, word[66] = 32, word[67] = 64, word[68] = 32, word[69] = 16, word[70] = 40;
}

/* The table of a process of 3.14. Offsets are those of a usual build, as far as they are looked at. */
static void make_offsets_14(uint64_t word[CPYTHON_OFFSETS_BYTES / 8], uint64_t version)
{
	memset(word, 0, CPYTHON_OFFSETS_BYTES);
	memcpy(word, "xdebugpy", 8);
	word[1] = version;
	word[5] = 640;                                   /* interpreters */
	word[6] = 194968, word[8] = 7264, word[9] = 7344, word[15] = 16;
	word[22] = 304, word[24] = 8, word[25] = 16, word[26] = 72, word[27] = 152;
	word[31] = 88, word[32] = 8, word[33] = 0, word[34] = 56, word[35] = 80, word[36] = 74, word[37] = 64;
	word[39] = 216, word[40] = 112, word[41] = 120, word[42] = 128, word[43] = 136, word[44] = 68;
	word[48] = 208;
	word[50] = 16, word[51] = 8;
	word[75] = 16, word[76] = 32, word[77] = 64, word[78] = 32, word[79] = 16, word[80] = 40;
}

/* What is the same in 3.13 and 3.14 without the lock: heads of objects are of 32 bytes. CODE, OBJECT, BYTES: words. */
static void make_objects_free(uint64_t *word, size_t code, size_t object, size_t bytes)
{
	word[2] = 1;
	word[code] = 232, word[code + 1] = 128, word[code + 2] = 136, word[code + 3] = 144, word[code + 4] = 152;
	word[code + 5] = 84, word[code + 9] = 224;
	word[object] = 32, word[object + 1] = 24;
	word[bytes] = 56, word[bytes + 1] = 32, word[bytes + 2] = 48;
	word[bytes + 3] = 80, word[bytes + 4] = 48, word[bytes + 5] = 32, word[bytes + 6] = 56;
}

/* The tables of builds without the lock. That of 3.14 has copies of instructions. */
static void make_offsets_13_free(uint64_t word[CPYTHON_OFFSETS_BYTES / 8])
{
	make_offsets(word, 0x030d00f0);
	make_objects_free(word, 34, 44, 64);
}

static void make_offsets_14_free(uint64_t word[CPYTHON_OFFSETS_BYTES / 8])
{
	make_offsets_14(word, 0x030e00f0);
	make_objects_free(word, 39, 50, 74);
	word[36] = 78, word[38] = 72;
	word[39] = 240, word[48] = 232, word[49] = 224;
}

/* What is not known is refused: other builds, what came before a release, tables that mean something else. */
static void other_builds_are_refused(void **state)
{
	uint64_t word[CPYTHON_OFFSETS_BYTES / 8];
	struct cpython_layout l;

	(void)state;
	make_offsets_14(word, 0x030e00f0);
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), 0);
	assert_int_equal(l.version, CPYTHON_VERSION(3, 14));
	assert_int_equal(l.code_tag, 3);
	assert_int_equal(l.entry, CPYTHON_SHIM);
	assert_int_equal(l.frame_entry, 74);
	assert_int_equal(l.frame_instr, 56);
	assert_int_equal(l.code_qualname, 128);
	assert_int_equal(l.code_instr, 208);
	assert_int_equal(l.text_compact, 56);
	make_offsets_14(word, 0x030e00b3);               /* a beta */
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -ENOTSUP);
	make_offsets_14(word, 0x030f00f0);
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -ENOTSUP);
	make_offsets_14(word, 0x030d00f0);               /* words of the one, version of the other */
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -EBADMSG);
	make_offsets(word, 0x030e00f0);
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -EBADMSG);
	make_offsets_14(word, 0x030e00f0);
	word[2] = 1;                                     /* without the lock, but objects of a build with it */
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -EBADMSG);
	make_offsets(word, 0x030d00f0);
	word[44] = 32, word[45] = 24;                    /* objects of such a build */
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -EBADMSG);
}

static void offsets_are_believed_if_they_make_sense(void **state)
{
	uint64_t word[CPYTHON_OFFSETS_BYTES / 8];
	struct cpython_layout l;

	(void)state;
	make_offsets(word, 0x030d00f0);
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), 0);
	assert_int_equal(l.version, CPYTHON_VERSION(3, 13));
	assert_int_equal(l.thread_frame, 72);
	assert_int_equal(l.code_qualname, 128);
	assert_int_equal(cpython_layout_read(word, 64, &l), -ENOENT);
	make_offsets(word, 0x036300f0);
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -ENOTSUP);
	make_offsets(word, 0x030d00f0);
	word[29] = 4096;                                 /* beyond the frame */
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -EBADMSG);
	make_offsets(word, 0x030d00f0);
	word[0] = 0;
	assert_int_equal(cpython_layout_read(word, sizeof(word), &l), -ENOENT);
	/* Whatever stands there, nothing is read beyond. */
	for (size_t i = 2; i < sizeof(word) / 8; i++) {
		make_offsets(word, 0x030d00f0);
		word[i] = UINT64_MAX;
		(void)cpython_layout_read(word, sizeof(word), &l);
	}
}

static void lines_of_each_kind(void **state)
{
	static const uint8_t lnotab[] = { 4, 1, 6, 2, 0, (uint8_t)-1 };
	static const uint8_t ranges[] = { 4, 0, 2, 1, 4, 0x80, 2, 3 };
	/* short form of 1 unit, one line of 2 units with + 1, no columns with + 40 of 1 unit, none of 1 unit */
	static const uint8_t locations[] = { 0x80, 0, 0xd9, 0, 0, 0xe8, 0x50, 0x01, 0xf8 };

	(void)state;
	assert_int_equal(cpython_line(CPYTHON_LNOTAB, lnotab, sizeof(lnotab), 10, 0), 10);
	assert_int_equal(cpython_line(CPYTHON_LNOTAB, lnotab, sizeof(lnotab), 10, 4), 11);
	assert_int_equal(cpython_line(CPYTHON_LNOTAB, lnotab, sizeof(lnotab), 10, 10), 12);
	assert_int_equal(cpython_line(CPYTHON_LNOTAB, lnotab, 3, 10, 100), 11);
	assert_int_equal(cpython_line(CPYTHON_RANGES, ranges, sizeof(ranges), 10, 2), 10);
	assert_int_equal(cpython_line(CPYTHON_RANGES, ranges, sizeof(ranges), 10, 4), 11);
	assert_int_equal(cpython_line(CPYTHON_RANGES, ranges, sizeof(ranges), 10, 6), 0);
	assert_int_equal(cpython_line(CPYTHON_RANGES, ranges, sizeof(ranges), 10, 11), 14);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, 0), 10);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, 2), 11);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, 4), 11);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, 6), 11 + 40);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, 8), 0);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, sizeof(locations), 10, -2), 10);
	assert_int_equal(cpython_line(CPYTHON_LOCATIONS, locations, 0, 10, 2), 0);
}

/* A string of KIND bytes a character at ADDRESS; compact unless STATE says otherwise. */
static void put_text(struct memory *m, uint64_t address, uint32_t state, uint64_t length, const void *chars,
		     size_t bytes)
{
	const struct cpython_layout *l = cpython_layout_of(CPYTHON_VERSION(3, 12));

	put_u64(m, address + 8, 0x600100);
	put_u64(m, address + l->text_length, length);
	put_u64(m, address + l->text_state, state);
	memcpy(m->byte + (address - BASE) + (state & 0x40 ? l->text_ascii : l->text_compact), chars, bytes);
}

static void strings_are_checked(void **state)
{
	const struct cpython_layout *l = cpython_layout_of(CPYTHON_VERSION(3, 12));
	static const uint16_t two[] = { 0x3b1, 'b' };
	static const uint32_t four[] = { 0x1f40d, 0xffffffff };
	struct memory *m = memory_new();
	char text[64];

	(void)state;
	put_text(m, BASE, 1 << 2 | 0x60, 5, "hello", 5);
	assert_int_equal(cpython_text(&m->host, l, 0x600100, BASE, text, sizeof(text)), 0);
	assert_string_equal(text, "hello");
	assert_int_equal(cpython_text(&m->host, l, 0x600100, BASE, text, 3), 0);
	assert_string_equal(text, "he");
	put_text(m, BASE, 2 << 2 | 0x20, 2, two, sizeof(two));
	assert_int_equal(cpython_text(&m->host, l, 0, BASE, text, sizeof(text)), 0);
	assert_string_equal(text, "\xce\xb1" "b");
	put_text(m, BASE, 4 << 2 | 0x20, 2, four, sizeof(four));
	assert_int_equal(cpython_text(&m->host, l, 0, BASE, text, sizeof(text)), 0);
	assert_string_equal(text, "\xf0\x9f\x90\x8d\xef\xbf\xbd");
	/* Another type, a kind that there is not, a length that makes no sense, memory that is not there. */
	assert_int_equal(cpython_text(&m->host, l, 1, BASE, text, sizeof(text)), -EBADMSG);
	put_text(m, BASE, 3 << 2 | 0x20, 2, four, sizeof(four));
	assert_int_equal(cpython_text(&m->host, l, 0, BASE, text, sizeof(text)), -EBADMSG);
	put_text(m, BASE, 1 << 2 | 0x60, UINT64_MAX, "x", 1);
	assert_int_equal(cpython_text(&m->host, l, 0, BASE, text, sizeof(text)), -EBADMSG);
	assert_int_equal(cpython_text(&m->host, l, 0, 8, text, sizeof(text)), -EFAULT);
	free(m);
}

static int attach(struct memory *m, void **ret)
{
	const struct sberf_process p = { .size = sizeof(p), .pid = 1, .exe = "" };

	m->said[0] = '\0';
	return cpython_plugin.attach(&m->host, &p, ret);
}

/* A 3.13 with one interpreter, one thread, and its descriptor. */
static void make_process(struct memory *m)
{
	const uint64_t interp = BASE + 0x1000, thread = BASE + 0x4000, descriptor = BASE + 0x5000;
	uint64_t word[CPYTHON_OFFSETS_BYTES / 8];

	make_offsets(word, 0x030d00f0);
	memcpy(m->byte, word, sizeof(word));
	put_u64(m, BASE + 632, interp);
	put_u64(m, BASE + 0x8000, 0x030d00f0);
	put_u64(m, interp + 7344, thread);
	put_u64(m, interp + 16, BASE + 0x7000);          /* its lock */
	put_u64(m, thread + 16, interp);
	put_u64(m, thread + 152, descriptor);
	put_u64(m, descriptor + 0x318, thread);
}

static void a_process_is_believed_if_its_lists_lead_back(void **state)
{
	struct memory *m = memory_new();
	struct sberf_plan plan = { .size = sizeof(plan) };
	uint64_t word[CPYTHON_OFFSETS_BYTES / 8];
	uint32_t tags = 0;
	void *it;

	(void)state;
	make_process(m);
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	assert_int_equal(plan.steps[0].op, SBERF_STEP_THREAD);
	assert_int_equal(plan.steps[1].value, 0x318);
	assert_int_equal(plan.run_end, SBERF_RUN_BEHIND);
	assert_int_equal(plan.lock.start, BASE + 0x7000);
	assert_int_equal(plan.holder, BASE + 0x7000 + 8);
	/* The thread is of another interpreter. */
	put_u64(m, BASE + 0x4000 + 16, BASE);
	assert_int_equal(attach(m, &it), -EBADMSG);
	assert_non_null(strstr(m->said, "not where they should be"));
	/* It has only begun. */
	make_process(m);
	put_u64(m, BASE + 632, 0);
	assert_int_equal(attach(m, &it), -EAGAIN);
	/* A circle of threads, none of which shows its state. */
	make_process(m);
	put_u64(m, BASE + 0x5000 + 0x318, 0);
	put_u64(m, BASE + 0x4000 + 8, BASE + 0x4000);
	assert_int_equal(attach(m, &it), -EAGAIN);
	/* The same lists, and a plan that leaves the low bits of references out, in 3.14. */
	make_process(m);
	make_offsets_14(word, 0x030e00f0);
	word[5] = 1200;                                  /* behind the table */
	memcpy(m->byte, word, sizeof(word));
	put_u64(m, BASE + 1200, BASE + 0x1000);
	plan = (struct sberf_plan){ .size = sizeof(plan) };
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	for (uint32_t i = 0; i < plan.nr_steps; i++)
		tags |= plan.steps[i].op == SBERF_STEP_COPIED ? plan.steps[i].count : 0;
	assert_int_equal(tags, 3);
	/* A version that nobody knows. */
	make_process(m);
	put_u64(m, BASE + 8, 0x036300f0);
	put_u64(m, BASE + 0x8000, 0x036300f0);
	assert_int_equal(attach(m, &it), -ENOTSUP);
	assert_string_equal(m->said, "Python 3.99 is not known: its stacks are native ones");
	free(m->allocated);
	free(m);
}

#define CODE (BASE + 0x6000)             /* a code object; there is another one 0x400 behind it, and so on */
#define FRAMES (BASE + 0xa000)           /* 0x100 apart, innermost first */
#define DESCRIPTOR (BASE + 0x5000)

/* Carries out the steps of P, as the kernel's side would, in the thread at DESCRIPTOR. Returns how many records. */
static uint32_t carry_out(const struct memory *m, const struct sberf_plan *p, uint8_t *records, uint32_t *ret_bytes)
{
	uint64_t at = 0;
	uint32_t loop = 0, n = 0, of = 0, here = 0;

	for (uint32_t i = 0; i < p->nr_steps; i++) {
		const struct sberf_step *s = &p->steps[i];

		switch (s->op) {
		case SBERF_STEP_THREAD:
			at = DESCRIPTOR;
			break;
		case SBERF_STEP_DEREF:
			assert_int_equal(memory_read(&m->host, at + (uint64_t)s->value, &at, 8), 0);
			break;
		case SBERF_STEP_THEN:
			break;
		case SBERF_STEP_LOOP:
			loop = i;
			break;
		case SBERF_STEP_COPY:
			assert_int_equal(memory_read(&m->host, at + (uint64_t)s->value, records + of + here, s->count),
					 0);
			here += s->count;
			break;
		case SBERF_STEP_COPIED:
			memcpy(&at, records + of + s->value, 8);
			at &= ~(uint64_t)s->count;
			break;
		default:
			assert_int_equal(s->op, SBERF_STEP_END);
			i = at ? loop : i;
		}
		if (here && (!at || i == loop)) {
			*ret_bytes = *ret_bytes ? *ret_bytes : here;
			of += *ret_bytes;
			here = 0;
			n++;
		}
		if (!at)
			break;
	}
	return n;
}

/* What was said of frames. */
struct heard {
	struct sberf_sink sink;          /* first */
	char text[512];
};

static int hear(struct sberf_sink *sink, size_t i, const struct sberf_said *said)
{
	struct heard *h = (struct heard *)sink;
	const size_t len = strlen(h->text);

	snprintf(h->text + len, sizeof(h->text) - len, "%zu:%s:%s:%u:%u ", i, said->function, said->file, said->line,
		 (uint32_t)said->start);
	return 0;
}

/* A string of ASCII of a build without the lock; of INTERNED, a byte of it, only in 3.14. */
static void put_free_text(struct memory *m, uint64_t address, const char *text, bool byte)
{
	put_u64(m, address + 24, 0x600100);
	put_u64(m, address + 32, strlen(text));
	put_u64(m, address + 48, byte ? 1 | 1 << 8 | 3 << 11 : 1 | 1 << 2 | 3 << 5);
	memcpy(m->byte + (address - BASE) + 56, text, strlen(text));
}

/* The code object NAME at AT, which begins at line FIRST: two instructions, the second one a line below. */
static void put_free_code(struct memory *m, uint64_t at, const char *name, uint32_t first, bool byte)
{
	static const uint8_t locations[] = { 0x80, 0, 0xd8, 0, 0 };

	put_u64(m, at + 24, 0x600000);
	memcpy(m->byte + (at - BASE) + 84, &first, sizeof(first));
	put_u64(m, at + 128, at + 0x180);
	put_u64(m, at + 144, at + 0x200);
	put_u64(m, at + 152, at + 0x280);
	put_free_text(m, at + 0x180, "/app/work.py", byte);
	put_free_text(m, at + 0x200, name, byte);
	put_u64(m, at + 0x280 + 32, sizeof(locations));
	memcpy(m->byte + (at - BASE) + 0x280 + 48, locations, sizeof(locations));
}

/* The frame NR of CODE, which is at the instruction INSTR, called by the next one. */
static void put_frame(struct memory *m, uint32_t nr, uint64_t code, uint64_t instr)
{
	put_u64(m, FRAMES + 0x100 * nr, code);
	put_u64(m, FRAMES + 0x100 * nr + 8, FRAMES + 0x100 * (nr + 1));
	put_u64(m, FRAMES + 0x100 * nr + 56, instr);
}

/* inner, called by outer, called from the stack of C; the table WORD. */
static void make_free(struct memory *m, uint64_t word[CPYTHON_OFFSETS_BYTES / 8], uint32_t owner, bool byte)
{
	memset(m->byte, 0, sizeof(m->byte));
	make_process(m);
	put_u64(m, BASE + 632, 0);
	word[5] = 1200;                                  /* behind the table */
	memcpy(m->byte, word, CPYTHON_OFFSETS_BYTES);
	put_u64(m, BASE + 1200, BASE + 0x1000);
	put_u64(m, BASE + 0x4000 + 72, FRAMES);
	put_free_code(m, CODE, "A.inner", 10, byte);
	put_free_code(m, CODE + 0x400, "outer", 20, byte);
	put_frame(m, 2, CODE, 0);
	put_u64(m, FRAMES + 0x208, 0);
	m->byte[FRAMES - BASE + 0x200 + owner] = 3;
}

/* Attaches to M, carries out the plan, and has its frames named: the texts of all, to H. */
static void name_frames(struct memory *m, struct heard *h)
{
	struct sberf_plan plan = { .size = sizeof(plan) };
	uint8_t records[1024];
	struct sberf_taken taken = { .size = sizeof(taken), .records = records };
	void *it;

	*h = (struct heard){ .sink = { .size = sizeof(h->sink), .say = hear } };
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	taken.nr_records = carry_out(m, &plan, records, &taken.record_bytes);
	assert_int_equal(taken.nr_records, 3);
	assert_int_equal(plan.run_end, SBERF_RUN_BEHIND);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t mark;

		memcpy(&mark, records + (size_t)i * taken.record_bytes + plan.run_offset, 8);
		assert_int_equal((mark & plan.run_mask) == plan.run_value, i == 2);
	}
	taken.nr_records = 2;
	assert_int_equal(cpython_plugin.expand(it, &taken, &h->sink), 0);
}

/* Builds without the lock have other objects; 3.14 has copies of code, and strings say elsewhere what they are. */
static void builds_without_the_lock(void **state)
{
	struct memory *m = memory_new();
	uint64_t word[CPYTHON_OFFSETS_BYTES / 8];
	struct heard h;

	(void)state;
	make_offsets_13_free(word);
	make_free(m, word, 70, false);
	put_frame(m, 0, CODE, CODE + 224 + 2);
	put_frame(m, 1, CODE + 0x400, CODE + 0x400 + 224);
	name_frames(m, &h);
	assert_string_equal(h.text, "0:A.inner:/app/work.py:11:10 1:outer:/app/work.py:20:20 ");
	/* 3.14: the two low bits of a reference are none of the address; inner executes the second copy of its code. */
	make_offsets_14_free(word);
	make_free(m, word, 78, true);
	put_frame(m, 0, CODE | 1, BASE + 0xf000 + 2);
	put_frame(m, 1, (CODE + 0x400) | 3, CODE + 0x400 + 232);
	m->byte[FRAMES - BASE + 72] = 1;
	put_u64(m, CODE + 224, BASE + 0xe000);
	put_u64(m, BASE + 0xe000, 2);
	put_u64(m, BASE + 0xe008, CODE + 232);
	put_u64(m, BASE + 0xe010, BASE + 0xf000);
	name_frames(m, &h);
	assert_string_equal(h.text, "0:A.inner:/app/work.py:11:10 1:outer:/app/work.py:20:20 ");
	/* There is no such copy: the function is known, its line is not. */
	put_u64(m, BASE + 0xe000, 1);
	name_frames(m, &h);
	assert_string_equal(h.text, "0:A.inner:/app/work.py:0:10 1:outer:/app/work.py:20:20 ");
	/* Memory that is something else by now. */
	put_u64(m, CODE + 24, 0x600100);
	name_frames(m, &h);
	assert_non_null(strstr(h.text, "0:[python: a function that is gone]::0:0 1:outer:"));
	free(m->allocated);
	free(m);
}

/* Threads may be in an interpreter that another one has called. Which state is at hand is another one from 3.12 on. */
static void a_thread_in_several_interpreters(void **state)
{
	struct memory *m = memory_new();
	struct sberf_plan plan = { .size = sizeof(plan) };
	void *it;

	(void)state;
	make_process(m);
	put_u64(m, BASE + 0x4000 + 8, BASE + 0x4800);    /* the thread that began first is the last one */
	put_u64(m, BASE + 0x4800 + 16, BASE + 0x1000);
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	assert_int_equal(plan.steps[2].op, SBERF_STEP_THEN);
	assert_int_equal(plan.steps[2].count, 152);
	assert_int_equal(plan.steps[2].value, BASE + 0x4800);
	assert_int_equal(plan.flags, SBERF_PLAN_INNER_FIRST);
	/* A circle behind the first thread, which is found: there is no last one. */
	put_u64(m, BASE + 0x4800 + 8, BASE + 0x4800);
	plan = (struct sberf_plan){ .size = sizeof(plan) };
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	assert_int_equal(plan.steps[2].op, SBERF_STEP_DEREF);
	/* 3.11, which has no table: its lists are where ours says, and the lock knows the state. */
	memset(m->byte, 0, sizeof(m->byte));
	put_u64(m, BASE + 0x8000, 0x030b00f0);
	put_u64(m, BASE + 40, BASE + 0x1000);
	put_u64(m, BASE + 0x1000 + 16, BASE + 0x4000);
	put_u64(m, BASE + 0x4000 + 16, BASE + 0x1000);
	put_u64(m, BASE + 0x4000 + 152, DESCRIPTOR);
	put_u64(m, DESCRIPTOR + 0x318, BASE + 0x4000);
	plan = (struct sberf_plan){ .size = sizeof(plan) };
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	assert_int_equal(plan.steps[2].op, SBERF_STEP_OWN);
	assert_int_equal(plan.steps[2].value, BASE + 576);
	assert_int_equal(plan.steps[2].count, 152);
	assert_int_equal(plan.steps[3].op, SBERF_STEP_OWN);
	assert_int_equal(plan.steps[3].value, BASE + 368);
	assert_int_equal(plan.flags, 0);
	free(m->allocated);
	free(m);
}

/* A thread that has more than 32 variables keeps the others in blocks to which a table points. */
static void a_state_beyond_the_first_variables_is_found(void **state)
{
	const uint64_t descriptor = BASE + 0x5000, first = descriptor + 0x310, table = first + 512;
	struct memory *m = memory_new();
	struct sberf_plan plan = { .size = sizeof(plan) };
	void *it;

	(void)state;
	make_process(m);
	put_u64(m, first + 8, 0);
	put_u64(m, table, first);
	put_u64(m, table + 3 * 8, BASE + 0x9000);
	put_u64(m, BASE + 0x9000 + 5 * 16, BASE + 0x4000);       /* the number of a key, no value */
	put_u64(m, BASE + 0x9000 + 7 * 16 + 8, BASE + 0x4000);
	assert_int_equal(attach(m, &it), 0);
	assert_int_equal(cpython_plugin.plan(it, &plan), 0);
	assert_int_equal(plan.steps[0].op, SBERF_STEP_THREAD);
	assert_int_equal(plan.steps[1].op, SBERF_STEP_DEREF);
	assert_int_equal(plan.steps[1].value, 0x310 + 512 + 3 * 8);
	assert_int_equal(plan.steps[2].op, SBERF_STEP_DEREF);
	assert_int_equal(plan.steps[2].value, 7 * 16 + 8);
	/* No table begins with the block in front of it. */
	put_u64(m, table, first + 16);
	assert_int_equal(attach(m, &it), -EAGAIN);
	/* A block that is not there. */
	put_u64(m, table, first);
	put_u64(m, table + 3 * 8, BASE + MEMORY);
	assert_int_equal(attach(m, &it), -EAGAIN);
	free(m->allocated);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_are_believed_if_they_make_sense),
		cmocka_unit_test(other_builds_are_refused),
		cmocka_unit_test(lines_of_each_kind),
		cmocka_unit_test(strings_are_checked),
		cmocka_unit_test(a_process_is_believed_if_its_lists_lead_back),
		cmocka_unit_test(builds_without_the_lock),
		cmocka_unit_test(a_thread_in_several_interpreters),
		cmocka_unit_test(a_state_beyond_the_first_variables_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
