/* SPDX-License-Identifier: BSD-2-Clause */
/* bpfcode.c - see bpfcode.h. */
#include "config.h"

#include "system/bpfcode.h"

#include "base/arena.h"
#include "base/text.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PINNED "pinned:"
#define TAG "tag:"
#define TEXT_BYTES_MAX 4096u     /* of a file name or a line */
#define OTHERS_SHOWN 5u          /* programs of one name */

/* Behind the code, and freed with it. */
struct bpfcode_own {
	struct arena texts;
	struct btf *btf;         /* NULL = it is somebody else's */
	uint8_t *image;
};

void bpfcode_free(struct bpfcode *c)
{
	struct bpfcode_own *own = c ? c->own : NULL;

	if (!c)
		return;
	if (own) {
		arena_reset(&own->texts);
		btf__free(own->btf);
		free(own->image);
	}
	free(own);
	free(c->function);
	free(c->line);
	free(c);
}

/* ---- making it ---- */

static const char *bpfcode_text(struct bpfcode_own *own, const struct btf *btf, uint32_t offset)
{
	const char *text = btf ? btf__str_by_offset(btf, offset) : NULL;
	const char *kept = text ? arena_strndup(&own->texts, text, strnlen(text, TEXT_BYTES_MAX)) : NULL;

	return kept ? kept : "";
}

static void bpfcode_name(const struct bpfcode_raw *raw, const struct btf *btf, uint32_t nr, char *dst)
{
	const struct bpf_func_info *info = raw->func_info;
	const struct btf_type *t = btf && nr < raw->func_infos ? btf__type_by_id(btf, info[nr].type_id) : NULL;
	const char *name = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;

	if (!name && !nr)
		name = raw->name;
	text_format(dst, BPF_PROG_NAME_MAX, "%.*s", (int)BPF_PROG_NAME_MAX - 1, name ? name : "");
}

static int bpfcode_functions(struct bpfcode *c, const struct bpfcode_raw *raw, const struct btf *btf, struct err *e)
{
	const struct bpfcode_own *own = c->own;
	uint32_t at = 0;

	c->function = calloc(raw->functions, sizeof(*c->function));
	if (!c->function)
		return err_nomem(e, "the code of a BPF program");
	for (uint32_t i = 0; i < raw->functions; i++) {
		if (!raw->address[i] || !raw->size[i] || raw->size[i] > raw->image_bytes - at ||
		    raw->address[i] + raw->size[i] < raw->address[i])
			return err_set(e, EBADMSG, "the code of BPF program %u is not as long as its functions are",
				       raw->id);
		c->function[i] = (struct bpfcode_function){
			.address = raw->address[i], .bytes = own->image + at, .size = raw->size[i],
		};
		bpfcode_name(raw, btf, i, c->function[i].name);
		at += raw->size[i];
		c->n++;
	}
	return 0;
}

