/* SPDX-License-Identifier: BSD-2-Clause */
/* test_trace.c - lines of `sberf trace`: arguments of calls, which descriptor was which file, and the order of hits. */
#include "config.h"

#include "base/clock.h"
#include "base/text.h"
#include "bpf/wire.h"
#include "model/wait.h"
#include "trace/callargs.h"
#include "trace/callflags.h"
#include "trace/callsums.h"
#include "trace/calltable.h"
#include "trace/calltext.h"
#include "trace/fdpaths.h"
#include "trace/hitfields.h"
#include "trace/hitline.h"
#include "trace/hitorder.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- hits made by hand ---- */

struct made_text {
	int arg;
	const char *bytes;
	size_t len;              /* 0 = strlen() */
	bool cut;
};

/* A hit of the call NAME at TIME_NS with ARGS and RESULT, and TEXTS up to one without bytes. */
static struct hit *made_hit(uint64_t time_ns, const uint64_t args[6], int64_t result, const struct made_text *texts)
{
	uint64_t arg[RAW_ARGS_MAX] = { 0 };
	struct raw_event ev = { .kind = RAW_EVENT, .time_ns = time_ns, .cpu = 1, .pid = 10, .tid = 11 };
	struct hit *h;

	memcpy(arg, args, 6 * sizeof(*arg));
	arg[SB_CALL_RESULT] = (uint64_t)result;
	arg[SB_CALL_FILE] = 77;
	arg[SB_CALL_FILE + 1] = 1;
	arg[SB_CALL_MADE] = 78;
	arg[SB_CALL_MADE + 1] = 1;
	ev.hit = (struct raw_hit){ .probe = RAW_PROBE_PLACED, .nr_args = RAW_ARGS_MAX, .value = 1500, .count = 1,
				   .begun_ns = time_ns - 1500, .arg = arg };
	for (; texts && texts->bytes; texts++)
		ev.hit.text[ev.hit.nr_texts++] = (struct raw_text){
			.arg = (uint16_t)texts->arg, .cut = texts->cut, .bytes = texts->bytes,
			.len = (uint16_t)(texts->len ? texts->len : strlen(texts->bytes)),
		};
	strcpy(ev.sample.comm, "dd");
	h = hit_new(&ev, true, ID_NONE);
	assert_non_null(h);
	return h;
}

static bool made_name(void *ctx, const struct hit *h, int fd, const struct hit_file *file,
		      char dst[CALLTEXT_FILE_MAX])
{
	snprintf(dst, CALLTEXT_FILE_MAX, "/made/%d-%d", fd, (int)file->inode);
	return !ctx;
}

static const struct calltext_files made_files = { .name = made_name };

/* The call NAME is written as WANT. */
static void reads(const char *want, const char *name, const uint64_t args[6], int64_t result,
		  const struct made_text *texts)
{
	AUTO(hit_free) struct hit *h = made_hit(5000, args, result, texts);
	char text[CALLTEXT_MAX];
	const size_t len = calltext_write(callargs_find(name), name, h, &made_files, text);

	assert_int_equal(len, strlen(text));
	assert_string_equal(text, want);
}

#define ARGS(...) (const uint64_t[6]){ __VA_ARGS__ }
#define TEXTS(...) (const struct made_text[]){ __VA_ARGS__, { .arg = 0 } }

static void each_call_of_the_table_is_one_of_the_system(void **state)
{
	static const char *const archs[] = { "x86_64", "aarch64" };
	const struct callargs *call;
	unsigned int n = 0;

	for (; (call = callargs_get(n)); n++) {
		bool known = false;

		assert_ptr_equal(callargs_find(call->name), call);
		for (size_t i = 0; i < 2; i++)
			known |= call_find(call->name, archs[i]) != CALL_NONE;
		if (!known)
			fail_msg("no system call is called %s", call->name);
	}
	assert_in_range(n, 200, 500);
	assert_null(callargs_find("no such call"));
}

