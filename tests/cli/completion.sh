#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# completion.sh - what bash offers at some places of a command line.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
# shellcheck disable=SC1091
. "${top_builddir:?}/docs/completion/sberf"

# offers WORD...: what is offered for the last of these words, sorted, in one line.
offers() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_sberf
	printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | xargs
}

equal "commands" "agent bpf branches check diff doctor list merge record report serve symbolize top trace" "$(offers sberf '' | tr ' ' '\n' | grep -v -e -- | xargs)"
equal "a begun command" "record report" "$(offers sberf re)"
equal "a begun option" "--sample-bytes --short-names --size --span --span-above --span-below --span-diff --split --stack-size --state --store-size --symfs --syscall" "$(offers sberf top --s)"
equal "only options of the command" "" "$(offers sberf doctor --s)"
# The table of formats grows: what --help says is what is offered.
formats=$("${SBERF:?is set by make check}" report --help | awk '$1 == "--format" { on = 1; $1 = "" }
	on { name = $0; sub(/^ +/, "", name); more = index(name, "  "); if (more) name = substr(name, 1, more - 1)
		if (name !~ /^[a-z|-]+ *$/) exit; print name; if (more) exit }' | tr '|' '\n' | tr -d ' ' | grep . | sort | xargs)
matches "formats" "folded.* tree.* waits" "$formats"
equal "choices" "$formats" "$(offers sberf report --format '')"
equal "a begun choice behind =" "folded" "$(offers sberf report --format = fo)"
equal "choices right behind =" "dwarf fallback force fp lbr off" "$(offers sberf top --call-graph =)"
matches "process ids" "(^| )$$"'( |$)' "$(offers sberf top -p '')"
touch "$SCRATCH/one.data"
equal "recordings" "$SCRATCH/one.data" "$(offers sberf report "$SCRATCH/o")"
equal "values that only the user knows" "" "$(offers sberf top -F '')"
equal "states" "idle interruptible" "$(offers sberf report --state i)"
# line LINE: what is offered at the end of LINE, where readline has ended words at colons.
line() {
	COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \t\n:=' offers sberf "$(cut -d ' ' -f 2 <<<"$1")" ''
}
PATH=$(dirname "$SBERF"):$PATH
equal "kinds of probes" "signal span: sys:" "$(line 'sberf top --probe s')"
equal "system calls" "openat openat2" "$(line 'sberf record --probe sys:opena')"
equal "behind =" "openat openat2" "$(line 'sberf trace --probe=sys:opena')"
equal "in a quote" "openat openat2" "$(line "sberf top --probe 'sys:opena")"
equal "what list lists" "openat openat2" "$(line 'sberf list sys:opena')"
matches "files of a target" 'libc\.so\.6:' "$(line "sberf top -p $$ --probe call:libc")"
matches "functions of a target" '(^| )malloc( |$)' "$(line "sberf top -p $$ --probe uprobe:libc.so.6:mallo")"
matches "of one behind =" '(^| )malloc( |$)' "$(line "sberf top --pid=$$ --probe u:libc.so.6:mallo")"
equal "nothing of a process that is not there" "" "$(line "sberf top -p 4000000 --probe u:libc.so.6:mallo")"
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	equal "names of arguments, in a condition" "filename flags" "$("$SBERF" list --complete 'sys:openat /f' | sed 's|.*/||' | tr '\n' ' ' | sed 's/ $//')"
else
	skip "no tracefs is mounted" "names of arguments, in a condition"
fi
equal "what every probe knows" "comm cpu" "$("$SBERF" list --complete 'signal /pid == 1 && c' | sed 's/.* //' | grep -v code | tr '\n' ' ' | sed 's/ $//')"
equal "values of a signal, in a sum" "signal sum(sig" "$("$SBERF" list --complete 'signal sum(s')"
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	equal "in bash" "/filename /flags" "$(line "sberf top --probe 'sys:openat /f" | grep -o '/f[a-z]*' | tr '\n' ' ' | sed 's/ $//')"
else
	skip "no tracefs is mounted" "in bash"
fi
equal "the end of a span" "sys:writev" "$(line 'sberf record --probe span:sys:read~~sys:writev' | sed 's/^.*~~//; s/^writev/sys:writev/')"
equal "a command behind --" "true" "$(offers sberf record -- tru | tr ' ' '\n' | grep -x true | head -1)"
finish
