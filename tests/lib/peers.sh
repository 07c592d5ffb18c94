#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# peers.sh - stacks that libsberf unwinds beside those of eu-stack, of programs that were stopped at moments of chance: the same frames,
# one by one, and the same names.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all "needs root to look at what another process does"
command -v eu-stack >/dev/null || skip_all "eu-stack is not installed"
# shellcheck source=tests/lib/installing.sh
. "$top_srcdir/tests/lib/installing.sh"
read -ra cc <<<"${CC:-cc}"
read -ra flags < <(pkg-config --cflags --libs sberf)
"${cc[@]}" -O2 -g -pthread -o "$work/stack" "$here/stack.c" "${flags[@]}" 2>"$work/log"
told $? "a program with libsberf.so" "$work/log"

# Of the first thread, as "ADDRESS NAME" lines.
by_elfutils() {
	eu-stack -n 1024 -p "$1" 2>/dev/null | awk -v tid="TID $1:" '$0 == tid { on = 1; next } /^TID/ { on = 0 }
		on && /^#/ { sub(/^0x0*/, "0x", $2); print $2, (NF > 2 && $3 != "-" ? $3 : "??") }'
}

# compare TITLE STOPS COMMAND...
compare() {
	local title=$1 stops=$2 pid
	shift 2
	"$@" >/dev/null 2>&1 &
	pid=$!
	also_kill "$pid"
	sleep 0.3
	: >"$work/ours"
	: >"$work/theirs"
	for ((i = 0; i < stops; i++)); do
		kill -STOP "$pid"
		"$work/stack" of "$pid" >"$work/one" 2>>"$work/log"
		grep '^0x' "$work/one" >>"$work/ours"
		by_elfutils "$pid" >>"$work/theirs"
		kill -CONT "$pid"
		sleep 0.0$((RANDOM % 3 + 1))
	done
	kill "$pid"
	diff <(cut -d' ' -f1 "$work/ours") <(cut -d' ' -f1 "$work/theirs") | grep -c '^[<>]' >"$work/differ"
	note "$title: $(wc -l <"$work/theirs") frames of $stops stops, $(cat "$work/differ") differ"
	[ "$(wc -l <"$work/theirs")" -gt $((stops * 3)) ] && [ $(($(cat "$work/differ") * 2000)) -le "$(wc -l <"$work/theirs")" ]
	told $? "$title: the frames are those of eu-stack" <(diff "$work/ours" "$work/theirs" | head -20)
	# Names: of the functions that both name, without what the compiler has added.
	paste -d' ' "$work/ours" "$work/theirs" 2>/dev/null | awk '$1 == $3 && $2 != "??" && $4 != "??" {
		n++; a = $2; b = $4; sub(/[.@(].*/, "", a); sub(/[.@(].*/, "", b)
		# Of several names of one address each takes what it likes best.
		sub(/^(__libc_|__GI_|__|_IO_|_)/, "", a); sub(/^(__libc_|__GI_|__|_IO_|_)/, "", b)
		if (a != b && $2 !~ /\+0x/) { differ++; print $2, $4 } }
		END { exit !(n > 0 && differ * 2000 <= n) }' >"$work/names"
	told $? "$title: and their names, too" "$work/names"
}

compare "a program of many shapes" 60 "$top_builddir/tests/workloads/bin/mixed"
compare "realigned stacks" 30 "$top_builddir/tests/workloads/bin/realign"
compare "python3" 60 /usr/bin/python3 -c 'import re, json
def f(n):
    return n if n == 0 else f(n - 1) + len(re.sub("a+", "b", "caaat" * 20)) + len(json.dumps([n] * 50))
while True: f(30)'
compare "perl" 60 perl -e 'sub f { my $n = shift; return $n ? f($n - 1) + length(join(",", sort map { $_ * 7 % 13 } 1 .. 50)) : 0 } f(20) while 1'
finish