static void numbers_lead_to_names_and_wishes(void **state)
{
	AUTO(calltable_free) struct calltable *x86 = calltable_new("x86_64"), *arm = calltable_new("aarch64");
	const struct sb_call_wish *w = calltable_wishes(x86);

	assert_string_equal(calltable_name(x86, 0), "read");
	assert_string_equal(calltable_name(arm, 63), "read");
	assert_ptr_equal(calltable_args(x86, 257), callargs_find("openat"));
	assert_ptr_equal(calltable_args(arm, 56), callargs_find("openat"));
	assert_null(calltable_args(x86, 1000));
	assert_null(calltable_args(x86, 5000));
	assert_int_equal(w[257].file, 1);
	assert_int_equal(w[257].more, SB_WISH_MADE);
	assert_int_equal(w[257].text[0], 2);
	assert_int_equal(w[257].text[1], 0);
	assert_int_equal(w[0].text[0], 2 | SB_WISH_OUT);
	assert_int_equal(w[1].text[0], 2 | SB_WISH_IN);
	assert_int_equal(w[1].more, 0);
	assert_int_equal(w[231].more, SB_WISH_BEGUN);
	/* rename has two, and no descriptor. */
	assert_int_equal(w[82].text[0], 1);
	assert_int_equal(w[82].text[1], 2);
	assert_int_equal(w[82].file, 0);
}

static void flags_have_names(void **state)
{
	char text[64];

	assert_int_equal(callflags_text(callflags_of(CALLARG_PROT), PROT_READ | PROT_WRITE, text, sizeof(text)), 20);
	assert_string_equal(text, "PROT_READ|PROT_WRITE");
	callflags_text(callflags_of(CALLARG_PROT), PROT_NONE, text, sizeof(text));
	assert_string_equal(text, "PROT_NONE");
	callflags_text(callflags_of(CALLARG_OPEN), O_RDWR | O_CREAT | O_SYNC | 1u << 30, text, sizeof(text));
	assert_string_equal(text, "O_RDWR|O_SYNC|O_CREAT|0x40000000");
	callflags_text(callflags_of(CALLARG_FUTEX), 128, text, sizeof(text));
	assert_string_equal(text, "FUTEX_WAIT|FUTEX_PRIVATE_FLAG");
	callflags_text(callflags_of(CALLARG_SIGNAL), 99, text, sizeof(text));
	assert_string_equal(text, "0x63");
	callflags_text(callflags_of(CALLARG_AT), 0, text, sizeof(text));
	assert_string_equal(text, "0");
	/* Cut, but never beyond its end. */
	assert_int_equal(callflags_text(callflags_of(CALLARG_OPEN), UINT32_MAX, text, 20), 19);
	assert_int_equal(strlen(text), 19);
	assert_null(callflags_of(CALLARG_PATH));
	assert_string_equal(callflags_error(ENOENT), "ENOENT");
	assert_string_equal(callflags_error(512), "ERESTARTSYS");
	assert_null(callflags_error(4000));
	assert_null(callflags_error(0));
}

static void every_type_of_flags_has_some(void **state)
{
	for (unsigned int type = CALLARG_FLAGS; type < CALLARG_TYPES; type++)
		if (!callflags_of(type))
			fail_msg("type %u has no names", type);
}

