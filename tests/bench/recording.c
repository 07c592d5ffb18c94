/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.c - bytes on disk and CPU time of a recording, without a kernel: 20,000 stacks of about
 * 20 frames from a made-up call graph of 3,000 functions in 12 files, sampled unevenly, two CPUs at
 * 997 Hz, all named with inlined calls and lines.
 *
 *	tests/bench/recording [EVENTS [waits]]   (20,000 = 10 s)
 *
 * With waits, the events are the two parts of waits with wakers instead.
 *
 * Prints "name: value" lines. Blocks are made twice a second, as the recorder does.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <inttypes.h>

#define FUNCTIONS 3000u
#define FILES 12u
#define STACKS 20000u
#define EVENTS_PER_FLUSH 1000u
#define PERIOD_NS 1003009u

static stack_id stacks[STACKS];

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t start_of(unsigned int function)
{
	return 0x1000 + function / FILES * 0x140 + function % 7 * 0x10;
}

/* A call site of FUNCTION, one of four, that calls one of four others, higher up in number. */
static unsigned int called_from(unsigned int function, unsigned int site)
{
	return function + 1 + (unsigned int)(hash_2u64(function, site) % 150);
}

static void make_stacks(struct synth *s, module_id *file)
{
	for (unsigned int i = 0; i < STACKS; i++) {
		unsigned int function = (unsigned int)(synth_random(s) % 3),
			depth = 12 + (unsigned int)(synth_random(s) % 17);

		stacks[i] = STACK_ROOT;
		for (unsigned int d = 0; d < depth && function < FUNCTIONS; d++) {
			const unsigned int site = (unsigned int)(synth_random(s) % 4);
			const uint64_t place = start_of(function) + 7 + 0x31 * site;

			stacks[i] = dict_stack(s->dict, stacks[i], dict_frame(s->dict, file[function % FILES], place));
			function = called_from(function, site);
		}
	}
}

static void name_frames(struct synth *s)
{
	for (frame_id id = 0; id < dict_frames(s->dict); id++) {
		const struct frame *f = dict_get_frame(s->dict, id);
		const unsigned int function = (unsigned int)((f->offset - 0x1000) / 0x140 * FILES + f->module);
		const bool inlined = id % 3 == 0;
		struct func func = { .module = f->module, .start = f->offset & ~0x3full, .size = 0x120 };
		struct name name[2];
		char text[128];

		snprintf(text, sizeof(text), "%sServer::handle%sRequest_%u(Client const&, int)",
			 function % 3 ? "net::" : "store::", function % 2 ? "Write" : "Read", function);
		func.name = names_add_text(s->names, text, strlen(text));
		name[inlined].func = names_add_func(s->names, &func);
		snprintf(text, sizeof(text), "/usr/src/server-7.0/src/part%u/unit%u.cc", function % 9, function % 300);
		name[inlined].file = names_add_text(s->names, text, strlen(text));
		name[inlined].line = (uint32_t)(f->offset / 9 % 3000);
		if (inlined) {
			snprintf(text, sizeof(text), "std::vector<Client*>::at_%u(unsigned long)", function % 200);
			func = (struct func){ .module = f->module,
					      .name = names_add_text(s->names, text, strlen(text)) };
			name[0] = (struct name){ names_add_func(s->names, &func), name[1].file, name[1].line % 97 };
		}
		assert_int_equal(names_set(s->names, id, name, 1 + inlined, true), 0);
	}
}

/* Popular stacks are sampled more: the cube of an even number in 0 .. 1. */
static stack_id popular(struct synth *s)
{
	const double x = (double)(synth_random(s) >> 11) / (double)(1ull << 53);

	return stacks[(size_t)(x * x * x * STACKS)];
}

/* Makes EV the blocked part of a wait, or, with EV as it left it, the other part. */
static void make_wait(struct synth *s, struct event *ev, bool other_part, const thread_id *thread)
{
	static const uint32_t calls[] = { 0, 1, 7, 202, 202, 202, 232, 232 };
	const uint64_t r = synth_random(s);

	if (other_part) {
		ev->kind = EVENT_RUNNABLE;
		ev->flags |= EVENT_F_PIECE;
		ev->weight = ev->wait.own_ns = 1500 + r % 60000;
		ev->time_ns += ev->weight;
		return;
	}
	ev->kind = EVENT_BLOCKED;
	ev->weight = 10000000 + r % 40000000;
	ev->wait = (struct event_wait){
		.call = CALL_SYSCALL + calls[r % 8], .state = WAIT_INTERRUPTIBLE, .context = WAKER_TASK,
			.waker = thread[r / 8 % 8],
		.waker_stack = stacks[r / 64 % 50], .own_ns = ev->weight,
	};
}