static int bpfcode_compare_lines(const void *a, const void *b)
{
	const struct bpfcode_line *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int bpfcode_lines(struct bpfcode *c, const struct bpfcode_raw *raw, const struct btf *btf, struct err *e)
{
	const struct bpf_line_info *info = raw->line_info;

	if (!btf || !raw->line_infos)
		return 0;
	c->line = calloc(raw->line_infos, sizeof(*c->line));
	if (!c->line)
		return err_nomem(e, "the lines of a BPF program");
	for (uint32_t i = 0; i < raw->line_infos; i++) {
		if (!raw->line_address[i])
			continue;
		c->line[c->lines++] = (struct bpfcode_line){
			.address = raw->line_address[i], .file = bpfcode_text(c->own, btf, info[i].file_name_off),
			.text = bpfcode_text(c->own, btf, info[i].line_off),
			.line = BPF_LINE_INFO_LINE_NUM(info[i].line_col),
			.column = BPF_LINE_INFO_LINE_COL(info[i].line_col),
		};
	}
	if (c->lines)
		qsort(c->line, c->lines, sizeof(*c->line), bpfcode_compare_lines);
	return 0;
}

int bpfcode_make(const struct bpfcode_raw *raw, const struct btf *btf, struct bpfcode **ret, struct err *e)
{
	AUTO(bpfcode_free) struct bpfcode *c = calloc(1, sizeof(*c));
	struct bpfcode_own *own = c ? calloc(1, sizeof(*own)) : NULL;
	int r;

	if (!own)
		return err_nomem(e, "the code of a BPF program");
	c->own = own;
	c->id = raw->id;
	c->type = raw->type;
	c->btf_id = raw->btf_id;
	if (!raw->functions || raw->functions > BPF_FUNCTIONS_MAX || raw->image_bytes > BPFCODE_BYTES_MAX ||
	    raw->line_infos > BPFCODE_LINES_MAX)
		return err_set(e, EBADMSG, "BPF program %u has %u functions of %u bytes with %u lines: that is none, "
			       "or too much", raw->id, raw->functions, raw->image_bytes, raw->line_infos);
	own->image = malloc(raw->image_bytes + 1u);
	if (!own->image)
		return err_nomem(e, "the code of a BPF program");
	memcpy(own->image, raw->image, raw->image_bytes);
	r = bpfcode_functions(c, raw, btf, e);
	r = r ? r : bpfcode_lines(c, raw, btf, e);
	if (!r)
		*ret = take_ptr(c);
	return r;
}

/* ---- reading it ---- */

/* Room for what the kernel gives. */
struct bpfcode_room {
	struct bpf_prog_info info;
	uint8_t *image;
	uint64_t *address, *line_address;
	uint32_t *size;
	struct bpf_func_info *func;
	struct bpf_line_info *line;
};

static void bpfcode_room_free(struct bpfcode_room *r)
{
	free(r->image);
	free(r->address);
	free(r->line_address);
	free(r->size);
	free(r->func);
	free(r->line);
}

/* Asks FD how much there is, makes room, and asks for it. */
static int bpfcode_ask(int fd, struct bpfcode_room *r, struct err *e)
{
	struct bpf_prog_info much = { 0 };
	uint32_t len = sizeof(much);

	if (bpf_obj_get_info_by_fd(fd, &much, &len))
		return err_set(e, errno, "the kernel says nothing of that BPF program: %s", strerror(errno));
	if (much.jited_prog_len > BPFCODE_BYTES_MAX || much.nr_jited_ksyms > BPF_FUNCTIONS_MAX ||
	    much.nr_jited_line_info > BPFCODE_LINES_MAX || much.nr_func_info > BPF_FUNCTIONS_MAX)
		return err_set(e, E2BIG, "BPF program %u is too large", much.id);
	if (much.nr_line_info != much.nr_jited_line_info)
		much.nr_line_info = much.nr_jited_line_info = 0;
	r->image = malloc(much.jited_prog_len + 1u);
	r->address = calloc(much.nr_jited_ksyms + 1u, sizeof(*r->address));
	r->size = calloc(much.nr_jited_func_lens + 1u, sizeof(*r->size));
	r->func = calloc(much.nr_func_info + 1u, sizeof(*r->func));
	r->line = calloc(much.nr_line_info + 1u, sizeof(*r->line));
	r->line_address = calloc(much.nr_jited_line_info + 1u, sizeof(*r->line_address));
	if (!r->image || !r->address || !r->size || !r->func || !r->line || !r->line_address)
		return err_nomem(e, "the code of a BPF program");
	r->info = (struct bpf_prog_info){
		.jited_prog_len = much.jited_prog_len, .jited_prog_insns = (uint64_t)(uintptr_t)r->image,
		.nr_jited_ksyms = much.nr_jited_ksyms, .jited_ksyms = (uint64_t)(uintptr_t)r->address,
		.nr_jited_func_lens = much.nr_jited_func_lens, .jited_func_lens = (uint64_t)(uintptr_t)r->size,
		.nr_func_info = much.nr_func_info, .func_info = (uint64_t)(uintptr_t)r->func,
		.func_info_rec_size = sizeof(*r->func),
		.nr_line_info = much.nr_line_info, .line_info = (uint64_t)(uintptr_t)r->line,
		.line_info_rec_size = sizeof(*r->line),
		.nr_jited_line_info = much.nr_jited_line_info,
		.jited_line_info = (uint64_t)(uintptr_t)r->line_address,
		.jited_line_info_rec_size = sizeof(*r->line_address),
	};
	len = sizeof(r->info);
	if (bpf_obj_get_info_by_fd(fd, &r->info, &len))
		return err_set(e, errno, "the kernel does not give the code of BPF program %u: %s", much.id,
			       strerror(errno));
	/* It may have become shorter, never longer: a program does not change. */
	return r->info.jited_prog_len > much.jited_prog_len || r->info.nr_jited_ksyms > much.nr_jited_ksyms ?
		err_set(e, EBADMSG, "BPF program %u changes", much.id) : 0;
}

/* What is missing in INFO, of program ID. */
static int bpfcode_missing(const struct bpf_prog_info *info, struct err *e)
{
	if (!info->jited_prog_len && !info->nr_jited_ksyms && info->xlated_prog_len)
		return err_set(e, EOPNOTSUPP, "BPF program %u is interpreted, or its code is hidden: it takes "
			       "net.core.bpf_jit_enable=1, and root or CAP_SYSLOG to see addresses of the kernel "
			       "(kernel.kptr_restrict)", info->id);
	if (!info->nr_jited_ksyms || !info->nr_jited_func_lens)
		return err_set(e, EPERM, "the kernel hides the code of BPF program %u: root or CAP_SYSLOG sees it, "
			       "unless kernel.kptr_restrict is 2", info->id);
	return 0;
}

int bpfcode_read(uint32_t id, struct bpfcode **ret, struct err *e)
{
	__attribute__((cleanup(bpfcode_room_free))) struct bpfcode_room room = { .image = NULL };
	AUTO_FD int fd = bpf_prog_get_fd_by_id(id);
	const struct bpf_prog_info *info = &room.info;
	struct bpfcode_raw raw;
	struct btf *btf;
	int r;

	if (fd < 0 && errno == ENOENT)
		return err_set(e, ENOENT, "there is no BPF program %u (sberf bpf lists them)", id);
	if (fd < 0)
		return err_set(e, errno, "BPF program %u cannot be opened: %s", id, strerror(errno));
	r = bpfcode_ask(fd, &room, e);
	r = r ? r : bpfcode_missing(info, e);
	if (r)
		return r;
	raw = (struct bpfcode_raw){
		.id = info->id, .type = info->type, .btf_id = info->btf_id, .name = info->name, .image = room.image,
		.image_bytes = info->jited_prog_len, .address = room.address, .size = room.size,
		.functions = info->nr_jited_ksyms < info->nr_jited_func_lens ? info->nr_jited_ksyms :
			info->nr_jited_func_lens,
		.func_info = room.func, .func_infos = info->nr_func_info,
		.line_info = room.line, .line_address = room.line_address, .line_infos = info->nr_jited_line_info,
	};
	btf = info->btf_id ? btf__load_from_kernel_by_id(info->btf_id) : NULL;
	r = bpfcode_make(&raw, btf, ret, e);
	if (r)
		btf__free(btf);
	else
		((struct bpfcode_own *)(*ret)->own)->btf = btf;
	return r;
}

/* ---- asking it ---- */

const struct bpfcode_function *bpfcode_find(const struct bpfcode *c, uint64_t address)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (address - c->function[i].address < c->function[i].size)
			return &c->function[i];
	return NULL;
}