static void calls_are_written_as_people_know_them(void **state)
{
	reads("openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3</made/3-78>", "openat",
	      ARGS((uint64_t)AT_FDCWD, 0x1000, O_CLOEXEC, 0xdead), 3, TEXTS({ .arg = 1, .bytes = "/etc/passwd" }));
	reads("open(\"a\", O_WRONLY|O_CREAT, 0644) = 4</made/4-78>", "open", ARGS(0x1000, O_WRONLY | O_CREAT, 0644), 4,
	      TEXTS({ .arg = 0, .bytes = "a" }));
	reads("openat(5</made/5-77>, 0x1000, O_RDONLY) = -1 ENOENT (No such file or directory)", "openat",
	      ARGS(5, 0x1000, 0, 0), -ENOENT, NULL);
	reads("read(0</made/0-77>, \"\\x00\\x01\", 2) = 2", "read", ARGS(0, 0x1000, 2), 2,
	      TEXTS({ .arg = 1, .bytes = "\0\1", .len = 2 }));
	reads("close(-1) = -1 EBADF (Bad file descriptor)", "close", ARGS(UINT32_MAX), -EBADF, NULL);
	reads("mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000", "mmap",
	      ARGS(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0), 0x7f0000000000, NULL);
	reads("brk(NULL) = 0x5000", "brk", ARGS(0), 0x5000, NULL);
	reads("getpid() = 10", "getpid", ARGS(1, 2, 3, 4, 5, 6), 10, NULL);
	reads("kill(-1, SIGTERM) = 0", "kill", ARGS(UINT32_MAX, 15), 0, NULL);
	reads("no_such_call(0x1, 0, 0, 0, 0, 0) = 0", "no_such_call", ARGS(1), 0, NULL);
	reads("lseek(3</made/3-77>, -1, SEEK_END) = 9", "lseek", ARGS(3, UINT64_MAX, SEEK_END), 9, NULL);
	{
		AUTO(hit_free) struct hit *h = made_hit(5000, ARGS(1), 0, NULL);
		char text[CALLTEXT_MAX];

		h->open = true;
		calltext_write(callargs_find("exit_group"), "exit_group", h, NULL, text);
		assert_string_equal(text, "exit_group(1) = ?");
	}
	/* Two descriptors: which file the second one is, nobody has told. */
	reads("dup2(3</made/3-77>, 4) = 4</made/4-78>", "dup2", ARGS(3, 4), 4, NULL);
}

static void foreign_bytes_do_no_harm(void **state)
{
	char text[64], small[8];
	char *big = calloc(1, 256);

	assert_non_null(big);
	calltext_quote(text, sizeof(text), "a\"b\\\n\033[2J\xff", 10, false);
	assert_string_equal(text, "\"a\\\"b\\\\\\n\\x1b[2J\\xff\"");
	calltext_quote(text, sizeof(text), "gr\xc3\xbc\xc3\x9f", 6, true);
	assert_string_equal(text, "\"gr\xc3\xbc\xc3\x9f\"...");
	/* What turns text round is written as its bytes. */
	calltext_quote(text, sizeof(text), "\xe2\x80\xae", 3, false);
	assert_string_equal(text, "\"\\xe2\\x80\\xae\"");
	/* Cut at a character, and closed. */
	assert_int_equal(calltext_quote(small, sizeof(small), "abcdefgh", 8, false), 7);
	assert_string_equal(small, "\"ab\"...");
	/* The longest that there can be. */
	memset(big, 1, 255);
	reads("symlink(0x1, 0x2) = 0", "symlink", ARGS(1, 2), 0, NULL);
	{
		AUTO(hit_free) struct hit *h = made_hit(5000, ARGS(1, 2), 0,
							TEXTS({ .arg = 0, .bytes = big, .len = 255, .cut = true },
							      { .arg = 1, .bytes = big, .len = 255, .cut = true }));
		char line[CALLTEXT_MAX];

		assert_in_range(calltext_write(callargs_find("symlink"), "symlink", h, NULL, line), 2000,
				CALLTEXT_MAX - 1);
		assert_true(text_is_clean(line, strlen(line)));
	}
	free(big);
}

static json_t *as_json(const char *name, const struct hit *h)
{
	json_t *o = json_object();

	assert_true(calltext_json(callargs_find(name), h, &made_files, o));
	return o;
}

