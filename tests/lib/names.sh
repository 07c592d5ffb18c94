#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# names.sh - `sberf symbolize`, which asks libsberf, beside addr2line and nm: inlined calls, files and lines; and what it says of wrong
# arguments.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

file=$SBERF
if ! type -P addr2line >/dev/null; then
	skip_all "addr2line is not installed"
fi

# Places all over a large program of C, its inlined calls included.
check "20,000 places of sberf itself are named as addr2line names them" \
	python3 "$top_srcdir/tests/lib/names.py" "$SBERF" "$file" 20000

main=$(nm "$file" | awk '$3 == "main" { print $1 }')
matches "main has its file" "^0x0*${main#"${main%%[!0]*}"}: main at .*/src/main\.c:[0-9]+$" "$("$SBERF" symbolize -e "$file" "$main")"
matches "0x may stand before an address" ": main at " "$("$SBERF" symbolize -e "$file" "0x$main")"
matches "without inlined calls there are no lines" ": main\+0x0 in " "$("$SBERF" symbolize --no-inline -e "$file" "$main")"
matches "JSON has the build-id and the function" '"build_id":"[0-9a-f]{40}".*"name":"main","inlined":false' \
	"$("$SBERF" symbolize --format json -e "$file" "$main")"
equal "addresses are read from standard input, a line or a blank apart" 3 \
	"$(printf '%s %s\n%s\n' "$main" "$main" "$main" | "$SBERF" symbolize -e "$file" | grep -c ': main at')"

# A process: its file, its library, its vDSO, the kernel.
sleep 60 &
also_kill $!
pid=$!
wait_until 5 test "$(readlink "/proc/$pid/exe")" != "$(readlink /proc/$$/exe)"
read -r start pgoff < <(awk '$2 ~ /x/ && /libc\.so/ { split($1, a, "-"); print a[1], $3; exit }' "/proc/$pid/maps")
libc=$(awk '/libc\.so/ { print $6; exit }' "/proc/$pid/maps")
value=$(nm -D "$libc" | awk '$3 ~ /^nanosleep@/ { print $1 }')
at=$(printf '%x' $((0x$start - 0x$pgoff + 0x$value)))
matches "a function of a process's library" ": nanosleep(\+0x0 in .*libc\.so| at .*nanosleep)" "$("$SBERF" symbolize -p "$pid" "$at")"
vdso=$(awk '/\[vdso\]/ { split($1, a, "-"); print a[1] }' "/proc/$pid/maps")
matches "its vDSO is JSON's module" '"address":"0x' "$("$SBERF" symbolize -p "$pid" --format json "$vdso")"
kernel=$(awk '$3 == "schedule" { print $1 }' /proc/kallsyms)
if [ "${kernel//0/}" ]; then
	matches "a function of the kernel" ": schedule\+0x0$" "$("$SBERF" symbolize "$kernel")"
	matches "with a process, too" ": schedule\+0x0$" "$("$SBERF" symbolize -p "$pid" "$kernel")"
fi
matches "nothing is mapped at 10" '\?\? \(nothing is mapped there\)' "$("$SBERF" symbolize -p "$pid" 10)"

# By a build-id, below a folder of debug files.
id=$(readelf -n "$file" | awk '/Build ID/ { print $3 }')
mkdir -p "$SCRATCH/.build-id/${id:0:2}"
cp "$file" "$SCRATCH/.build-id/${id:0:2}/${id:2}.debug"
matches "a file by its build-id" ": main at " "$("$SBERF" symbolize --symfs "$SCRATCH" "$id" "$main")"
objcopy --only-keep-debug "$file" "$SCRATCH/.build-id/${id:0:2}/${id:2}.debug"
matches "and by a debug file that has it, without code" ": main at .*/src/main\.c:[0-9]+$" "$("$SBERF" symbolize --symfs "$SCRATCH" "$id" "$main")"

# A service that has the file, and a process of it that has lost its symbols.
strip -o "$SCRATCH/stripped" "$file"
"$SBERF" symbolize --symfs "$SCRATCH" --serve "$SCRATCH/socket" 2>"$SCRATCH/served" &
also_kill $!
service=$!
wait_until 5 test -S "$SCRATCH/socket"
matches "without it a stripped file has no name" "\?\?|\+0x" "$("$SBERF" symbolize -e "$SCRATCH/stripped" "$main")"
matches "a service knows it" ": main at .*/src/main\.c:[0-9]+$" "$("$SBERF" symbolize --remote "$SCRATCH/socket" -e "$SCRATCH/stripped" "$main")"
inlined=$("$SBERF" symbolize -e "$file" < <(nm "$file" | awk '$2 == "t" { print $1 }' | sed -n '1~40p') | grep -B1 '^ (inlined' | head -1 |
	cut -d: -f1)