const struct bpfcode_line *bpfcode_line_of(const struct bpfcode *c, uint64_t address)
{
	const struct bpfcode_function *f = bpfcode_find(c, address);
	size_t from = 0, to = c->lines;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (c->line[middle].address <= address)
			from = middle + 1;
		else
			to = middle;
	}
	/* What the compiler has added has line 0: it belongs to the line before. */
	while (from && f && c->line[from - 1].address >= f->address && !c->line[from - 1].line)
		from--;
	return f && from && c->line[from - 1].address >= f->address ? &c->line[from - 1] : NULL;
}

/* ---- which one ---- */

static bool bpfcode_is_named(const struct bpf_prog *p, const char *text, size_t len)
{
	char tag[2 * BPF_PROG_TAG_BYTES + 1];

	if (!strncmp(text, TAG, strlen(TAG))) {
		for (size_t i = 0; i < sizeof(p->tag); i++)
			text_format(tag + 2 * i, 3, "%02x", p->tag[i]);
		return len - strlen(TAG) == strlen(tag) && !strncmp(text + strlen(TAG), tag, strlen(tag));
	}
	return strlen(p->name) == len && !strncmp(p->name, text, len);
}

/* The id of the one program that the LEN bytes of TEXT name. */
static int bpfcode_named(const char *text, size_t len, uint32_t *ret, struct err *e)
{
	char others[160] = "";
	bpf_prog_vec all = { 0 };
	uint32_t n = 0;
	int r = bpfprogs_list(&all, e);

	for (size_t i = 0; i < all.n && !r; i++) {
		const size_t at = strlen(others);

		if (!bpfcode_is_named(&all.v[i], text, len))
			continue;
		*ret = all.v[i].id;
		if (n++ < OTHERS_SHOWN)
			text_format(others + at, sizeof(others) - at, "%sbpf:%u", n > 1 ? ", " : "", *ret);
	}
	vec_free(&all);
	if (r)
		return r;
	if (!n)
		return err_set(e, ENOENT, "no BPF program is called '%.*s' (sberf bpf lists programs)", (int)len, text);
	return n == 1 ? 0 : err_set(e, EEXIST, "%u BPF programs are called '%.*s': say which (%s%s)", n, (int)len, text,
				    others, n > OTHERS_SHOWN ? ", ..." : "");
}

