#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_modules.sh - --unwind kernel: stacks through a hundred libraries, each with a mapping of its own, are walked in the kernel, too.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
libraries=100
cd "$SCRATCH" || exit 99
cat >step.c <<'C'
typedef void step_fn(void *const *next, int left);

static volatile unsigned long sink;

void step(void *const *next, int left)
{
	if (left)
		((step_fn *)next[0])(next + 1, left - 1);
	for (int i = 0; !left && i < 100000; i++)
		sink += i;
	sink++;
}
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *step[argc];

	for (int i = 1; i < argc; i++) {
		void *so = dlopen(argv[i], RTLD_NOW);

		step[i - 1] = so ? dlsym(so, "step") : NULL;
		if (!step[i - 1]) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		((void (*)(void *const *, int))step[0])(step + 1, argc - 2);
}
C
${CC:-cc} -O2 -fPIC -shared -o step.so step.c && ${CC:-cc} -O2 -o main main.c -ldl
result $? "the program is built"
for ((i = 0; i < libraries; i++)); do
	cp step.so "step_$i.so"
	paths+=("$SCRATCH/step_$i.so")
done
./main "${paths[@]}" >ready &
program=$!
also_kill $program
wait_until 20 grep -q ready ready
result $? "it runs"
check "its stacks are recorded" record modules.data -F 997 --unwind kernel --no-off-cpu --duration 3s -p $program
note "$(summary modules.data | grep -E '^(oncpu_samples|oncpu_complete|unwound_|walk_|rules_)')"
at_least "percent of them that were walked in the kernel" 50 "$(value modules.data unwound_kernel_percent)"
at_least "percent complete" 99 "$(value modules.data oncpu_complete_percent)"
at_least "functions of the libraries in the deepest stack" $libraries "$("$SBERF" report -i modules.data --format folded --no-kernel |
	awk '{ n = gsub(/;step/, ""); if (n > most) most = n } END { print most + 0 }')"
finish
