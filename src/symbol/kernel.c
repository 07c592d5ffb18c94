/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel.c - parses the whole list once, keeps addresses of data as ends of functions, sorts. */
#include "config.h"

#include "symbol/kernel.h"

#include "base/order.h"
#include "base/parse.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "collector/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KALLSYMS "/proc/kallsyms"
#define KALLSYMS_MAX (512u << 20)
#define SIZE_MAX_FUNC (2u << 20)     /* no function is longer; ends the last one before a gap */
#define VARIABLES_LEAST 20u          /* of so many functions there is at least one variable where all are listed */
#define NO_NAME UINT32_MAX           /* neither function nor variable: only ends the one before */

struct entry {
	uint64_t addr;
	uint32_t name;               /* offset in text */
	uint32_t user;
	uint8_t rank;                /* of equal addresses the lowest wins */
	bool variable;
};

struct ksyms {
	VEC(struct entry) sym;
	VEC(char) text;
	size_t functions, variables, bad_lines;
	bool hidden;
};

struct line {
	uint64_t addr;
	char type;
	const char *name, *module;   /* module with its brackets; NULL = none */
	size_t name_len, module_len;
};

static bool kernel_parse_line(const char *p, const char *end, struct line *ret)
{
	struct line l = { 0 };
	const char *tab;

	if (!parse_hex(&p, end, &l.addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l.type = p[1];
	l.name = p + 3;
	tab = memchr(l.name, '\t', (size_t)(end - l.name));
	l.name_len = (size_t)((tab ? tab : end) - l.name);
	l.module = tab ? tab + 1 : NULL;
	l.module_len = tab ? (size_t)(end - tab - 1) : 0;
	*ret = l;
	return l.name_len > 0;
}

static bool kernel_is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool kernel_is_variable(char type)
{
	return type == 'd' || type == 'D' || type == 'b' || type == 'B';
}

/* Global before local before weak, then the name with fewer underscores in front. */
static uint8_t rank_of(const struct line *l)
{
	const uint8_t bind = l->type == 'T' ? 0 : l->type == 't' ? 1 : 2;
	uint8_t underscores = 0;

	if (!kernel_is_function(l->type))
		return UINT8_MAX;
	while (underscores < l->name_len && underscores < 15 && l->name[underscores] == '_')
		underscores++;
	return (uint8_t)(bind << 4 | underscores);
}

static bool kernel_add_name(struct ksyms *k, const struct line *l, uint32_t *ret)
{
	const size_t len = l->name_len + (l->module ? 1 + l->module_len : 0) + 1;
	char *p;

	if (k->text.n > UINT32_MAX - 1 - len || !vec_reserve(&k->text, len))
		return false;
	p = k->text.v + k->text.n;
	*ret = (uint32_t)k->text.n;
	k->text.n += len;
	memcpy(p, l->name, l->name_len);
	if (l->module) {
		p[l->name_len] = ' ';
		memcpy(p + l->name_len + 1, l->module, l->module_len);
	}
	p[len - 1] = '\0';
	return true;
}

static bool kernel_add_line(struct ksyms *k, const struct line *l)
{
	struct entry en = { .addr = l->addr, .name = NO_NAME, .rank = rank_of(l),
			    .variable = kernel_is_variable(l->type) };
	struct entry *slot;

	if (l->type == 'a' || l->type == 'A')
		return true;
	if ((en.variable || kernel_is_function(l->type)) && !kernel_add_name(k, l, &en.name))
		return false;
	slot = vec_push(&k->sym);
	if (slot)
		*slot = en;
	return slot;
}

static int cmp_entry(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return compare_numbers(a->name, b->name);
}

static void sort_and_choose(struct ksyms *k)
{
	size_t kept = 0;

	if (k->sym.n)
		qsort(k->sym.v, k->sym.n, sizeof(*k->sym.v), cmp_entry);
	k->hidden = k->sym.n && !k->sym.v[k->sym.n - 1].addr;
	for (size_t i = 0; i < k->sym.n && !k->hidden; i++) {
		if (kept && k->sym.v[kept - 1].addr == k->sym.v[i].addr)
			continue;
		k->functions += k->sym.v[i].name != NO_NAME && !k->sym.v[i].variable;
		k->variables += k->sym.v[i].variable;
		k->sym.v[kept++] = k->sym.v[i];
	}
	k->sym.n = kept;
}

int ksyms_parse(const char *text, size_t len, struct ksyms **ret, struct err *e)
{
	AUTO(ksyms_free) struct ksyms *k = calloc(1, sizeof(*k));
	const char *p = text, *end = text + len;

	if (!k)
		return err_nomem(e, "kernel symbols");
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct line l;

		if (!kernel_parse_line(p, nl ? nl : end, &l))
			k->bad_lines++;
		else if (!kernel_add_line(k, &l))
			return err_nomem(e, "kernel symbols");
		p = nl ? nl + 1 : end;
	}
	sort_and_choose(k);
	*ret = take_ptr(k);
	return 0;
}

/* Reads /proc/kallsyms until its end, or until ENOUGH says so after a piece. */
static int read_kallsyms(char **ret, size_t *ret_len, bool (*enough)(const char *text, size_t len), struct err *e)
{
	/* Everybody may open it; who may not know addresses reads zeroes. */
	AUTO_FD int fd = collector_is_there() ? ask_kallsyms() : -ENOTCONN;
	VEC(char) text = { 0 };
	ssize_t n = 1;

	if (fd < 0)
		fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno, "cannot read " KALLSYMS ": %s", strerror(errno));
	while (n && text.n < KALLSYMS_MAX && !(enough && enough(text.v, text.n))) {
		n = vec_reserve(&text, 1u << 16) ? read(fd, text.v + text.n, 1u << 16) : -1;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			const int code = errno;

			vec_free(&text);
			return err_set(e, code, "cannot read " KALLSYMS ": %s", strerror(code));
		}
		text.n += (size_t)n;
	}
	*ret = text.v;
	*ret_len = text.n;
	return 0;
}