static void record(struct synth *s, struct memory_recording *r, uint64_t n, const thread_id *thread, bool waits)
{
	struct event ev;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t noise = synth_random(s);

		if (!waits || i % 2 == 0)
			ev = (struct event){
				.kind = EVENT_SAMPLE,
					.flags = EVENT_F_USER | (noise % 8 ? 0 : EVENT_F_KERNEL), .cpu = i & 1,
				.time_ns = SYNTH_START_NS + i / 2 * PERIOD_NS + noise % 4000, .weight = PERIOD_NS,
				.thread = thread[noise / 4000 % 8], .stack = popular(s), .cut_module = ID_NONE,
			};
		if (waits)
			make_wait(s, &ev, i % 2, thread);
		assert_true(encoder_event(r->enc, &ev));
		if (i % EVENTS_PER_FLUSH == EVENTS_PER_FLUSH - 1)
			memory_flush(r);
	}
	memory_flush(r);
	memory_end(r);
}

static void count(void *ctx, const struct event *ev)
{
	*(uint64_t *)ctx += ev->weight > 0;
}

static void load(const struct memory_recording *r, uint64_t n)
{
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *ns = names_new();
	char path[] = "/tmp/sberf-bench-recording.XXXXXX";
	struct load_report report;
	struct profile_meta meta;
	uint64_t got = 0, ns_used;
	const struct load_options o = { .each = count, .ctx = &got };
	const int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, r->bytes.v, r->bytes.n) == (ssize_t)r->bytes.n);
	close(fd);
	ns_used = cpu_ns();
	assert_int_equal(recording_load(path, p, ns, &meta, &report, &o, NULL), 0);
	ns_used = cpu_ns() - ns_used;
	assert_int_equal(got, n);
	unlink(path);
	printf("load_ns_per_event: %" PRIu64 "\n", ns_used / n);
	printf("load_ms: %.1f\n", (double)ns_used / NSEC_PER_MSEC);
}

/* Bytes by type of block. */
static void print_types(const struct memory_recording *r, uint64_t n)
{
	static const char *const type[BLOCK_TYPES] = {
		"", "meta", "end", "str", "mod", "frame", "stack", "thread", "func", "names", "events", "numa",
	};
	uint64_t bytes[BLOCK_TYPES] = { 0 };
	struct block b;

	for (size_t at = HEADER_SIZE; at < r->bytes.n; at += BLOCK_HEADER_SIZE + b.stored_len) {
		assert_true(block_get(r->bytes.v + at, &b));
		bytes[b.type] += BLOCK_HEADER_SIZE + b.stored_len;
	}
	for (int i = BLOCK_META; i < BLOCK_TYPES; i++)
		printf("bytes_per_event_%s: %.2f\n", type[i], (double)bytes[i] / (double)n);
}

int main(int argc, char **argv)
{
	const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	struct memory_recording r;
	struct profile_meta meta;
	module_id file[FILES];
	thread_id thread[8];
	uint64_t before, used;
	struct synth s;

	synth_init(&s, 1);
	synth_meta(&meta);
	for (unsigned int i = 0; i < FILES; i++) {
		struct module m = { .kind = MODULE_FILE, .build_id_len = 20, .build_id = { (uint8_t)i } };
		char path[32];

		snprintf(path, sizeof(path), "/usr/lib/lib%u.so", i);
		m.path = strtab_adds(dict_strings(s.dict), path);
		file[i] = dict_module(s.dict, &m);
	}
	for (int i = 0; i < 8; i++)
		thread[i] = dict_thread(s.dict, &(struct thread){ .pid = 1000, .tid = 1000 + i });
	make_stacks(&s, file);
	name_frames(&s);
	memory_begin(&r, &s, &meta);
	before = cpu_ns();
	record(&s, &r, n, thread, argc > 2);
	used = cpu_ns() - before;
	printf("events: %" PRIu64 "\nframes: %u\nstack_nodes: %u\n", n, dict_frames(s.dict), dict_stacks(s.dict));
	printf("bytes: %zu\nbytes_per_event: %.2f\n", r.bytes.n, (double)r.bytes.n / (double)n);
	print_types(&r, n);
	printf("write_ns_per_event: %" PRIu64 "\n", used / n);
	load(&r, n);
	memory_free(&r);
	synth_free(&s);
	return 0;
}
