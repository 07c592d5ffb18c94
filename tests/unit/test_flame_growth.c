/* SPDX-License-Identifier: BSD-2-Clause */
/* test_flame_growth.c - a graph that grows: who reads what has changed has the whole of it, however much was missed. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include "export/flame_growth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST 20000u

/* What a reader has. */
struct copy {
	struct flame_mark mark;
	uint32_t labels, nodes;
	uint32_t parent[MOST], label[MOST];
	uint64_t self[MOST][TIME_NR];
	char *text[MOST];
};

static void copy_clear(struct copy *c)
{
	for (uint32_t i = 0; i < c->labels; i++)
		free(c->text[i]);
	memset(c, 0, sizeof(*c));
}

static uint64_t take_number(const char **at)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 5) {
		const uint64_t digit = (uint64_t)(strchr(digits, *(*at)++) - digits);

		v |= (digit & 31) << shift;
		if (digit < 32)
			return v;
	}
}

/* Behind "NAME":, and behind the quote of a text. */
static const char *member(const char *text, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(text, key);
	assert_non_null(at);
	at += strlen(key);
	return at + (*at == '"');
}

static uint32_t member_number(const char *text, const char *name)
{
	return (uint32_t)strtoul(member(text, name), NULL, 10);
}

static void read_labels(struct copy *c, const char *text)
{
	const char *at = member(text, "labels"), *last = "";

	for (uint32_t n = member_number(text, "nrLabels"); n; n--) {
		const size_t common = take_number(&at), kind = take_number(&at), len = (size_t)(strstr(at, "\\n") - at);

		assert_true(c->labels < MOST && common <= strlen(last));
		assert_int_equal(kind, FLAME_USER * (c->labels > 0));
		c->text[c->labels] = malloc(common + len + 1);
		snprintf(c->text[c->labels], common + len + 1, "%.*s%.*s", (int)common, last, (int)len, at);
		last = c->text[c->labels++];
		at += len + 2;
	}
}

static void read_growth(struct copy *c, const char *text)
{
	const uint32_t from = member_number(text, "from");
	const char *tree, *values;
	uint32_t i = 0;

	if (!from)
		copy_clear(c);
	else
		assert_true(from == c->mark.version && member_number(text, "epoch") == c->mark.epoch);
	read_labels(c, text);
	tree = member(text, "tree");
	for (uint32_t n = member_number(text, "nrNodes"); n; n--, c->nodes++) {
		assert_true(c->nodes < MOST);
		c->parent[c->nodes] = c->nodes - (uint32_t)take_number(&tree);
		c->label[c->nodes] = (uint32_t)take_number(&tree);
	}
	assert_int_equal(*tree, '"');
	values = member(text, "values");
	for (uint32_t n = member_number(text, "nrValues"); n; n--) {
		const uint64_t head = take_number(&values);

		i += (uint32_t)(head >> TIME_NR);
		for (unsigned int k = 0; k < TIME_NR; k++)
			c->self[i][k] = head >> k & 1 ? take_number(&values) : 0;
	}
	assert_int_equal(*values, '"');
}

/* Reads what G is now, into C. Bytes that it took. */
static size_t follow(struct copy *c, const struct flame_growth *g)
{
	struct flame_mark mark;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(flame_growth_write(out, g, &c->mark, &mark, NULL), 0);
	assert_int_equal(fclose(out), 0);
	read_growth(c, text);
	c->mark = mark;
	free(text);
	return size;
}

/* The way to a node and what ends there, a line each in order, of nodes that have something. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted_lines(char **line, size_t n)
{
	char *all = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&all, &size);

	qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n", line[i]);
		free(line[i]);
	}
	assert_int_equal(fclose(out), 0);
	return all;
}

static char *line_of(const char *way, const uint64_t v[TIME_NR])
{
	char *line;

	assert_true(asprintf(&line, "%s %" PRIu64 " %" PRIu64 " %" PRIu64, way, v[0], v[1], v[2]) > 0);
	return line;
}

static char *copy_text(const struct copy *c)
{
	static char way[MOST][256];
	static char *line[MOST];
	size_t n = 0;

	for (uint32_t i = 0; i < c->nodes; i++) {
		snprintf(way[i], sizeof(way[i]), "%.200s;%.50s", i ? way[c->parent[i]] : "", c->text[c->label[i]]);
		if (c->self[i][0] || c->self[i][1] || c->self[i][2])
			line[n++] = line_of(way[i], c->self[i]);
	}
	return sorted_lines(line, n);
}

static char *flame_lines(const struct flame *f)
{
	static char way[MOST][256];
	static char *line[MOST];
	size_t n = 0;

	for (uint32_t i = 0; i < f->nodes.n; i++) {
		const struct flame_node *node = &f->nodes.v[i];

		snprintf(way[i], sizeof(way[i]), "%.200s;%.50s", i ? way[node->parent] : "",
			 strtab_get(f->texts, f->labels.v[node->label].text));
		if (node->self[0] || node->self[1] || node->self[2])
			line[n++] = line_of(way[i], node->self);
	}
	return sorted_lines(line, n);
}

static void assert_follows(struct copy *c, const struct flame *f)
{
	char *is = copy_text(c), *wanted = flame_lines(f);

	assert_string_equal(is, wanted);
	free(is);
	free(wanted);
}

static uint32_t add(struct flame *f, uint32_t parent, const char *text, uint64_t running, uint64_t blocked)
{
	const uint32_t i = flame_add(f, parent, flame_label(f, text, strlen(text), FLAME_USER));

	assert_int_not_equal(i, FLAME_NONE);
	f->nodes.v[i].self[TIME_RUNNING] = running;
	f->nodes.v[i].self[TIME_BLOCKED] = blocked;
	return i;
}

static struct copy one, two;

static void a_change_is_small(void **state)
{
	struct flame_growth *g = flame_growth_new();
	struct flame f;
	size_t whole;

	assert_int_equal(flame_init(&f, NULL), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function number %u", i);
		add(&f, i / 10, name, 1000000 + i, i % 2 ? 5000000 : 0);
	}
	assert_int_equal(flame_growth_take(g, &f, NULL), 0);
	whole = follow(&one, g);
	assert_follows(&one, &f);
	f.nodes.v[500].self[TIME_RUNNING]++;
	add(&f, 700, "another", 3, 0);
	assert_int_equal(flame_growth_take(g, &f, NULL), 0);
	assert_true(follow(&one, g) < 300 && whole > 10000);
	assert_follows(&one, &f);
	assert_true(follow(&one, g) < 300);             /* nothing has changed */
	assert_follows(&one, &f);
	follow(&two, g);                                /* who comes now gets all of it */
	assert_follows(&two, &f);
	flame_free(&f);
	flame_growth_free(g);
	copy_clear(&one);
	copy_clear(&two);
}

