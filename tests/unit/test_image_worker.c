// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_image_worker.c - what the worker that reads files for unwinding says is believed when it has been checked, and
 * is what the same file says here.
 */
#include "config.h"

#include "unwind/image_worker.h"

#include "base/clock.h"
#include "base/installed.h"
#include "unwind/image_remote.h"
#include "unwind/walk.h"

#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static uint32_t opened;                  /* files up to now: the next one has the next number */

static struct image_message *image_message_new(enum image_op op, size_t length)
{
	struct image_message *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->head = (struct image_head){ .op = op, .length = (uint32_t)length };
	return m;
}

static bool believed(const struct image_message *m, bool by_worker)
{
	return image_message_check(m, sizeof(m->head) + m->head.length, by_worker);
}

static void heads_are_checked(void **state)
{
	struct image_message *m = image_message_new(IMAGE_PAGES, 0);

	assert_false(believed(m, false));
	m->head.pages = IMAGE_PAGES_MAX;
	assert_true(believed(m, false));
	assert_false(believed(m, true));
	m->head.offset = 1;
	assert_false(believed(m, false));
	m->head.offset = IMAGE_PAGE_BYTES;
	m->head.pages++;
	assert_false(believed(m, false));
	m->head.pages = 1;
	m->head.reserved = 1;
	assert_false(believed(m, false));
	m->head.reserved = 0;
	m->head.result = -EIO;
	assert_false(believed(m, false));
	m->head = (struct image_head){ .op = IMAGE_PLACE, .offset = 1 };
	assert_true(believed(m, false));
	m->head.pages = 1;
	assert_false(believed(m, false));
	m->head = (struct image_head){ .op = IMAGE_OPS };
	assert_false(believed(m, true));
	m->head = (struct image_head){ .op = IMAGE_OPENED, .result = -ENOEXEC, .length = 4 };
	memcpy(m->body, "why", 4);
	assert_true(believed(m, true));
	memcpy(m->body, "why!", 4);
	assert_false(believed(m, true));
	memcpy(m->body, "w\0y", 4);
	assert_false(believed(m, true));
	m->head.result = ENOEXEC;
	assert_false(believed(m, true));
	free(m);
}

static void rows_of_a_page_are_checked(void **state)
{
	struct image_message *m = image_message_new(IMAGE_SAID_PAGES, 0);
	struct rule_row row[3] = { { 0, { RULE_SP, 0, RULE_BP_SAME, 8 } }, { 1, { RULE_SP, 0, -2, 16 } },
				   { 4, { RULE_NONE, 0, 0, 0 } } };
	struct rule_row *said = (struct rule_row *)(m->body + 4);
	struct rule_row many[IMAGE_ROWS_MAX + 1];

	m->head.pages = 2;
	assert_true(image_pages_add(m, row, 3));
	assert_false(believed(m, true));         /* one of two */
	assert_true(image_pages_add(m, row, 1));
	assert_true(believed(m, true));
	m->head.pages = 1;
	assert_false(believed(m, true));         /* something behind them */
	m->head.pages = 2;
	said[1].at = 0;
	assert_false(believed(m, true));         /* not ascending */
	said[1].at = 1;
	said[0].at = 1;
	assert_false(believed(m, true));         /* not from the beginning on */
	said[0].at = 0;
	said[2].at = IMAGE_PAGE_BYTES;
	assert_false(believed(m, true));         /* behind the page */
	said[2].at = 4;
	said[2].rule.kind = RULE_SWITCH + 1;
	assert_false(believed(m, true));         /* no such rule */
	said[2].rule = (struct rule){ .kind = RULE_SP, .arg = RULE_PLACED };
	assert_false(believed(m, true));
	said[2].rule = (struct rule){ .kind = RULE_SWITCH, .arg = 9 };
	assert_false(believed(m, true));
	said[2].rule.arg = 8;
	assert_true(believed(m, true));
	m->head.length -= 1;
	assert_false(believed(m, true));         /* cut */
	m->head.length = 2;
	assert_false(believed(m, true));
	m->head.length = 0;
	m->head.pages = 1;
	for (uint32_t i = 0; i < IMAGE_ROWS_MAX + 1; i++)
		many[i] = (struct rule_row){ i, { RULE_SP, 0, RULE_BP_SAME, (int32_t)i } };
	assert_true(image_pages_add(m, many, IMAGE_ROWS_MAX + 1));
	assert_false(believed(m, true));         /* too many */
	m->head.length = 0;
	assert_true(image_pages_add(m, many, 0));
	assert_false(believed(m, true));         /* none */
	free(m);
}

