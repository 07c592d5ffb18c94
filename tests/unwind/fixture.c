// SPDX-License-Identifier: BSD-2-Clause
/* fixture.c - reading and holding raw captures; see fixture.h. */
#include "config.h"

#include "bpf/wire.h"
#include "tests/unwind/fixture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096
#define IMAGE_MAX (16u << 20)
#define HEX_LINE 32u

void fixture_free(struct fixture *fx)
{
	for (unsigned int i = 0; i < RAW_SEGMENTS_MAX; i++)
		free(fx->seg[i]);
	for (size_t i = 0; i < fx->images.n; i++)
		image_free(fx->images.v[i]);
	vec_free(&fx->images);
	vec_free(&fx->maps);
	free(fx->expect);
	*fx = (struct fixture){ 0 };
}

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	struct fixture *fx = ctx;

	for (size_t i = 0; i < fx->maps.n; i++) {
		if (pc >= fx->maps.v[i].map.start && pc < fx->maps.v[i].map.end) {
			*ret = fx->maps.v[i].map;
			return true;
		}
	}
	return false;
}

struct unwind_space fixture_space(struct fixture *fx)
{
	return (struct unwind_space){ .find = find, .ctx = fx };
}

uint64_t fixture_address(const struct fixture *fx, const struct frame *fr)
{
	for (size_t i = 0; i < fx->maps.n; i++) {
		const struct unwind_map *m = &fx->maps.v[i].map;

		if (m->module != fr->module)
			continue;
		if (fr->offset >= m->pgoff && fr->offset - m->pgoff < m->end - m->start)
			return fr->offset - m->pgoff + m->start;
	}
	return 0;
}

/* What is being read: the image and the segment that the following lines belong to. */
struct reading {
	struct fixture *fx;
	uint8_t *image;
	size_t image_size;
};

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* Hex digits at S into at most MAX bytes at DST; the number of bytes, or -1. */
static int read_hex(const char *s, uint8_t *dst, size_t max)
{
	size_t n = 0;

	while (*s == ' ')
		s++;
	for (; hex_digit(s[0]) >= 0 && hex_digit(s[1]) >= 0; s += 2) {
		if (n == max)
			return -1;
		dst[n++] = (uint8_t)(hex_digit(s[0]) << 4 | hex_digit(s[1]));
	}
	return *s ? -1 : (int)n;
}

static bool finish_image(struct reading *r)
{
	struct image **slot, *im;
	struct err e = ERR_INIT;

	if (!r->image)
		return true;
	if (image_from_memory(r->image, r->image_size, &im, &e) < 0) {
		fprintf(stderr, "image: %s\n", e.text);
		return false;
	}
	free(r->image);
	r->image = NULL;
	slot = vec_push(&r->fx->images);
	if (slot)
		*slot = im;
	return slot;
}

static bool read_regs(struct reading *r, char *line)
{
	struct unwind_input *s = &r->fx->input;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		if (s->nr_regs == RAW_REGS_MAX)
			return false;
		s->regs[s->nr_regs++] = strtoull(word, NULL, 16);
	}
	return s->nr_regs > 0;
}

static bool read_segment(struct reading *r, const char *line)
{
	struct unwind_input *s = &r->fx->input;
	struct raw_segment *seg = &s->segment[s->nr_segments];
	char flags[4];

	if (s->nr_segments == RAW_SEGMENTS_MAX || sscanf(line, "%" SCNx64 " %3s", &seg->addr, flags) != 2)
		return false;
	seg->unreadable = strchr(flags, 'u');
	seg->interrupted = strchr(flags, 'i');
	r->fx->seg[s->nr_segments] = calloc(1, SB_STACK_MAX);
	seg->bytes = r->fx->seg[s->nr_segments];
	s->nr_segments++;
	return seg->bytes;
}

static bool read_bytes(struct reading *r, const char *line)
{
	struct unwind_input *s = &r->fx->input;
	struct raw_segment *seg = s->nr_segments ? &s->segment[s->nr_segments - 1] : NULL;
	int n;

	if (!seg)
		return false;
	n = read_hex(line, r->fx->seg[s->nr_segments - 1] + seg->len, SB_STACK_MAX - seg->len);
	if (n < 0)
		return false;
	seg->len += (uint32_t)n;
	return true;
}

static bool read_image(struct reading *r, const char *line)
{
	if (!finish_image(r) || sscanf(line, "%zx", &r->image_size) != 1 || r->image_size > IMAGE_MAX)
		return false;
	r->image = calloc(1, r->image_size ? r->image_size : 1);
	return r->image;
}

static bool read_at(struct reading *r, const char *line)
{
	size_t at;
	int used;

	return r->image && sscanf(line, "%zx %n", &at, &used) == 1 && at < r->image_size &&
	       read_hex(line + used, r->image + at, r->image_size - at) >= 0;
}

static bool read_map(struct reading *r, const char *line)
{
	struct fixture_map *m = finish_image(r) ? vec_push(&r->fx->maps) : NULL;
	unsigned int state;
	char image[16];

	if (!m)
		return false;
	*m = (struct fixture_map){ .map.module = (module_id)r->fx->maps.n - 1 };
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %x %15s", &m->map.start, &m->map.end,
		   &m->map.pgoff, &state, image) != 5)
		return false;
	m->map.state = (enum map_state)state;
	if (m->map.state == MAP_ANON)
		m->map.pgoff = m->map.start;
	if (strcmp(image, "-") != 0) {
		size_t i = strtoull(image, NULL, 16);

		if (i >= r->fx->images.n)
			return false;
		m->map.image = r->fx->images.v[i];
	}
	return true;
}

