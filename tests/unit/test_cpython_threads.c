/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_cpython_threads.c - names of threads in memory that is made here: a process of 3.12 that has one, and memory in
 * which everything leads anywhere. (Real processes of each version: tests/live/python.sh.)
 */
#include "config.h"

#include "plugin/cpython_threads.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BASE 0x10000ull                  /* address of memory[0] */
#define MEMORY 16384u
#define TEXT_TYPE 0x600100ull
#define DICT_TYPE 0x600200ull
#define NUMBER 720u

struct memory {
	struct sberf_host host;          /* first */
	_Alignas(8) uint8_t byte[MEMORY];
	unsigned int reads;
};

struct heard {
	struct sberf_sink sink;          /* first */
	size_t n, i;
	char name[64];
};

static int memory_read(const struct sberf_host *host, uint64_t address, void *buf, size_t length)
{
	struct memory *m = (struct memory *)host;

	if (m->reads++ >= SBERF_PLUGIN_READS_MAX)
		return -EDQUOT;
	if (length > SBERF_PLUGIN_READ_MAX || address < BASE || address - BASE > MEMORY ||
	    length > MEMORY - (address - BASE))
		return -EFAULT;
	memcpy(buf, m->byte + (address - BASE), length);
	return 0;
}

static int hear(struct sberf_sink *sink, size_t i, const struct sberf_said *said)
{
	struct heard *h = (struct heard *)sink;

	h->n++;
	h->i = i;
	snprintf(h->name, sizeof(h->name), "%s", said->function);
	return 0;
}

static void put_u64(struct memory *m, uint64_t offset, uint64_t v)
{
	memcpy(m->byte + offset, &v, sizeof(v));
}

/* A compact string of ASCII. */
static void put_text(struct memory *m, uint64_t offset, const char *text)
{
	put_u64(m, offset + 8, TEXT_TYPE);
	put_u64(m, offset + 16, strlen(text));
	put_u64(m, offset + 32, 1 << 2 | 0x60);
	memcpy(m->byte + offset + 40, text, strlen(text));
}

/* A dictionary with one entry, whose key is of any type, or of text. */
static void put_dict(struct memory *m, uint64_t offset, uint64_t key, uint64_t value, bool of_text)
{
	const uint64_t keys = offset + 64;

	put_u64(m, offset + 8, DICT_TYPE);
	put_u64(m, offset + 32, BASE + keys);
	put_u64(m, keys + 8, 3 | 3 << 8 | (of_text ? 1 << 16 : 0));
	put_u64(m, keys + 24, 1);
	put_u64(m, keys + 40 + (of_text ? 0 : 8), BASE + key);
	put_u64(m, keys + 40 + (of_text ? 8 : 16), BASE + value);
}

enum {
	AT_INTERP = 0x100, AT_MODULES = 0x800, AT_MODULE = 0xa00, AT_VARIABLES = 0xb00, AT_ACTIVE = 0xd00,
	AT_KEY = 0xf00,
	AT_THREAD = 0x1000, AT_ATTRIBUTES = 0x1100, AT_IDENTIFIER = 0x2000, AT_TEXTS = 0x3000,
};

static void make_process(struct memory *m)
{
	static const char *const texts[] = { "threading", "_active", "_name", "worker" };

	*m = (struct memory){ .host = { .abi = SBERF_PLUGIN_ABI, .size = sizeof(m->host), .read = memory_read } };
	for (unsigned int i = 0; i < 4; i++)
		put_text(m, AT_TEXTS + 0x80 * i, texts[i]);
	put_u64(m, AT_INTERP + 944, BASE + AT_MODULES);
	put_dict(m, AT_MODULES, AT_TEXTS, AT_MODULE, true);
	put_u64(m, AT_MODULE + 16, BASE + AT_VARIABLES);
	put_dict(m, AT_VARIABLES, AT_TEXTS + 0x80, AT_ACTIVE, true);
	put_dict(m, AT_ACTIVE, AT_KEY, AT_THREAD, false);
	/* An int of two digits. */
	put_u64(m, AT_KEY + 16, 2 << 3);
	put_u64(m, AT_KEY + 24, BASE + AT_IDENTIFIER);
	put_u64(m, AT_IDENTIFIER + NUMBER, 77);
	put_u64(m, AT_THREAD - 24, BASE + AT_ATTRIBUTES);
	put_u64(m, AT_THREAD + 8, 0x700000);
	put_dict(m, AT_ATTRIBUTES, AT_TEXTS + 0x100, AT_TEXTS + 0x180, true);
}

static int name_threads(struct memory *m, const struct cpython_layout *l, struct heard *ret)
{
	struct cpython_threads t = { .host = &m->host, .layout = l, .interp = BASE + AT_INTERP, .text_type = TEXT_TYPE,
				     .dict_type = DICT_TYPE, .number = NUMBER };
	const uint64_t tid[] = { 76, 77 };

	*ret = (struct heard){ .sink = { .size = sizeof(ret->sink), .say = hear } };
	m->reads = 0;
	return cpython_threads_name(&t, tid, 2, &ret->sink);
}

static void a_thread_with_a_name(void **state)
{
	const struct cpython_layout *l = cpython_layout_of(CPYTHON_VERSION(3, 12));
	struct cpython_layout newer = *l;
	static struct memory m;
	struct heard h;

	(void)state;
	make_process(&m);
	assert_int_equal(name_threads(&m, l, &h), 0);
	assert_int_equal(h.n, 1);
	assert_int_equal(h.i, 1);
	assert_string_equal(h.name, "worker");
	/* It is another one's. */
	put_u64(&m, AT_IDENTIFIER + NUMBER, 78);
	assert_int_equal(name_threads(&m, l, &h), 0);
	assert_int_equal(h.n, 0);
	/* The module is not there yet, or is none. */
	make_process(&m);
	put_text(&m, AT_TEXTS, "threadinG");
	assert_int_equal(name_threads(&m, l, &h), 0);
	assert_int_equal(h.n, 0);
	make_process(&m);
	put_u64(&m, AT_VARIABLES + 8, TEXT_TYPE);
	assert_int_equal(name_threads(&m, l, &h), -EBADMSG);
	/* A version in which it is not known where names are. */
	newer.type_keys = CPYTHON_NONE;
	assert_int_equal(name_threads(&m, &newer, &h), -ENOTSUP);
}

/* Everything is an address of something, a small number or a type. */
static void hostile_memory(void **state)
{
	static const uint16_t minors[] = { 8, 9, 10, 11, 12 };
	static struct memory m;
	uint64_t seed = 1;
	struct heard h;

	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		const struct cpython_layout *l = cpython_layout_of(CPYTHON_VERSION(3, minors[round % 5]));

		make_process(&m);
		put_u64(&m, AT_INTERP + l->interp_modules, BASE + AT_MODULES);
		/* Some words of a process that makes sense are others. */
		for (unsigned int i = 0; i < 1 + round % 40; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			put_u64(&m, (seed >> 33) % (MEMORY / 8) * 8,
				seed & 1 ? BASE + (seed >> 20) % MEMORY : seed & 2 ? (seed >> 40) % 300 :
				seed & 4 ? TEXT_TYPE : seed & 8 ? DICT_TYPE : seed);
		}
		(void)name_threads(&m, l, &h);
		assert_true(m.reads <= 2 * SBERF_PLUGIN_READS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_with_a_name),
		cmocka_unit_test(hostile_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