static void json_has_types(void **state)
{
	AUTO(hit_free) struct hit *h = made_hit(5000, ARGS((uint64_t)AT_FDCWD, 1, O_RDONLY), -ENOENT,
						TEXTS({ .arg = 1, .bytes = "x\xff", .len = 2, .cut = true }));
	AUTO(hit_free) struct hit *ok = made_hit(5000, ARGS(3, 0x2000, 7), 7, NULL);
	json_t *o = as_json("openat", h);
	char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(text,
			    "{\"args\":{\"dirfd\":-100,\"flags\":\"O_RDONLY\",\"pathname\":\"x\xef\xbf\xbd\","
			    "\"pathname_cut\":true},\"error\":\"ENOENT\",\"result\":-1}");
	free(text);
	json_decref(o);
	o = as_json("write", ok);
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(text, "{\"args\":{\"buf\":null,\"count\":7,\"fd\":3,\"fd_path\":\"/made/3-77\"},"
			    "\"result\":7}");
	free(text);
	json_decref(o);
	o = as_json("no_such_call", ok);
	assert_int_equal(json_array_size(json_object_get(o, "args")), 6);
	json_decref(o);
}

/* ---- lines ---- */

static void lines_say_who_and_when(void **state)
{
	static const char *const frames[] = { "read (libc.so.6)", "main (dd)" };
	AUTO(hit_free) struct hit *h = made_hit(5000, ARGS(0, 0x1000, 2), 2, NULL);
	struct hitline l = {
		.hit = h, .real_ns = 86399ull * NSEC_PER_SEC + 123456789, .name = "read", .is_call = true,
		.call = callargs_find("read"), .frame = frames, .nr_frames = 2,
	};
	const struct callsum sum = { .hits = 3, .errors = 1, .total_ns = 3000, .max_ns = 2000 };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	setenv("TZ", "UTC", 1);
	hitline_text(f, &l);
	assert_true(hitline_json(f, &l));
	l.is_call = false;
	l.registers = true;
	l.name = "uprobe:./a\033pp:f";
	l.nr_frames = 0;
	h->nr_args = 2;
	hitline_text(f, &l);
	assert_true(hitline_json(f, &l));
	hitline_sum_head(f);
	hitline_sum_text(f, "read", &sum);
	assert_true(hitline_sum_json(f, "read", &sum));
	fclose(f);
	assert_string_equal(text,
		"23:59:59.123456 dd/11                    1    1.50 us  read(0, 0x1000, 2) = 2\n"
		"        read (libc.so.6)\n"
		"        main (dd)\n"
		"{\"time_ns\":86399123456789,\"comm\":\"dd\",\"pid\":10,\"tid\":11,\"cpu\":1,\"latency_ns\":1500,"
		"\"call\":\"read\",\"args\":{\"fd\":0,\"buf\":null,\"count\":2},\"result\":2,"
		"\"stack\":[\"read (libc.so.6)\",\"main (dd)\"]}\n"
		"23:59:59.123456 dd/11                    1    1.50 us  uprobe:./a\xef\xbf\xbdpp:f(0, 0x1000)\n"
		"{\"time_ns\":86399123456789,\"comm\":\"dd\",\"pid\":10,\"tid\":11,\"cpu\":1,\"latency_ns\":1500,"
		"\"probe\":\"uprobe:./a\xef\xbf\xbdpp:f\",\"registers\":[\"0x0\",\"0x1000\"]}\n"
		"     calls     errors        total      average      longest  name\n"
		"         3          1      3.00 us      1.00 us      2.00 us  read\n"
		"{\"sum\":\"read\",\"calls\":3,\"errors\":1,\"total_ns\":3000,\"max_ns\":2000}\n");
	free(text);
}