/* A graph of some names in some order, many of which it shares with others of these. */
static void make_random(struct flame *f, unsigned int *seed, unsigned int names)
{
	const unsigned int n = 1 + (unsigned int)rand_r(seed) % 200;

	assert_int_equal(flame_init(f, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%u", (unsigned int)rand_r(seed) % names);
		add(f, (uint32_t)((unsigned int)rand_r(seed) % f->nodes.n), name,
		    rand_r(seed) % 3 ? (uint64_t)rand_r(seed) << (rand_r(seed) % 30) : 0,
		    rand_r(seed) % 3 ? 0 : (uint64_t)rand_r(seed));
	}
}

/* One reader takes all, another one some: both always have what there is. Siblings share names. */
static void any_change_is_followed(void **state)
{
	struct flame_growth *g = flame_growth_new();
	unsigned int seed = 7;
	uint32_t epoch = 0;

	for (unsigned int round = 0; round < 300; round++) {
		struct flame f;

		make_random(&f, &seed, round < 200 ? 6 : 100000);
		assert_int_equal(flame_growth_take(g, &f, NULL), 0);
		follow(&one, g);
		assert_follows(&one, &f);
		if (round % 100 > 90 || !(rand_r(&seed) % 5)) {
			follow(&two, g);
			assert_follows(&two, &f);
		}
		epoch = epoch ? epoch : one.mark.epoch;
		flame_free(&f);
	}
	assert_true(one.mark.epoch > epoch);            /* what is there no more is forgotten */
	flame_growth_free(g);
	copy_clear(&one);
	copy_clear(&two);
}

static void who_missed_too_much_gets_all(void **state)
{
	struct flame_growth *g = flame_growth_new(), *other = flame_growth_new();
	struct flame f;

	assert_int_equal(flame_init(&f, NULL), 0);
	add(&f, add(&f, 0, "main", 1, 0), "work", 5, 7);
	assert_int_equal(flame_growth_take(g, &f, NULL), 0);
	assert_int_equal(flame_growth_take(other, &f, NULL), 0);
	follow(&one, g);
	for (unsigned int i = 0; i < 100; i++) {
		f.nodes.v[2].self[TIME_RUNNING]++;
		assert_int_equal(flame_growth_take(g, &f, NULL), 0);
	}
	follow(&one, g);
	assert_follows(&one, &f);
	follow(&one, other);                            /* of another graph */
	f.nodes.v[2].self[TIME_RUNNING] = 5;
	assert_follows(&one, &f);
	flame_free(&f);
	flame_growth_free(g);
	flame_growth_free(other);
	copy_clear(&one);
}

static bool take_twice(void)
{
	struct flame_growth *g = flame_growth_new();
	bool ok = g;
	struct flame f;

	for (unsigned int i = 0; ok && i < 2; i++) {
		ok = !flame_init(&f, NULL);
		for (unsigned int k = 0; ok && k < 20; k++) {
			const char name[2] = { (char)('a' + k), '\0' };

			ok = flame_add(&f, k / 2, flame_label(&f, name, 1, FLAME_USER)) != FLAME_NONE;
		}
		ok = ok && !flame_growth_take(g, &f, NULL);
		flame_free(&f);
	}
	flame_growth_free(g);
	return ok;
}

static void lack_of_memory_is_told(void **state)
{
	for (long n = 0; fail_alloc_round(n, take_twice); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_small), cmocka_unit_test(any_change_is_followed),
		cmocka_unit_test(who_missed_too_much_gets_all), cmocka_unit_test(lack_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
