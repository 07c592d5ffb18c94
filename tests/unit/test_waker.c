/* SPDX-License-Identifier: BSD-2-Clause */
/* test_waker.c - kernel stacks of wakings, as a running kernel showed them, by a canned table of symbols. */
#include "config.h"

#include "capture/waker.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

static const char canned[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81001000 T try_to_wake_up\n"
	"ffffffff81002000 t hrtimer_wakeup\n"
	"ffffffff81003000 T sysvec_apic_timer_interrupt\n"
	"ffffffff81004000 T asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81005000 t handle_softirqs\n"
	"ffffffff81006000 T do_softirq\n"
	"ffffffff81007000 T tcp_sendmsg\n"
	"ffffffff81008000 T do_syscall_64\n"
	"ffffffff81009000 t run_ksoftirqd\n"
	"ffffffff8100a000 T irq_exit_rcu\n"
	"ffffffff8100b000 T asm_common_interrupt\n"
	"ffffffff8100c000 D data\n"
	"ffffffff8100d000 T bpf_trace_run2\n"
	"ffffffff8100e000 T __traceiter_sched_process_fork\n"
	"ffffffffc0001000 t bpf_prog_6deef7357e7b4530_sb_forks\t[bpf]\n";

#define WAKE 0xffffffff81001042
#define TIMER 0xffffffff81002010
#define SYSVEC 0xffffffff81003010
#define ASM_SYSVEC 0xffffffff81004010
#define SOFTIRQS 0xffffffff81005010
#define DO_SOFTIRQ 0xffffffff81006010
#define SENDMSG 0xffffffff81007010
#define SYSCALL 0xffffffff81008010
#define KSOFTIRQD 0xffffffff81009010
#define IRQ_EXIT 0xffffffff8100a010
#define DEVICE 0xffffffff8100b010

#define CONTEXT(k, ...) \
	waker_context_of(k, (const uint64_t[]){ __VA_ARGS__ }, \
			 (uint32_t)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8))

static void contexts(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = NULL;

	assert_int_equal(ksyms_parse(canned, strlen(canned), &k, NULL), 0);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(CONTEXT(k, WAKE, SYSCALL), WAKER_TASK);
		assert_int_equal(CONTEXT(k, WAKE, TIMER, SYSVEC, ASM_SYSVEC, SENDMSG, SYSCALL), WAKER_HARDIRQ);
		assert_int_equal(CONTEXT(k, WAKE, DEVICE), WAKER_HARDIRQ);
		assert_int_equal(CONTEXT(k, WAKE, SOFTIRQS, IRQ_EXIT, SYSVEC, ASM_SYSVEC, SYSCALL), WAKER_SOFTIRQ);
		assert_int_equal(CONTEXT(k, WAKE, SOFTIRQS, KSOFTIRQD), WAKER_SOFTIRQ);
		/* What a task sends over loopback, it delivers itself. */
		assert_int_equal(CONTEXT(k, WAKE, SOFTIRQS, DO_SOFTIRQ, SENDMSG, SYSCALL), WAKER_TASK);
		/* A timer in the midst of that is a timer. */
		assert_int_equal(CONTEXT(k, WAKE, TIMER, SYSVEC, ASM_SYSVEC, SOFTIRQS, DO_SOFTIRQ,
					 SENDMSG), WAKER_HARDIRQ);
	}
}

static void nothing_to_go_by(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T asm_common_interrupt\n";
	AUTO(ksyms_free) struct ksyms *k = NULL, *h = NULL;
	const uint64_t at = WAKE;

	assert_int_equal(ksyms_parse(canned, strlen(canned), &k, NULL), 0);
	assert_int_equal(ksyms_parse(hidden, strlen(hidden), &h, NULL), 0);
	assert_int_equal(waker_context_of(NULL, &at, 1), WAKER_UNKNOWN);
	assert_int_equal(waker_context_of(k, NULL, 0), WAKER_UNKNOWN);
	assert_int_equal(waker_context_of(h, &at, 1), WAKER_UNKNOWN);
}

/* What a tracepoint puts on top of a stack is no part of it; what is further out is, whatever its name. */
static void looking_on(void **state)
{
	const uint64_t addrs[] = { 0xffffffffc0001010, 0xffffffff8100d010, 0xffffffff8100e010, SENDMSG,
				   0xffffffff8100d010, SYSCALL };
	AUTO(ksyms_free) struct ksyms *k = NULL;

	(void)state;
	assert_int_equal(ksyms_parse(canned, strlen(canned), &k, NULL), 0);
	assert_int_equal(waker_looking_on(k, addrs, 6), 3);
	assert_int_equal(waker_looking_on(k, addrs, 2), 2);
	assert_int_equal(waker_looking_on(k, addrs + 3, 3), 0);
	assert_int_equal(waker_looking_on(k, addrs, 0), 0);
	assert_int_equal(waker_looking_on(NULL, addrs, 6), 0);
	assert_int_equal(CONTEXT(k, addrs[0], addrs[1], addrs[2], SENDMSG, SYSCALL), WAKER_TASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts),
		cmocka_unit_test(looking_on),
		cmocka_unit_test(nothing_to_go_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