static void faults_and_signals_have_fields(void **state)
{
	const struct made_text texts[] = { { SB_SIGNAL_PID, "sl\033" "eep", 0, false }, { 0 } };
	AUTO(hit_free) struct hit *fault = made_hit(5000, ARGS(0x7f0012345678), 0, NULL);
	AUTO(hit_free) struct hit *sent = made_hit(5000, ARGS(15, 12, 13, 0, 1, 2), 0, texts);
	struct hitfields fields;
	struct hitline l = { .hit = fault, .name = "fault", .fields = &fields };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fault->timed = sent->timed = false;
	setenv("TZ", "UTC", 1);
	hitfields_of_fault(fault, "/usr/lib/lib\033" "c.so.6", &fields);
	hitline_text(f, &l);
	assert_true(hitline_json(f, &l));
	hitfields_of_fault(fault, NULL, &fields);
	hitline_text(f, &l);
	/* What the kernel half has said at the fault counts, and gets its path if that is still the same. */
	fault->nr_texts = 1;
	fault->text[0] = (struct hit_text){ .arg = SB_FAULT_ADDRESS, .len = 9, .bytes = "libc.so.6" };
	hitfields_of_fault(fault, "/usr/lib/libc.so.6", &fields);
	assert_string_equal(fields.text, "0x7f0012345678, /usr/lib/libc.so.6");
	hitfields_of_fault(fault, "/usr/bin/other", &fields);
	assert_string_equal(fields.text, "0x7f0012345678, libc.so.6");
	hitfields_of_fault(fault, NULL, &fields);
	assert_string_equal(fields.text, "0x7f0012345678, libc.so.6");
	fault->text[0] = (struct hit_text){ .arg = SB_FAULT_ADDRESS, .len = 4, .bytes = "anon" };
	hitfields_of_fault(fault, "anon:glibc: malloc", &fields);
	assert_string_equal(fields.text, "0x7f0012345678, anon:glibc: malloc");
	l = (struct hitline){ .hit = sent, .name = "signal", .fields = &fields };
	hitfields_of_signal(sent, &fields);
	hitline_text(f, &l);
	assert_true(hitline_json(f, &l));
	fclose(f);
	assert_string_equal(text,
		"00:00:00.000000 dd/11                    1             fault(0x7f0012345678, "
		"/usr/lib/lib\xef\xbf\xbd" "c.so.6)\n"
		"{\"time_ns\":0,\"comm\":\"dd\",\"pid\":10,\"tid\":11,\"cpu\":1,\"probe\":\"fault\","
		"\"args\":{\"address\":\"0x7f0012345678\",\"mapped\":\"/usr/lib/lib\xef\xbf\xbd" "c.so.6\"}}\n"
		"00:00:00.000000 dd/11                    1             fault(0x7f0012345678)\n"
		"00:00:00.000000 dd/11                    1             signal(SIGTERM, "
		"sl\xef\xbf\xbd" "eep/13, SI_USER, already pending)\n"
		"{\"time_ns\":0,\"comm\":\"dd\",\"pid\":10,\"tid\":11,\"cpu\":1,\"probe\":\"signal\","
		"\"args\":{\"signal\":\"SIGTERM\",\"to_pid\":12,\"to_tid\":13,"
		"\"to_comm\":\"sl\xef\xbf\xbd" "eep\",\"code\":\"SI_USER\",\"outcome\":\"already pending\"}}\n");
	free(text);
}

static void sums_are_in_order(void **state)
{
	AUTO(callsums_free) struct callsums *s = callsums_new();
	const struct callsum *v;
	size_t n;

	assert_true(callsums_add(s, 0, 1, false, 10, 1));
	assert_true(callsums_add(s, 0, 2, true, 500, 1));
	assert_true(callsums_add(s, 0, 1, true, 30, 1));
	assert_true(callsums_add(s, 1, 1, false, 500, 1));
	assert_true(callsums_add(s, 1, 1, false, 0, 1));
	assert_true(callsums_add(s, 2, 1, true, 100, 4));       /* four alike */
	v = callsums_sorted(s, &n);
	assert_int_equal(n, 4);
	assert_int_equal(v[0].probe, 1);
	assert_int_equal(v[0].hits, 2);
	assert_int_equal(v[0].total_ns, 500);
	assert_int_equal(v[1].call, 2);
	assert_true(v[2].hits == 4 && v[2].errors == 4 && v[2].total_ns == 100 && v[2].max_ns == 25);
	assert_int_equal(v[3].errors, 1);
	assert_int_equal(v[3].max_ns, 30);
}