static int bpfcode_pinned(const char *text, uint32_t *ret_id, char *ret_sub, struct err *e)
{
	AUTO_FREE char *path = strdup(text);
	char *colon = path ? strrchr(path, ':') : NULL;

	*ret_id = path ? bpfprogs_at_path(path) : 0;
	if (!*ret_id && colon) {
		*colon = '\0';
		*ret_id = bpfprogs_at_path(path);
		text_format(ret_sub, BPF_PROG_NAME_MAX, "%s", colon + 1);
	}
	return *ret_id ? 0 : err_set(e, ENOENT, "no BPF program is pinned at '%s', or it may not be seen", text);
}

int bpfcode_which(const char *text, uint32_t *ret_id, char ret_sub[BPF_PROG_NAME_MAX], struct err *e)
{
	const size_t skip = strncmp(text, TAG, strlen(TAG)) ? 0 : strlen(TAG);
	const char *colon = strchr(text + skip, ':');
	const size_t len = colon ? (size_t)(colon - text) : strlen(text);
	char *end;
	unsigned long id;

	ret_sub[0] = '\0';
	if (!strncmp(text, PINNED, strlen(PINNED)))
		return bpfcode_pinned(text + strlen(PINNED), ret_id, ret_sub, e);
	if (colon)
		text_format(ret_sub, BPF_PROG_NAME_MAX, "%s", colon + 1);
	if (!isdigit((unsigned char)*text))
		return bpfcode_named(text, len, ret_id, e);
	errno = 0;
	id = strtoul(text, &end, 10);
	if (end != text + len || errno || !id || id > UINT32_MAX)
		return err_set(e, EINVAL, "'%.*s' is no number of a BPF program", (int)len, text);
	*ret_id = (uint32_t)id;
	return 0;
}

/* ---- results ---- */

const char *bpfcode_verdict(uint32_t type, int64_t value)
{
	static const char *const xdp[] = { "XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT" };
	static const char *const tc[] = { "TC_ACT_OK", "TC_ACT_RECLASSIFY", "TC_ACT_SHOT", "TC_ACT_PIPE",
					 "TC_ACT_STOLEN",
					  "TC_ACT_QUEUED", "TC_ACT_REPEAT", "TC_ACT_REDIRECT", "TC_ACT_TRAP" };

	switch (type) {
	case BPF_PROG_TYPE_XDP:
		return value >= 0 && value < 5 ? xdp[value] : "";
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
		return value == -1 ? "TC_ACT_UNSPEC" : value >= 0 && value < 9 ? tc[value] : "";
	case BPF_PROG_TYPE_SOCKET_FILTER:
		return value ? "" : "drop";
	case BPF_PROG_TYPE_CGROUP_SKB:
	case BPF_PROG_TYPE_CGROUP_SOCK:
	case BPF_PROG_TYPE_CGROUP_DEVICE:
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
	case BPF_PROG_TYPE_CGROUP_SYSCTL:
		return value ? "allow" : "refuse";
	default:
		return "";
	}
}
