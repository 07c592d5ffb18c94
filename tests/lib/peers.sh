#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# peers.sh - stacks that libsberf unwinds beside those of eu-stack and of gdb, of programs that were stopped at moments of chance: the same
# frames, one by one, and the same names.
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

cat >"$work/frames.gdb" <<'END'
set debuginfod enabled off
set backtrace past-main on
set backtrace past-entry on
python
frame = gdb.newest_frame()
while frame:
    if frame.type() != gdb.INLINE_FRAME:
        print("frame 0x%x %s" % (frame.pc(), frame.name() or "??"))
    frame = frame.older()
end
END

by_gdb() {
	gdb -nx -batch -p "$1" -x "$work/frames.gdb" 2>/dev/null | sed -n 's/^frame \(0x[0-9a-f]* [^ (]*\).*/\1/p'
}

# stops_of PEER PID N: stops PID so often, and writes the frames that we find to ours, and those that PEER does to theirs.
stops_of() {
	: >"$work/ours"
	: >"$work/theirs"
	for ((i = 0; i < $3; i++)); do
		kill -STOP "$2"
		"$work/stack" of "$2" >"$work/one" 2>>"$work/log"
		grep '^0x' "$work/one" >>"$work/ours"
		"by_$1" "$2" >>"$work/theirs"
		kill -CONT "$2"
		sleep 0.0$((RANDOM % 3 + 1))
	done
}

# judge TITLE PEER STOPS
judge() {
	local title=$1 peer=$2 stops=$3
	diff <(cut -d' ' -f1 "$work/ours") <(cut -d' ' -f1 "$work/theirs") | grep -c '^[<>]' >"$work/differ"
	note "$title: $(wc -l <"$work/theirs") frames of $stops stops, $(cat "$work/differ") differ"
	[ "$(wc -l <"$work/theirs")" -ge $((stops * 3)) ] && [ $(($(cat "$work/differ") * 2000)) -le "$(wc -l <"$work/theirs")" ]
	told $? "$title: the frames are those of $peer" <(diff "$work/ours" "$work/theirs" | head -20)
	# Names: of the functions that both name, without what the compiler has added.
	paste -d' ' "$work/ours" "$work/theirs" 2>/dev/null | awk '$1 == $3 && $2 != "??" && $4 != "??" {
		n++; a = $2; b = $4; sub(/[.@(].*|_impl$/, "", a); sub(/[.@(].*|_impl$/, "", b)
		# Of several names of one address each takes what it likes best.
		sub(/^(__GI_|__libc_|__|_IO_|_)+/, "", a); sub(/^(__GI_|__libc_|__|_IO_|_)+/, "", b)
		sub(/^memmove_/, "memcpy_", a); sub(/^memmove_/, "memcpy_", b)
		if (a != b && $2 !~ /\+0x/) { differ++; print $2, $4 } }
		END { exit !(n > 0 && differ * (n > 200 ? 2000 : 20) <= n) }' >"$work/names"
	told $? "$title: and their names, as $peer has them, too" "$work/names"
}

# has_computed PID: whether it has for a tenth of a second, so that it is past its start.
has_computed() {
	local stat field
	stat=$(<"/proc/$1/stat")
	read -ra field <<<"${stat##*) }"
	[ $((field[11] + field[12])) -ge 10 ]
}

# compare TITLE STOPS COMMAND...: it stops so often for eu-stack, and some times for gdb, which takes a second each time.
compare() {
	local title=$1 stops=$2 pid
	shift 2
	"$@" >/dev/null 2>&1 &
	pid=$!
	also_kill "$pid"
	wait_until 20 has_computed "$pid"
	stops_of elfutils "$pid" "$stops"
	judge "$title" eu-stack "$stops"
	if command -v gdb >/dev/null; then
		stops_of gdb "$pid" 4
		judge "$title" gdb 4
	else
		skip "gdb is not installed" "$title: the frames are those of gdb"
	fi
	kill "$pid"
}

compare "a program of many shapes" 60 "$top_builddir/tests/workloads/bin/mixed"
compare "realigned stacks" 30 "$top_builddir/tests/workloads/bin/realign"
compare "python3" 60 /usr/bin/python3 -c 'import re, json
def f(n):
    return n if n == 0 else f(n - 1) + len(re.sub("a+", "b", "caaat" * 20)) + len(json.dumps([n] * 50))
while True: f(30)'
compare "perl" 60 perl -e 'sub f { my $n = shift; return $n ? f($n - 1) + length(join(",", sort map { $_ * 7 % 13 } 1 .. 50)) : 0 } f(20) while 1'
finish
