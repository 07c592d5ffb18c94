/* SPDX-License-Identifier: BSD-2-Clause */
/* big.c - see big.h. Everything follows from hashes of numbers. */
#include "config.h"

#include "tests/unit/big.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 60000u
#define THREADS_EACH 8u          /* of a process */
#define WAKERS 100u
#define ROUND 5u                 /* events for each stack: two samples, an access, a wait in its two parts */

static bool name_frame(struct names *names, frame_id frame, module_id module)
{
	struct name name[2] = { 0 };
	struct func f = { .module = module };
	char text[32];

	for (int i = 0; i < 2; i++) {
		const int len = snprintf(text, sizeof(text), "function_%u_%d", frame / 4, i);

		f.name = names_add_text(names, text, (size_t)len);
		name[1 - i].func = names_add_func(names, &f);
	}
	return names_set(names, frame, frame % 16 ? &name[1] : name, frame % 16 ? 1 : 2, true) == 0;
}

static bool make_stacks(struct big *b, struct dict *d, struct names *names)
{
	const struct module mod = { .kind = MODULE_FILE, .path = strtab_adds(dict_strings(d), "/usr/bin/app") };
	const module_id id = dict_module(d, &mod);
	const frame_id first = dict_frames(d);

	for (uint32_t i = 0; i < FRAMES; i++) {
		const frame_id f = dict_frame(d, id, i * 16);

		if (f == ID_NONE || (i % 2 && !name_frame(names, f, id)))
			return false;
	}
	for (uint32_t i = 0; i < b->stacks; i++) {
		for (uint32_t up = BIG_DEPTH; up-- > 0 && b->stack[i] != ID_NONE;)
			b->stack[i] = dict_stack(d, b->stack[i], first + (uint32_t)(hash_2u64(up, i >> up) % FRAMES));
		if (b->stack[i] == ID_NONE)
			return false;
	}
	return true;
}

static bool make_threads(struct big *b, struct dict *d)
{
	char comm[32], exe[32];

	for (uint32_t i = 0; i < b->threads; i++) {
		const uint32_t process = i / THREADS_EACH;
		struct thread t = { .pid = 1 + (pid_t)(process * THREADS_EACH), .tid = 1 + (pid_t)i };

		snprintf(comm, sizeof(comm), "worker-%u", i % THREADS_EACH);
		snprintf(exe, sizeof(exe), "/usr/bin/app%u", process % 10);
		t.comm = strtab_adds(dict_strings(d), comm);
		t.exe = strtab_adds(dict_strings(d), exe);
		b->thread[i] = dict_thread(d, &t);
		if (b->thread[i] == ID_NONE)
			return false;
	}
	return true;
}

bool big_init(struct big *b, struct dict *d, struct names *names, uint32_t stacks, uint32_t threads)
{
	*b = (struct big){ .stack = calloc(stacks, sizeof(*b->stack)), .thread = calloc(threads, sizeof(*b->thread)),
			   .stacks = stacks, .threads = threads };
	return b->stack && b->thread && make_stacks(b, d, names) && make_threads(b, d);
}

void big_free(struct big *b)
{
	free(b->stack);
	free(b->thread);
}

uint32_t big_pick(const struct big *b, uint64_t n)
{
	const uint64_t h = hash_u64(n);

	return (uint32_t)(n % 2 ? n / 2 % b->stacks : (h >> 20 & 0xff) * (h >> 40 & 0xff) % b->stacks);
}

void big_sample(const struct big *b, uint32_t i, uint64_t n, uint64_t time_ns, struct event *ret)
{
	*ret = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE, .time_ns = time_ns,
			       .weight = 10101010 + n % 1000, .stack = b->stack[i],
			       .thread = b->thread[i % b->threads] };
}

void big_wait(const struct big *b, uint32_t i, uint64_t n, uint64_t time_ns, struct event *ret_blocked,
	      struct event *ret_runnable)
{
	static const uint32_t call[] = { CALL_SYSCALL + 202, CALL_SYSCALL + 232, CALL_SYSCALL,
					 CALL_SYSCALL + 45, CALL_FAULT };
	const uint64_t h = hash_u64(n);

	big_sample(b, i, n, time_ns, ret_blocked);
	ret_blocked->kind = EVENT_BLOCKED;
	ret_blocked->wait = (struct event_wait){ .call = call[i % 5], .state = WAIT_INTERRUPTIBLE,
						 .context = WAKER_TASK, .waker = b->thread[h % WAKERS % b->threads] };
	ret_blocked->weight = ret_blocked->wait.own_ns = 1000ull << (h >> 50) % 16;
	*ret_runnable = *ret_blocked;
	ret_runnable->kind = EVENT_RUNNABLE;
	ret_runnable->flags |= EVENT_F_PIECE;
	ret_runnable->weight = ret_runnable->wait.own_ns = 1000 + h % 5000;
}

uint64_t big_events(const struct big *b)
{
	return (uint64_t)ROUND * b->stacks;
}

void big_event(const struct big *b, uint64_t n, uint64_t start_ns, uint32_t seconds, struct event *ret)
{
	const uint64_t turn = n / ROUND, which = n % ROUND,
		time_ns = start_ns + n * (seconds * NSEC_PER_SEC / big_events(b));
	struct event other;

	if (which < 2) {
		big_sample(b, big_pick(b, 2 * turn + which), n, time_ns, ret);
	} else if (which == 2) {
		big_sample(b, big_pick(b, turn), n, time_ns, ret);
		ret->kind = EVENT_ACCESS;
		ret->place = (struct event_place){ .node = turn % 3 != 0, .mapping = MAPPING_ANON, .file = ID_NONE };
	} else if (which == 3) {
		big_wait(b, big_pick(b, 2 * turn + 1), turn, time_ns, ret, &other);
	} else {
		big_wait(b, big_pick(b, 2 * turn + 1), turn, time_ns, &other, ret);
	}
	ret->cpu = turn % 2;
	ret->node = turn % 2;
}