equal "with inlined calls" "$("$SBERF" symbolize -e "$file" "$inlined" | sed 's/ at .*//')" \
	"$("$SBERF" symbolize --remote "$SCRATCH/socket" -e "$SCRATCH/stripped" "$inlined" | sed 's/ at .*//')"
equal "its socket is for the user and his group" srw-rw---- "$(stat -c %A "$SCRATCH/socket")"
post() {
	printf '%b' "$1" | timeout 10 python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read()); s.shutdown(socket.SHUT_WR)
print(s.recv(100).decode().split("\r")[0])' "$SCRATCH/socket"
}
equal "another path" "HTTP/1.1 404 Not Found" "$(post 'POST /x HTTP/1.1\r\n\r\n')"
equal "another method" "HTTP/1.1 405 Method Not Allowed" "$(post 'GET /symbolize HTTP/1.1\r\n\r\n')"
equal "no HTTP" "HTTP/1.1 400 Bad Request" "$(post 'hello\r\n\r\n')"
equal "a line that is none" "HTTP/1.1 400 Bad Request" "$(post 'POST /symbolize HTTP/1.1\r\nContent-Length: 4\r\n\r\nxyz\n')"
equal "a body that is too large" "HTTP/1.1 413 Content Too Large" "$(post 'POST /symbolize HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n')"
equal "two lengths" "HTTP/1.1 400 Bad Request" \
	"$(post 'POST /symbolize HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nxyz\n')"
equal "a build-id of nobody has no names" "HTTP/1.1 200 OK" "$(post 'POST /symbolize HTTP/1.1\r\nContent-Length: 6\r\n\r\nabcd 1')"
kill "$service" && wait "$service"
equal "it ends well when it is interrupted" 0 $?
matches "and says what it did" "[3-9] requests answered, 6 refused" "$(cat "$SCRATCH/served")"
[ ! -e "$SCRATCH/socket" ]
result $? "and removes its socket"
mkdir -p "$SCRATCH/programs/of/ours"
cp "$file" "$SCRATCH/programs/of/ours/program"
ln -s / "$SCRATCH/programs/everything"
"$SBERF" symbolize --serve "$SCRATCH/socket" "$SCRATCH/programs" 2>"$SCRATCH/served" &
also_kill $!
service=$!
wait_until 5 test -S "$SCRATCH/socket"
matches "a service that has a folder" ": main at .*/src/main\.c:[0-9]+$" \
	"$("$SBERF" symbolize --remote "$SCRATCH/socket" -e "$SCRATCH/stripped" "$main")"
kill "$service" && wait "$service"
matches "which has one program, links are not followed" "symbolize: 1 file with a build-id" "$(cat "$SCRATCH/served")"
matches "nobody who answers is no error" "\?\?|\+0x" "$("$SBERF" symbolize --remote "$SCRATCH/socket" -e "$SCRATCH/stripped" "$main")"

fails() {
	local title=$1 want=$2 out
	shift 2
	out=$("$SBERF" symbolize "$@" 2>&1 </dev/null) && note "it succeeded"
	matches "$title" "^sberf symbolize: .*$want" "$out"
}
fails "a service that is none" "'nowhere' is no service of names" --remote nowhere -e "$file" 1
fails "a socket in a folder that is not there" "cannot listen at /nonexistent/s" --serve /nonexistent/s
fails "serving a folder that is not there" "cannot read /nonexistent" --serve "$SCRATCH/s2" /nonexistent
fails "serving and asking" "takes no -p and -e" --serve "$SCRATCH/s2" -e "$file" 1
fails "an address that is none" "'xyz' is no address" -e "$file" xyz
fails "one that is too long" "is no address" -e "$file" 11112222333344445
fails "a file that is not there" "/nonexistent: No such file" -e /nonexistent 1
fails "a file that is none of code" "/etc/passwd|ELF" -e /etc/passwd 1
fails "a process that is not there" "there is no process" -p 4194304 1
fails "a process and a file" "give one" -p "$pid" -e "$file" 1
fails "a build-id of nobody" "no file with the build-id" 00112233445566778899aabbccddeeff00112233 1
out=$(printf 'nonsense\n%s\n' "$main" | "$SBERF" symbolize -e "$file" 2>"$SCRATCH/err")
status=$?
matches "of wrong addresses in the input the others go on" ": main at " "$out"
equal "and the status says so" 1 "$status"
finish
