/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verify.h - checks whether a stack that the kernel half walked by rules and a copy of it lead to
 * the same frames.
 */
#ifndef SBERF_ENGINE_VERIFY_H
#define SBERF_ENGINE_VERIFY_H

#include "model/method.h"
#include "unwind/unwind.h"

/*
 * Says how WALKED, by rules, differs from COPIED, both complete: by their first different frame.
 * VERIFY_NR = they are equal.
 */
enum verify_cause verify_compare(const struct chain *walked, const struct chain *copied);

#endif
