#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# step.sh - the walk is right at every instruction of a program, from ld.so's first to the last. See step.c.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

step=${top_builddir:?}/tests/unwind/step

# right TITLE CUT FLAGS...: CUT instructions at most may be cut (crti.o's _init and crtbegin.o have no CFI).
right() {
	local title=$1 cut=$2
	shift 2
	# shellcheck disable=SC2086  # CC may carry flags
	if ! ${CC:-cc} "$@" "$top_srcdir/tests/unwind/steps.c" -o "$SCRATCH/steps"; then
		result 1 "$title"
		return
	fi
	check "$title" "$step" -c "$cut" "$SCRATCH/steps"
}

right "-O2, lazy binding through ld.so" 10 -O2 -fomit-frame-pointer -Wl,-z,lazy
right "-O0" 60 -O0 -static
right "-O2, no frame pointers" 60 -O2 -fomit-frame-pointer -static
right "-Os" 60 -Os -static
right "-fcf-protection and -mstackrealign" 60 -O2 -fcf-protection -mstackrealign -static
finish
