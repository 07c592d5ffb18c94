#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# links.sh - probes in the code of a program: the C library's malloc() and getenv() of a workload, each hit with its arguments, registers and
# stack, by one link for many and by one link each; and at returns, and at both.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v nm >/dev/null || skip_all "there is no nm"
calls=500
libc=$(ldd "$WORKLOADS/calls" | awk '/libc[.]so/ { print $3 }')

# at NAME: where that function is in the library: its text is mapped as it is in the file.
at() {
	nm -D --defined-only "$libc" | awk -v name="$1" '{ sub(/@.*/, "", $3) } $3 == name { print "0x" $1; exit }'
}

# links KIND ARGS...: into $got.
links() {
	got=$("$top_builddir/tests/live/links" "$1" "$libc" "${@:2}" 2>"$SCRATCH/err") || note "$(cat "$SCRATCH/err")"
}

# hits KIND: of getenv()
hits() {
	links "$1" getenv="$(at getenv)" -- "$WORKLOADS/calls" $calls
	says getenv | sed 's/^hits \([0-9]*\), with registers \1, .*/\1/'
}

# says NAME: what was printed of it.
says() {
	sed -n "s/^$1: //p" <<<"$got"
}

for way in many single; do
	case $way in
	many) unset SBERF_WITHOUT ;;
	single) export SBERF_WITHOUT=uprobe_multi ;;
	esac
	links entry malloc="$(at malloc)",12345 getenv="$(at getenv)":1 far=0x7ffffffff000 -- "$WORKLOADS/calls" $calls
	equal "$way: each malloc() of that size is a hit, with registers and stack" \
		"hits $calls, with registers $calls, with a stack $calls, texts 0 \"\"" "$(says malloc)"
	matches "$way: and each getenv(), with its name" "texts [0-9]+ \"NAME_OF_THE_TEST\"" "$(says getenv)"
	matches "$way: what cannot be probed is named, and the others go on" \
		"^cannot probe far in '$libc': it is outside of the file's code, or no instruction begins there" "$(says failed)"
	equal "$way: no hit is of an unknown probe" 0 "$(says unknown)"
	equal "$way: and none is lost" 0 "$(says lost)"
	equal "$way: in the end all are off" 0 "$(says 'still on')"
	note "$got"
	entered=$(hits entry)
	at_least "$way: getenv() is entered as often as the workload calls it" $calls "$entered"
	equal "$way: and returns as often" "$entered" "$(hits return)"
done
unset SBERF_WITHOUT
links session getenv="$(at getenv)" -- "$WORKLOADS/calls" 1
if [ "$got" = "no sessions" ]; then
	skip "this kernel has no sessions of probes" "a session sees the entry and the return of each call"
else
	equal "a session sees the entry and the return of each call" $((2 * entered)) "$(hits session)"
fi

# 64 probes: closing the capture does not wait until they are off. (0.1 s each, one by one.)
mapfile -t places < <(nm -D --defined-only "$libc" | awk '$2 == "T" && n++ < 64 { sub(/@.*/, "", $3); print $3 "=0x" $1 }')
SBERF_WITHOUT=uprobe_multi links entry "${places[@]}" -- "$WORKLOADS/calls" 10
note "$(grep -E '^(placed|closed|off) in' <<<"$got")"
closed=$(says 'closed in')
check "a capture with 64 probes, each by its own link, is closed in less than 0.5 s" test "$(printf '%.0f' "${closed% ms}")" -lt 500
# Who ends with many links is not kept by them, nor is who reads what it says: another process waits for the kernel.
start_workload naps 60 1000 60
for way in many single; do
	case $way in
	many) unset SBERF_WITHOUT ;;
	single) export SBERF_WITHOUT=uprobe_multi ;;
	esac
	("$SBERF" record -o "$SCRATCH/run.data" -p "$workload" --probe 'u:libc.so.6:str[a-f]*' --duration 1s 2>&1; date +%s%N >"$SCRATCH/ended") |
		cat >"$SCRATCH/said"
	late=$((($(date +%s%N) - $(cat "$SCRATCH/ended")) / 1000000))
	note "$(cat "$SCRATCH/said")"
	at_least "$way: places" 16 "$(sed -n 's/.*probes placed at \([0-9]*\) places.*/\1/p' "$SCRATCH/said")"
	at_least "$way: ms until its reader ends" "$late" 400
done
# A view with as many probes as there can be gives the terminal back at once.
mapfile -t probes < <(nm -D --defined-only "$libc" | awk '$2 == "T" && n++ < 64 { sub(/@.*/, "", $3); print "--probe=u:libc.so.6:" $3 }')
# left: for how many ms it is there after q.
left() {
	TERM=linux "$top_builddir/tests/qemu/ptyrun" 100 30 "$SCRATCH/screen" 60 'with stack' q -- \
		"$SBERF" top -e cpu-clock -p "$workload" "${probes[@]}" 2>&1 | sed -n 's/.*ended \([0-9]*\) ms after.*/\1/p'
}
for way in many single; do
	case $way in
	many) unset SBERF_WITHOUT ;;
	single) export SBERF_WITHOUT=uprobe_multi ;;
	esac
	late=$(left)
	[ "${late:-9999}" -lt 500 ] || late=$(left)
	note "$way: ${late:-?} ms"
	check "$way: q leaves a view of 64 probes within 0.5 s" test "${late:-9999}" -lt 500
done
gone() {
	! pgrep -f "$SCRATCH/run.data" >/dev/null
}
wait_until 60 gone
check "and that one ends, too" gone
stop_workload
finish
