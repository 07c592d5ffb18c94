#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# verifier-figures.sh - writes tests/live/verifier.tsv (make verifier-figures): what the verifiers of this kernel and of those of the
# guests look at. What cannot be had now stays as it was.
set -u
table=$top_srcdir/tests/live/verifier.tsv
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

touch "$table"
bash "$top_srcdir/tests/live/verifier.sh" >"$scratch/here"
SBERF_GUEST_SCRIPTS=verifier bash "$top_srcdir/tests/qemu/live.sh" >"$scratch/guests"
sed -n 's/^.*# verified\t//p' "$scratch/here" "$scratch/guests" | sort -u >"$scratch/new"
cut -f 1 "$scratch/new" | uniq | sort -u >"$scratch/kernels"
[ -s "$scratch/kernels" ] || { cat "$scratch/here"; exit 1; }
awk -F '\t' 'FILENAME == ARGV[1] { new[$1]; next } !($1 in new)' "$scratch/kernels" "$table" >"$scratch/old"
LC_ALL=C sort -t '	' -k 1,1V -k 2 "$scratch/old" "$scratch/new" >"$scratch/table"
diff "$table" "$scratch/table"
cat "$scratch/table" >"$table"
echo "written: Linux $(paste -sd ' ' "$scratch/kernels")"
