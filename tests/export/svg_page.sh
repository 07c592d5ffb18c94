#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# svg_page.sh - flame graphs in a browser (svg_page.py): zoom, search, keys, sizes, addresses; on folded stacks of a real build.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data
. "$top_srcdir/tests/export/page.sh"
cd "$SCRATCH" || exit 99
needs_browser

folded=$data/folded
check "large" "$sberf" report --import folded "$folded/rustc-100k.folded.gz" -o large.svg
check "large: well-formed" xmllint --noout --nonet large.svg
check "large: at most 2 MB" test "$(stat -c %s large.svg)" -le 2000000
check "small" "$sberf" report --import folded "$folded/rustc-1k.folded.gz" -o small.svg
check "small, but little is drawn" "$sberf" report --import folded "$folded/rustc-1k.folded.gz" --min-width 40 -o wide.svg
{ zcat "$folded/rustc-1k.folded.gz"; echo 'something;new;here 20000'; } >other.folded
check "another" "$sberf" report --import folded other.folded -o other.svg
check "states" "$sberf" report "$data/v1_2.sberf" -o states.svg
check "nodes" "$sberf" report --by-node "$data/v1_2.sberf" -o nodes.svg
check "the same as text" "$sberf" report --by-node --metric wall "$data/v1_2.sberf" -o nodes.folded
page_checks svg_page.py "$folded"
finish