static bool read_expect(struct reading *r, const char *line)
{
	struct chain *c = calloc(1, sizeof(*c));
	char cut[32];

	free(r->fx->expect);
	r->fx->expect = c;
	if (!c || sscanf(line, "%31s", cut) != 1)
		return false;
	for (int i = 0; i < CUT_NR; i++)
		if (strcmp(cut_info((unsigned int)i)->name, cut) == 0) {
			c->cut = (enum cut_reason)i;
			return true;
		}
	return false;
}

static bool read_frame(struct reading *r, const char *line)
{
	struct chain *c = r->fx->expect;

	if (!c || c->n == CHAIN_MAX)
		return false;
	return sscanf(line, "%x %" SCNx64, &c->frame[c->n].module, &c->frame[c->n].offset) == 2 && ++c->n;
}

static bool read_line(struct reading *r, char *line)
{
	char *rest = strchr(line, ' ');
	unsigned int v;

	if (line[0] == '#' || line[0] == '\0')
		return true;
	if (!rest)
		return false;
	*rest++ = '\0';
	if (strcmp(line, "sberf-capture") == 0)
		return sscanf(rest, "%x", &v) == 1 && v == 1;
	if (strcmp(line, "machine") == 0)
		return sscanf(rest, "%x", &r->fx->input.machine) == 1;
	if (strcmp(line, "regs") == 0)
		return read_regs(r, rest);
	if (strcmp(line, "segment") == 0)
		return read_segment(r, rest);
	if (strcmp(line, "bytes") == 0)
		return read_bytes(r, rest);
	if (strcmp(line, "image") == 0)
		return read_image(r, rest);
	if (strcmp(line, "at") == 0)
		return read_at(r, rest);
	if (strcmp(line, "map") == 0)
		return read_map(r, rest);
	if (strcmp(line, "expect") == 0)
		return read_expect(r, rest);
	return strcmp(line, "frame") == 0 && read_frame(r, rest);
}

bool fixture_read(FILE *f, struct fixture *fx)
{
	struct reading r = { .fx = fx };
	char line[LINE_MAX_BYTES];
	unsigned int nr = 0;
	bool ok = true;

	*fx = (struct fixture){ 0 };
	while (ok && fgets(line, sizeof(line), f)) {
		nr++;
		line[strcspn(line, "\n")] = '\0';
		ok = read_line(&r, line);
		if (!ok)
			fprintf(stderr, "fixture line %u is not understood\n", nr);
	}
	free(r.image);
	if (!ok)
		fixture_free(fx);
	return ok;
}

static void write_hex(FILE *f, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%02x", p[i]);
	fprintf(f, "\n");
}

static void write_segment(FILE *f, const struct raw_segment *s)
{
	const char *flags = s->unreadable ? s->interrupted ? "ui" : "u" : s->interrupted ? "i" : "-";

	fprintf(f, "segment %" PRIx64 " %s\n", s->addr, flags);
	for (uint32_t at = 0; at < s->len; at += HEX_LINE) {
		fprintf(f, "bytes ");
		write_hex(f, s->bytes + at, s->len - at < HEX_LINE ? s->len - at : HEX_LINE);
	}
}

static bool write_image(FILE *f, const char *path)
{
	AUTO_FILE FILE *in = fopen(path, "re");
	uint8_t line[HEX_LINE], zero[HEX_LINE] = { 0 };
	size_t n, at = 0;

	if (!in || fseek(in, 0, SEEK_END) < 0)
		return false;
	fprintf(f, "image %lx\n", (unsigned long)ftell(in));
	rewind(in);
	for (; (n = fread(line, 1, sizeof(line), in)) > 0; at += n) {
		if (memcmp(line, zero, n) == 0)
			continue;
		fprintf(f, "at %zx ", at);
		write_hex(f, line, n);
	}
	return true;
}

/* The index of the first map with this path: maps of one file share an image and a module. */
static size_t first_of(const struct fixture *fx, const char *path)
{
	for (size_t i = 0; i < fx->maps.n; i++)
		if (strcmp(fx->maps.v[i].path, path) == 0)
			return i;
	return fx->maps.n;
}

static void write_map(FILE *f, const struct fixture_map *m, unsigned int *images)
{
	bool has_image = m->path[0] == '/' && m->map.image && write_image(f, m->path);
	enum map_state state = has_image || m->map.state != MAP_READY ? m->map.state : MAP_SPECIAL;

	fprintf(f, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %x ", m->map.start, m->map.end, m->map.pgoff, state);
	if (has_image)
		fprintf(f, "%x\n", (*images)++);
	else
		fprintf(f, "-\n");
}

bool fixture_write(FILE *f, const struct fixture *fx, const struct chain *expect)
{
	const struct unwind_input *s = &fx->input;
	unsigned int images = 0;

	fprintf(f, "sberf-capture 1\nmachine %x\nregs", s->machine);
	for (uint32_t i = 0; i < s->nr_regs; i++)
		fprintf(f, " %" PRIx64, s->regs[i]);
	fprintf(f, "\n");
	for (uint32_t i = 0; i < s->nr_segments; i++)
		write_segment(f, &s->segment[i]);
	for (size_t i = 0; i < fx->maps.n; i++)
		write_map(f, &fx->maps.v[i], &images);
	fprintf(f, "expect %s\n", cut_info(expect->cut)->name);
	for (uint32_t i = 0; i < expect->n; i++)
		for (size_t k = 0; k < fx->maps.n; k++)
			if (fx->maps.v[k].map.module == expect->frame[i].module &&
			    first_of(fx, fx->maps.v[k].path) == k)
				fprintf(f, "frame %zx %" PRIx64 "\n", k, expect->frame[i].offset);
	return !ferror(f);
}
