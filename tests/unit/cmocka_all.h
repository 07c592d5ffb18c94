/* SPDX-License-Identifier: BSD-2-Clause */
/* cmocka_all.h - cmocka with the headers that it wants included before it. */
#ifndef SBERF_TESTS_UNIT_CMOCKA_ALL_H
#define SBERF_TESTS_UNIT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the four above */
#include <cmocka.h>

#endif