int ksyms_load(struct ksyms **ret, struct err *e)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	const int rc = read_kallsyms(&text, &len, NULL, e);

	return rc ? rc : ksyms_parse(text, len, ret, e);
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	vec_free(&k->sym);
	vec_free(&k->text);
	free(k);
}

static bool ksyms_find_of(const struct ksyms *k, uint64_t addr, bool variable, struct ksym *ret)
{
	const size_t n = count_upto(k->sym.v, k->sym.n, addr, addr);
	struct entry *en;
	uint64_t size;

	if (!n || k->sym.v[n - 1].name == NO_NAME || k->sym.v[n - 1].variable != variable)
		return false;
	en = &k->sym.v[n - 1];
	size = n < k->sym.n ? k->sym.v[n].addr - en->addr : SIZE_MAX_FUNC;
	if (size > SIZE_MAX_FUNC)
		size = SIZE_MAX_FUNC;
	if (addr - en->addr >= size)
		return false;
	*ret = (struct ksym){ .start = en->addr, .size = size, .name = k->text.v + en->name, .user = &en->user };
	return true;
}

bool ksyms_find(const struct ksyms *k, uint64_t addr, struct ksym *ret)
{
	return ksyms_find_of(k, addr, false, ret);
}

bool ksyms_find_variable(const struct ksyms *k, uint64_t addr, struct ksym *ret)
{
	/* Between the few that others list there are many without a name. */
	return k->variables * VARIABLES_LEAST >= k->functions && ksyms_find_of(k, addr, true, ret);
}

bool ksyms_hidden(const struct ksyms *k)
{
	return k->hidden;
}

size_t ksyms_count(const struct ksyms *k)
{
	return k->functions;
}

size_t ksyms_bad_lines(const struct ksyms *k)
{
	return k->bad_lines;
}

/* The line of _text, or NULL. */
static const char *kernel_find_text(const char *text, size_t len)
{
	static const char needle[] = " _text\n";
	const char *hit = len ? memmem(text, len, needle, sizeof(needle) - 1) : NULL;

	if (!hit)
		return NULL;
	while (hit > text && hit[-1] != '\n')
		hit--;
	return hit;
}

static bool has_text(const char *text, size_t len)
{
	return kernel_find_text(text, len);
}

static uint64_t text_base;

static void read_text_base(void)
{
	AUTO_FREE char *text = NULL;
	const char *line;
	size_t len;

	if (read_kallsyms(&text, &len, has_text, NULL))
		return;
	line = kernel_find_text(text, len);
	if (line)
		parse_hex(&line, text + len, &text_base);
}

uint64_t kernel_text_base(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_text_base);
	return text_base;
}