/* ---- order ---- */

static void put_at(struct hitorder *o, uint64_t time_ns)
{
	hitorder_put(o, made_hit(time_ns, ARGS(0), 0, NULL));
}

/* The next one is of TIME_NS; 0: there is none. */
static void takes(struct hitorder *o, uint64_t time_ns)
{
	AUTO(hit_free) struct hit *h = hitorder_take(o);

	assert_int_equal(h ? h->time_ns : 0, time_ns);
}

static void hits_go_out_in_order_of_time(void **state)
{
	AUTO(hitorder_free) struct hitorder *o = hitorder_new(1 << 20);
	struct hitorder_figures f;

	put_at(o, 30);
	put_at(o, 10);
	put_at(o, 20);
	hitorder_flush(o, 20);
	assert_true(hitorder_wait(o, NSEC_PER_SEC));
	takes(o, 10);
	takes(o, 20);
	takes(o, 0);
	/* What was held back goes between those that come; what comes too late goes out at once. */
	put_at(o, 25);
	put_at(o, 40);
	put_at(o, 15);
	hitorder_flush(o, 30);
	assert_true(hitorder_wait(o, NSEC_PER_SEC));
	takes(o, 15);
	takes(o, 25);
	takes(o, 30);
	takes(o, 0);
	hitorder_figures(o, &f);
	assert_int_equal(f.late, 1);
	assert_int_equal(f.dropped, 0);
	assert_false(hitorder_wait(o, 1));
	hitorder_end(o);
	assert_true(hitorder_wait(o, NSEC_PER_SEC));
	takes(o, 40);
	takes(o, 0);
}

static void many_hits_are_not_kept(void **state)
{
	AUTO(hit_free) struct hit *h = made_hit(1, ARGS(0), 0, NULL);
	AUTO(hitorder_free) struct hitorder *o = hitorder_new(2 * h->bytes);
	struct hitorder_figures f;

	for (uint64_t i = 1; i <= 5; i++)
		put_at(o, i);
	hitorder_put(o, NULL);
	hitorder_flush(o, 100);
	hitorder_wait(o, NSEC_PER_SEC);
	takes(o, 1);
	put_at(o, 6);
	hitorder_flush(o, 100);
	hitorder_wait(o, NSEC_PER_SEC);
	takes(o, 2);
	takes(o, 6);
	takes(o, 0);
	hitorder_figures(o, &f);
	assert_int_equal(f.dropped, 4);
	/* A long trace does not grow. */
	for (uint64_t i = 7; i < 20000; i++) {
		put_at(o, i);
		put_at(o, i);
		hitorder_flush(o, i);
		hitorder_wait(o, NSEC_PER_SEC);
		takes(o, i);
		takes(o, i);
	}
	/* What waits is freed with it. */
	put_at(o, 1);
}

/* ---- descriptors ---- */

static char proc_root[] = "/tmp/test_trace.XXXXXX";

/* Process 10 has file NAME with INODE open as FD; 0: it has closed it. */
static void made_fd(int fd, const char *name, unsigned long inode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/10/fd/%d", proc_root, fd);
	unlink(path);
	if (inode)
		assert_int_equal(symlink(name, path), 0);
	snprintf(path, sizeof(path), "%s/10/fdinfo/%d", proc_root, fd);
	unlink(path);
	if (!inode)
		return;
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "pos:\t0\nflags:\t0100000\nmnt_id:\t29\nino:\t%lu\n", inode);
	fclose(f);
}