/* A row whose CFA has N operations. */
static struct image_message *row_message(uint32_t n)
{
	struct image_message *m = image_message_new(IMAGE_SAID_ROW, cfi_row_bytes(n));
	struct cfi_row *r = (struct cfi_row *)m->body;

	r->nr_ops = n;
	r->part[CFI_ROW_CFA] = (struct cfi_part){ .said = CFI_COMPUTED, .n = (uint16_t)n };
	for (uint32_t i = 0; i < n; i++)
		r->op[i] = (struct cfi_op){ .atom = DW_OP_lit0 };
	return m;
}

static void rows_for_the_evaluator_are_checked(void **state)
{
	struct image_message *m = row_message(CFI_ROW_OPS_MAX);
	struct cfi_row *r = (struct cfi_row *)m->body;

	assert_true(believed(m, true));
	m->head.length -= sizeof(struct cfi_op);
	assert_false(believed(m, true));         /* cut */
	m->head.length = sizeof(*r) - 1;
	assert_false(believed(m, true));
	m->head.length = 0;
	assert_true(believed(m, true));          /* there is no row */
	m->head.length = (uint32_t)cfi_row_bytes(CFI_ROW_OPS_MAX + 1);
	r->nr_ops++;
	assert_false(believed(m, true));         /* too long */
	free(m);
	m = row_message(4);
	r = (struct cfi_row *)m->body;
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_COMPUTED, .first = 4, .n = 0 };
	assert_false(believed(m, true));         /* computed by nothing */
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_COMPUTED, .first = 3, .n = 2 };
	assert_false(believed(m, true));         /* by what is behind the end */
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_COMPUTED, .first = UINT16_MAX, .n = 2 };
	assert_false(believed(m, true));
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_SAID_NR };
	assert_false(believed(m, true));
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_SAME, .n = 1 };
	assert_false(believed(m, true));
	r->part[1 + 16] = (struct cfi_part){ .said = CFI_COMPUTED, .first = 3, .n = 1 };
	assert_true(believed(m, true));
	r->op[3].atom = 256;
	assert_false(believed(m, true));
	r->op[3].atom = DW_OP_lit1;
	r->part[CFI_ROW_CFA] = (struct cfi_part){ .said = CFI_SAME };
	assert_false(believed(m, true));         /* a CFA that is nowhere */
	free(m);
}

static void what_a_file_is_is_checked(void **state)
{
	struct image_message *m = image_message_new(IMAGE_OPENED, sizeof(struct image_opened));
	struct image_opened *o = (struct image_opened *)m->body;

	assert_true(believed(m, true));
	o->nr_loads = 1;
	assert_false(believed(m, true));
	m->head.length += sizeof(o->load[0]);
	assert_true(believed(m, true));
	o->load[0].exec = 2;
	assert_false(believed(m, true));
	o->load[0].exec = 1;
	o->build_id_len = BUILD_ID_MAX + 1;
	assert_false(believed(m, true));
	o->build_id_len = 0;
	memset(o->lacks, 'x', sizeof(o->lacks));
	assert_false(believed(m, true));
	o->lacks[sizeof(o->lacks) - 1] = '\0';
	assert_true(believed(m, true));
	o->lacks_code = -1;
	assert_false(believed(m, true));
	o->lacks_code = 0;
	o->nr_loads = IMAGE_LOADS_MAX + 1;
	assert_false(believed(m, true));
	free(m);
}

/* ---- a worker of this test ---- */

