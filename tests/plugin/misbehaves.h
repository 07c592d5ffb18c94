/* SPDX-License-Identifier: BSD-2-Clause */
/* misbehaves.h - addresses for which tests/plugin/misbehaves.c does something wrong. */
#ifndef SBERF_TESTS_PLUGIN_MISBEHAVES_H
#define SBERF_TESTS_PLUGIN_MISBEHAVES_H

enum wrong {
	WRONG_CRASH = 1,
	WRONG_STACK,
	WRONG_EXIT,
	WRONG_SPIN,
	WRONG_SLEEP,
	WRONG_HUGE,
	WRONG_CONTROL,
	WRONG_MANY,
	WRONG_NUMBERS,
	WRONG_FLOOD,
	WRONG_MESSAGE,
	WRONG_UNASKED,
	WRONG_READS,
	WRONG_ATTEMPTS,
	WRONG_NOT = 1000,
};

#endif