static void is_called(struct fdpaths *f, uint64_t time_ns, int fd, const struct hit_file *file, const char *want)
{
	AUTO(hit_free) struct hit *h = made_hit(time_ns, ARGS(0), 0, NULL);
	char name[CALLTEXT_FILE_MAX] = "";

	assert_int_equal(fdpaths_name(f, h, fd, file, name), want != NULL);
	if (want)
		assert_string_equal(name, want);
}

static void learns(struct fdpaths *f, const char *call, const uint64_t args[6], int64_t fd, const char *path)
{
	const struct callargs *c = callargs_find(call);
	AUTO(hit_free) struct hit *h = made_hit(5000, args, fd,
						TEXTS({ .arg = c->arg[0].type != CALLARG_PATH, .bytes = path }));

	fdpaths_learn(f, c, h);
}

static void descriptors_are_those_of_the_moment(void **state)
{
	const struct hit_file a = { 101, 1 }, b = { 102, 1 }, made = { 78, 1 };
	char path[128];

	assert_non_null(mkdtemp(proc_root));
	snprintf(path, sizeof(path), "mkdir -p %s/10/fd %s/10/fdinfo && ln -s /var %s/10/cwd", proc_root, proc_root,
		 proc_root);
	assert_int_equal(system(path), 0);
	{
		AUTO(fdpaths_free) struct fdpaths *f = fdpaths_new(proc_root);

		made_fd(3, "/a", 101);
		is_called(f, 5000, 3, &a, "/a");
		/* The number stands for another file by now: that is not what it was. */
		made_fd(3, "/c", 103);
		is_called(f, 5000, 3, &b, NULL);
		is_called(f, 5000, 3, &a, "/a");
		/* It is asked again, but not at once. */
		made_fd(3, "/b", 102);
		is_called(f, 5000 + NSEC_PER_SEC / 2, 3, &b, NULL);
		is_called(f, 5000 + 2 * NSEC_PER_SEC, 3, &b, "/b");
		made_fd(3, NULL, 0);
		is_called(f, 5000, 3, &b, "/b");
		is_called(f, 5000, 4, &(struct hit_file){ 7, 7 }, NULL);
		/* What was closed before it could be asked has the name that opened it. */
		learns(f, "openat", ARGS((uint64_t)AT_FDCWD, 1), 9, "/closed");
		is_called(f, 5000, 9, &made, "/closed");
		learns(f, "open", ARGS(1), 9, "file");
		is_called(f, 5000, 9, &made, "/var/file");
		/* To copy it changes nothing of that. */
		{
			AUTO(hit_free) struct hit *h = made_hit(5000, ARGS(9), 10, NULL);

			fdpaths_learn(f, callargs_find("dup"), h);
		}
		is_called(f, 5000, 10, &made, "/var/file");
		/* And the right one where it is still there. */
		made_fd(9, "/real", 78);
		learns(f, "open", ARGS(1), 9, "file");
		is_called(f, 5000, 9, &made, "/real");
		/* A call that failed has opened nothing. */
		learns(f, "open", ARGS(1), -ENOENT, "missing");
		is_called(f, 5000, 9, &made, "/real");
	}
	snprintf(path, sizeof(path), "rm -r %s", proc_root);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_of_the_table_is_one_of_the_system),
		cmocka_unit_test(numbers_lead_to_names_and_wishes),
		cmocka_unit_test(flags_have_names),
		cmocka_unit_test(every_type_of_flags_has_some),
		cmocka_unit_test(calls_are_written_as_people_know_them),
		cmocka_unit_test(foreign_bytes_do_no_harm),
		cmocka_unit_test(json_has_types),
		cmocka_unit_test(lines_say_who_and_when),
		cmocka_unit_test(sums_are_in_order),
		cmocka_unit_test(hits_go_out_in_order_of_time),
		cmocka_unit_test(many_hits_are_not_kept),
		cmocka_unit_test(descriptors_are_those_of_the_moment),
		cmocka_unit_test(faults_and_signals_have_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