static uint64_t image_dice(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

#define SAID 5u

/* What an honest worker says of the file NUMBER, its first page, a place and a row. */
static void honest_worker(struct image_message *m, uint32_t number)
{
	const struct rule_row row = { 0, { RULE_SP, 0, RULE_BP_SAME, 8 } };
	struct image_opened *o = (struct image_opened *)m[1].body;

	memset(m, 0, SAID * sizeof(*m));
	m[0].head.op = IMAGE_HELLO;
	m[1].head = (struct image_head){ .op = IMAGE_OPENED, .length = sizeof(*o) + sizeof(o->load[0]),
					 .image = number };
	o->machine = EM_X86_64;
	o->nr_loads = 1;
	o->load[0] = (struct image_opened_load){ .filesz = 4096, .memsz = 4096, .exec = 1 };
	m[2].head = (struct image_head){ .op = IMAGE_SAID_PAGES, .image = number, .pages = 1 };
	assert_true(image_pages_add(&m[2], &row, 1));
	m[3].head = (struct image_head){ .op = IMAGE_SAID_PLACE, .image = number, .offset = 5,
					 .length = sizeof(struct rule) };
	m[4].head = (struct image_head){ .op = IMAGE_SAID_ROW, .image = number, .offset = 7 };
}

static void send_some(int socket, const struct image_message *m, unsigned int changed)
{
	const size_t length = sizeof(m->head) + m->head.length;
	uint8_t *bytes = malloc(length);

	assert_non_null(bytes);
	memcpy(bytes, m, length);
	for (unsigned int i = 0; i < changed; i++)
		bytes[image_dice() % length] = (uint8_t)(image_dice() % 3 ? image_dice() % 8 : image_dice());
	send(socket, bytes, changed && !(image_dice() % 8) ? image_dice() % (length + 1) : length, MSG_NOSIGNAL);
	free(bytes);
}

/* A worker that says the first N of M, each with up to CHANGED bytes that are not: one, then one for each question. */
struct said_worker {
	const struct image_message *m;
	size_t n;
	unsigned int changed;
	int socket;
	pthread_t thread;
};

static void *say_all(void *arg)
{
	const struct said_worker *w = arg;
	struct image_head asked;
	ssize_t got;

	for (size_t i = 0; i < w->n; i++) {
		do
			got = i ? recv(w->socket, &asked, sizeof(asked), 0) : 1;
		while (i && got > 0 && asked.op == IMAGE_CLOSE);
		if (got <= 0)
			break;
		send_some(w->socket, &w->m[i], w->changed ? (unsigned int)(image_dice() % (w->changed + 1)) : 0);
	}
	(void)!recv(w->socket, &asked, sizeof(asked), 0);
	close(w->socket);
	return NULL;
}

static struct said_worker *begin_worker(const struct image_message *m, size_t n, unsigned int changed)
{
	struct said_worker *w = calloc(1, sizeof(*w));
	int pair[2];

	assert_non_null(w);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	*w = (struct said_worker){ .m = m, .n = n, .changed = changed, .socket = pair[1] };
	assert_int_equal(pthread_create(&w->thread, NULL, say_all, w), 0);
	image_worker_use_socket(pair[0]);
	return w;
}

/* After its end of the socket is closed, or it has said all. */
static void end_worker(struct said_worker *w)
{
	pthread_join(w->thread, NULL);
	free(w);
}

/* The rule of PLACE. With PATIENCE an answer may take its time, as it may on a machine that has much to do. */
static int rule_soon(struct image *im, uint64_t place, bool patience, struct rule *ret)
{
	int r = image_remote_rule(im, place, ret);

	for (int i = 0; r == -EAGAIN && patience && i < 10000; i++) {
		poll(NULL, 0, 1);
		r = image_remote_rule(im, place, ret);
	}
	return r;
}

static void a_worker_that_says_anything_does_nothing_to_unwinding(void **state)
{
	struct image_message *m = calloc(SAID, sizeof(*m));
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	unsigned int n = 0, all = 0;

	assert_non_null(m);
	for (unsigned int i = 0; i < 2000; i++) {
		AUTO(image_free) struct image *im = NULL;
		AUTO_FREE struct cfi_row *row = NULL;
		struct said_worker *other;
		struct rule_row rows[IMAGE_ROWS_MAX];
		struct rule rule;
		const unsigned int before = n;

		honest_worker(m, ++opened);
		/* A page that leaves out a place. */
		((struct rule_row *)(m[2].body + 4))->rule = (struct rule){ .kind = RULE_NONE };
		other = begin_worker(m, SAID, i % 8);
		if (!image_worker_open(fd, "a file", &im, NULL)) {
			n += !rule_soon(im, 5, !(i % 8), &rule);
			n += image_remote_rows(im, 0, IMAGE_PAGE_BYTES, rows, IMAGE_ROWS_MAX) > 0;
			for (int k = 0; image_remote_row(im, 7, &row) == -EAGAIN && !(i % 8) && k < 10000; k++)
				poll(NULL, 0, 1);
			free(take_ptr(row));
			n += !image_remote_row(im, 7, &row);
		}
		image_worker_end();
		end_worker(other);
		all += 3;
		if (!(i % 8))
			assert_int_equal(n - before, 3);
	}
	assert_in_range(n, all / 8, all - 1);
	free(m);
}

/* The first of them ends after it was asked about a page; so does the second one. */
static void a_file_that_ends_two_workers_is_left_alone(void **state)
{
	struct image_message *m = calloc(SAID, sizeof(*m));
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL, *again = NULL;
	struct image_worker_figures f;
	struct err e = ERR_INIT;
	struct rule rule;
	struct said_worker *other;

	assert_non_null(m);
	honest_worker(m, ++opened);
	other = begin_worker(m, 2, 0);
	assert_int_equal(image_worker_open(fd, "/bin/bad", &im, NULL), 0);
	do {
		assert_int_equal(image_remote_rule(im, 5, &rule), -EAGAIN);
		image_worker_figures(&f);
	} while (!f.ended);
	end_worker(other);
	other = begin_worker(m, 2, 0);
	assert_int_equal(rule_soon(im, 5, true, &rule), -EIO);
	end_worker(other);
	other = begin_worker(m, 1, 0);
	assert_int_equal(image_remote_rule(im, 5, &rule), -EIO);
	assert_int_equal(image_worker_open(fd, "/bin/bad", &again, &e), -EFAULT);
	image_worker_figures(&f);
	assert_int_equal(f.ended, 2);
	assert_int_equal(f.left, 1);
	assert_int_equal(f.images, 1);
	assert_string_equal(f.unread.text[0], "bad: no more of it is read: sberf-worker ended twice while it read it: "
			    "the connection was closed");
	for (int i = 0; i < 3; i++)
		image_worker_end();
	end_worker(other);
	free(m);
}

/* A file that is another one when the next worker reads it says nothing of what is mapped. */
static void a_file_that_has_changed_says_no_more(void **state)
{
	struct image_message *m = calloc(SAID, sizeof(*m));
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;
	struct image_worker_figures f;
	struct rule rule;
	struct said_worker *other;

	assert_non_null(m);
	honest_worker(m, ++opened);
	other = begin_worker(m, 3, 0);
	assert_int_equal(image_worker_open(fd, "a file", &im, NULL), 0);
	assert_int_equal(rule_soon(im, 5, true, &rule), 0);
	assert_int_equal(rule.kind, RULE_SP);
	do {
		assert_int_equal(image_remote_rule(im, IMAGE_PAGE_BYTES, &rule), -EAGAIN);
		image_worker_figures(&f);
	} while (!f.ended);
	end_worker(other);
	((struct image_opened *)m[1].body)->load[0].filesz++;
	other = begin_worker(m, 2, 0);
	assert_int_equal(rule_soon(im, IMAGE_PAGE_BYTES, true, &rule), -EIO);
	for (int i = 0; i < 2; i++)
		image_worker_end();
	end_worker(other);
	free(m);
}

/* ---- sberf-worker ---- */

static const char *const read_files[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib64/libc.so.6",
					  "/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib64/libcrypto.so.3" };

static bool equal_rules(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && a->arg == b->arg && a->bp == b->bp && a->cfa == b->cfa;
}

/* What is asked for all the time is not always awaited, but comes. */
static size_t rows_when_they_come(struct image *im, uint64_t at, struct rule_row *ret)
{
	size_t n;

	while (!(n = rows_of(im, at, IMAGE_PAGE_BYTES, ret, IMAGE_ROWS_MAX)))
		poll(NULL, 0, 1);
	return n;
}

static struct rule rule_when_it_comes(struct image *im, uint64_t place)
{
	struct rule rule;
	int r;

	while ((r = image_remote_rule(im, place, &rule)) == -EAGAIN)
		poll(NULL, 0, 1);
	assert_int_equal(r, 0);
	return rule;
}

static struct cfi_row *row_when_it_comes(struct image *im, uint64_t place)
{
	struct cfi_row *row = NULL;
	int r;

	while ((r = image_remote_row(im, place, &row)) == -EAGAIN)
		poll(NULL, 0, 1);
	assert_int_equal(r, 0);
	return row;
}

/* One page: its rows, and the rules and rows of some of its places. */
static void compare_page(struct image *local, struct image *remote, uint64_t at, uint64_t end)
{
	struct rule_row here[IMAGE_ROWS_MAX], there[IMAGE_ROWS_MAX];
	const size_t n = rows_of(local, at, IMAGE_PAGE_BYTES, here, IMAGE_ROWS_MAX);

	assert_int_equal(rows_when_they_come(remote, at, there), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(here[i].at, there[i].at);
		assert_true(equal_rules(&here[i].rule, &there[i].rule));
	}
	for (unsigned int i = 0; i < 8; i++) {
		const uint64_t place = at + image_dice() % IMAGE_PAGE_BYTES;
		AUTO_FREE struct cfi_row *a = NULL, *b = NULL;
		struct rule mine, its;

		if (place >= end)
			continue;
		mine = walk_learn(local, place);
		its = rule_when_it_comes(remote, place);
		assert_true(equal_rules(&mine, &its));
		if (mine.kind != RULE_SLOW && image_dice() % 64)
			continue;
		assert_int_equal(cfi_row_of(local, place, &a), 0);
		b = row_when_it_comes(remote, place);
		assert_int_equal(!a, !b);
		if (a)
			assert_memory_equal(a, b, cfi_row_bytes(a->nr_ops));
	}
}

static size_t compare_file(struct image *local, struct image *remote)
{
	size_t pages = 0;

	assert_int_equal(local->nr_loads, remote->nr_loads);
	assert_int_equal(local->build_id_len, remote->build_id_len);
	assert_memory_equal(local->build_id, remote->build_id, local->build_id_len);
	assert_ptr_equal(local->arch, remote->arch);
	for (uint32_t i = 0; i < local->nr_loads; i++) {
		const struct image_load *l = &local->loads[i];
		const uint64_t from = l->offset / IMAGE_PAGE_BYTES * IMAGE_PAGE_BYTES;

		assert_memory_equal(l, &remote->loads[i], sizeof(*l));
		for (uint64_t at = from; l->exec && at < l->offset + l->filesz; at += IMAGE_PAGE_BYTES, pages++)
			if (pages < 400)
				compare_page(local, remote, at, l->offset + l->filesz);
	}
	return pages;
}

static void a_worker_says_what_is_said_here(void **state)
{
	struct image_worker_figures f;
	unsigned int seen = 0;
	char program[PATH_MAX];

	assert_true(installed_find("sberf-worker", program));
	image_worker_use();
	for (size_t i = 0; i <= sizeof(read_files) / sizeof(*read_files); i++) {
		const char *path = i ? read_files[i - 1] : program;
		AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
		AUTO(image_free) struct image *local = NULL, *remote = NULL;

		if (fd < 0 || image_open(fd, &local, NULL))
			continue;
		assert_int_equal(image_worker_open(fd, path, &remote, NULL), 0);
		opened++;
		assert_true(compare_file(local, remote) > 0);
		assert_true(image_bytes(remote) >= image_bytes(local));
		seen++;
	}
	image_worker_figures(&f);
	image_worker_end();
	printf("%lu files, %lu questions, %lu late, %.1f us each\n", (unsigned long)f.images, (unsigned long)f.asked,
	       (unsigned long)f.late, f.asked ? (double)f.waited_ns / (double)f.asked / 1000 : 0);
	assert_int_equal(f.images, seen);
	assert_int_equal(f.ended, 0);
	assert_true(seen >= 1);
}

static void what_is_no_program_is_refused_by_it(void **state)
{
	AUTO_FD int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	struct image *im = NULL;
	struct err e = ERR_INIT, here = ERR_INIT;

	image_worker_use();
	opened++;
	assert_int_equal(image_worker_open(fd, "/etc/passwd", &im, &e), -ENOEXEC);
	assert_int_equal(image_open(fd, &im, &here), -ENOEXEC);
	assert_string_equal(e.text, here.text);
	image_worker_end();
}

/* Ends the worker, wherever it is. */
static unsigned int kill_worker(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int n = 0;

	for (struct dirent *d; tasks && (d = readdir(tasks));) {
		char children[64];
		AUTO_FILE FILE *f = NULL;
		int pid;

		snprintf(children, sizeof(children), "/proc/self/task/%.20s/children", d->d_name);
		f = fopen(children, "re");
		while (f && fscanf(f, "%d", &pid) == 1)
			n += !kill(pid, SIGKILL);
	}
	closedir(tasks);
	return n;
}

static void whoever_ends_it_delays_rows(void **state)
{
	char program[PATH_MAX] = "";
	AUTO_FD int fd = installed_find("sberf-worker", program) ? open(program, O_RDONLY | O_CLOEXEC) : -1;
	AUTO(image_free) struct image *local = NULL, *remote = NULL;
	const uint64_t until = clock_mono_ns() + 60 * NSEC_PER_SEC;
	struct image_worker_figures f;
	unsigned int kills = 0, late = 0;
	struct rule rule, want;
	uint64_t from = 0;

	image_worker_use();
	assert_int_equal(image_open(fd, &local, NULL), 0);
	assert_int_equal(image_worker_open(fd, "this", &remote, NULL), 0);
	for (uint32_t i = 0; i < local->nr_loads; i++)
		from = local->loads[i].exec ? local->loads[i].offset : from;
	for (uint64_t at = from; kills < 20 && clock_mono_ns() < until; at += 1 + image_dice() % 64) {
		const int r = image_remote_rule(remote, at % 2 ? from + at % 4096 : at, &rule);

		assert_true(!r || r == -EAGAIN);
		late += r != 0;
		want = walk_learn(local, at % 2 ? from + at % 4096 : at);
		assert_true(r || equal_rules(&rule, &want));
		if (!(image_dice() % 16))
			kills += kill_worker();
		if (r)
			poll(NULL, 0, (int)(image_dice() % 4));
	}
	while (image_remote_rule(remote, from + 64, &rule) == -EAGAIN && clock_mono_ns() < until)
		poll(NULL, 0, 1);
	want = walk_learn(local, from + 64);
	assert_true(equal_rules(&rule, &want));
	image_worker_figures(&f);
	image_worker_end();
	printf("killed %u times, %u answers late\n", kills, late);
	assert_true(kills >= 20);
	assert_int_equal(f.left, 0);
	assert_true(f.ended > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_checked),
		cmocka_unit_test(rows_of_a_page_are_checked),
		cmocka_unit_test(rows_for_the_evaluator_are_checked),
		cmocka_unit_test(what_a_file_is_is_checked),
		cmocka_unit_test(a_worker_that_says_anything_does_nothing_to_unwinding),
		cmocka_unit_test(a_file_that_ends_two_workers_is_left_alone),
		cmocka_unit_test(a_file_that_has_changed_says_no_more),
		cmocka_unit_test(a_worker_says_what_is_said_here),
		cmocka_unit_test(what_is_no_program_is_refused_by_it),
		cmocka_unit_test(whoever_ends_it_delays_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
