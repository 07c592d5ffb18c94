/* SPDX-License-Identifier: BSD-2-Clause */
/* verify.h - do a stack that the kernel half walked by rules and its copy lead to the same frames? */
#ifndef SBERF_ENGINE_VERIFY_H
#define SBERF_ENGINE_VERIFY_H

#include "model/method.h"
#include "unwind/unwind.h"

/* How WALKED, by rules, differs from COPIED, both complete: by the first frame that does. VERIFY_NR = not at all. */
enum verify_cause verify_compare(const struct chain *walked, const struct chain *copied);

#endif
