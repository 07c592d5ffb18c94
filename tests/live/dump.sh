# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# dump.sh - sourced after tap.sh by tests of the capture alone: runs capture-dump and looks at its figures.
dump=$top_builddir/tests/live/capture-dump
work=$top_builddir/tests/workloads/bin/modes

if ! [ -r /sys/kernel/btf/vmlinux ]; then
	skip "the kernel has no BTF" "capture"
	finish
	exit
fi
if [ "$(id -u)" -ne 0 ]; then
	skip "not root" "capture"
	finish
	exit
fi

# capture ARGS...: runs capture-dump; its lines become the values that get() and is() look at.
capture() {
	if ! got=$("$dump" "$@" 2>&1); then
		note "$got"
		got=
	fi
}

get() {
	local v
	v=$(sed -n "s/^$1: //p" <<<"$got")
	printf '%s' "${v:-0}"
}

# is TITLE EXPRESSION: arithmetic in which names stand for values.
is() {
	local expr=$2 name
	for name in $(grep -o '[a-z_][a-z_]*' <<<"$2" | sort -ru); do
		expr=$(sed "s/\b$name\b/$(get "$name")/g" <<<"$expr")
	done
	if [ -n "$got" ] && ((expr)); then
		result 0 "$1"
	else
		note "$2 is $expr"
		note "$got"
		result 1 "$1"
	fi
}
