/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpflog.h - what libbpf and the kernel's verifier said while BPF programs were loaded, kept for --verbose and bug reports.
 *
 * libbpf has one place for messages in a process, so this is one for all captures of the process, and any thread may write to it.
 */
#ifndef SBERF_CAPTURE_BPFLOG_H
#define SBERF_CAPTURE_BPFLOG_H

#include <stdio.h>

/* From now on libbpf's messages go here instead of to stderr, where a view may be. Again: nothing. */
void bpflog_begin(void);

/*
 * Writes what was said to OUT, each line sanitised: the first and the last 256 KB, with a line in between that counts the bytes
 * left out (a verifier's log has its reason at its end). Returns how many bytes were said in all.
 */
size_t bpflog_write(FILE *out);

#endif
