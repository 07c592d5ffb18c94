/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpflog.h - keeps what libbpf and the kernel's verifier say while BPF programs are loaded, for
 * --verbose and bug reports.
 *
 * libbpf has one message callback for a whole process. So there is one log for all captures; any
 * thread may write to it.
 */
#ifndef SBERF_CAPTURE_BPFLOG_H
#define SBERF_CAPTURE_BPFLOG_H

#include <stdio.h>

/*
 * Sends libbpf's messages here instead of to stderr, where they would spoil the terminal view. A
 * second call does nothing.
 */
void bpflog_begin(void);

/*
 * Writes the log to OUT, each line sanitised: the first and the last 256 KB, and between them a
 * line that counts the bytes left out (a verifier log gives its reason at the end). Returns the
 * size of the whole log in bytes.
 */
size_t bpflog_write(FILE *out);

#endif
