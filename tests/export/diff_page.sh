#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# diff_page.sh - a comparison in a browser (diff_page.py): each frame has both shares, what changed, and by how much that may be off, as
# the texts of diff have them.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
. "$top_srcdir/tests/export/page.sh"
cd "$SCRATCH" || exit 99
needs_browser
cp "$top_srcdir"/tests/data/diff/{before,grown}.sberf .

# written NAME ARGS...: as picture, page, tree and folded stacks
written() {
	local name=$1 format
	shift
	for format in svg html txt folded; do
		check "$name.$format" "$sberf" diff --no-kernel "$@" -o "$name.$format" before.sberf grown.sberf
	done
}
written running --metric on-cpu
written all --metric wall
# Of imports numbers are what was read.
printf 'app;main;f 300\napp;main;g 700\n' >before.folded
printf 'app;main;f 600\napp;main;g 400\n' >after.folded
check "counts.svg" "$sberf" diff --import folded -o counts.svg before.folded after.folded
page_checks diff_page.py
finish
