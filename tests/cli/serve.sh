#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# serve.sh - `sberf serve` of a recording: who may ask, what is answered, and what is too much (serve.py).
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_1.sberf
cd "$SCRATCH" || exit 99
command -v python3 >/dev/null || skip_all "python3 is not installed"
. "$top_srcdir/tests/export/serving.sh"

# asks TEST...: those of serve.py.
asks() {
	local status title
	while read -r status title; do
		case $status in
		[01]) result "$status" "$title" ;;
		*) note "$status $title" ;;
		esac
	done < <(PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/cli/serve.py" "$address" "$server" "$@" 2>&1; echo "$? $* got to the end")
}

# refused TITLE REGEX ARGS...
refused() {
	local title=$1 regex=$2 out
	shift 2
	out=$("$sberf" serve "$@" 2>&1 </dev/null)
	matches "$title" "$regex" "$out"
}
refused "no target" "say what to observe"
refused "all addresses" "listens at 127.0.0.1 and \[::1\] only" "$data" --listen 0.0.0.0:7007
refused "another address" "listens at 127.0.0.1 and \[::1\] only" "$data" --listen 192.168.1.1:7007
refused "no port" "port" "$data" --listen 127.0.0.1:x
refused "two places" "give one of them" "$data" --listen 0 --socket s
refused "two targets" "give one of them" "$data" -p 1
refused "no prefix" "cannot read the prefix" "$data" --prefix-file nowhere
echo 0123456789abcdef >open
refused "a prefix that all can read" "chmod o-r" "$data" --prefix-file open

"$sberf" report --format folded "$data" >want.all.folded 2>/dev/null
"$sberf" report --format svg "$data" >want.all.svg 2>/dev/null
for range in 0ms-50ms 50ms-100ms 0ms-300ms 100ms-100000ms; do
	"$sberf" report --format folded --time "${range/-/,}" "$data" >"want.$range.folded" 2>/dev/null
done
serves "$data"
equal "it has no capabilities" 0000000000000000 "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$server/status")"
asks rules files bounds
ends TERM
equal "it ends when it is asked to" 0 $?
matches "and says what there was" "[0-9]+ requests answered, [0-9]+ refused" "$(cat serve.err)"
matches "also who was too slow, and who found no room" "[1-9][0-9]* connections dropped as too slow, [1-9][0-9]* for want of room" "$(cat serve.err)"

serves "$data" --socket "$PWD/socket"
equal "only its user may open the socket" 600 "$(stat -c %a socket)"
asks proxied
refused "a socket that is taken" "somebody listens at" "$data" --socket socket
ends INT
equal "it ends" 0 $?
check "the socket is gone" test ! -e socket
finish
