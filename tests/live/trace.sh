#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# trace.sh - a line for each system call: all of them, in order, with arguments, strings, files and stacks; sums as those of strace -c.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
# A program, not a script that looks for one: pipes between shells make the number of its reads a matter of luck.
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# What a program does is known: 5,000 reads and writes of a byte.
"$SBERF" trace --probe 'sys:%file' --probe 'sys:read' --probe 'sys:write' --probe 'sys:exit_group' -s -- \
	dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none >lines 2>err
equal "a command, status" 0 $?
note "$(cat err)"
note "$(head -n 12 lines; tail -n 12 lines)"
between "reads" 5000 5010 "$(grep -c ' read(0</dev/zero>, "\\x00", 1) = 1$' lines)"
equal "writes" 5000 "$(grep -c ' write(1</dev/null>, "\\x00", 1) = 1$' lines)"
matches "the program it executed" ' execve\("/[a-z/]*/dd", 0x[0-9a-f]+, 0x[0-9a-f]+\) = 0' "$(grep execve lines)"
matches "what it opened, by name and flags" ' openat\(AT_FDCWD, "/dev/zero", O_RDONLY\) = [0-9]+</dev/zero>' "$(grep /dev/zero lines)"
matches "a library" 'openat\(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY\|O_CLOEXEC\) = [0-9]+</etc/ld.so.cache>' "$(grep ld.so.cache lines)"
matches "time, thread, CPU and latency" '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6} dd/[0-9]+ +[0-9]+ +[0-9.]+ [nm]?u?s  ' "$(grep read lines | tail -n 3)"
equal "in order of time" "" "$(grep '^[0-2]' lines | cut -c1-15 | sort -c 2>&1)"
matches "the last call does not return" ' exit_group\(0\) = \?$' "$(grep ' dd/' lines | tail -n 1)"
matches "the sum of the reads" '^ +50[01][0-9] +0 .* read$' "$(grep '  read$' lines)"
equal "nothing was lost" "" "$(grep lost err)"

# Errors, hostile names, and names that are not in memory when the call begins: all as JSON.
cat >odd.py <<'END'
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
with open("name", "wb") as f:
    f.write(b"/no/such/\x1b[2J\n\xff" + b"x" * 300 + b"\0")
with open("later", "wb") as f:
    f.write(b"/no/such/later\0")
memory = mmap.mmap(os.open("later", os.O_RDWR), 0)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
libc.access(ctypes.c_void_p(at), 0)
text = open("name", "rb").read()
libc.access(text, 4)
libc.access(ctypes.c_void_p(16), 1)
a = os.open("/etc/passwd", os.O_RDONLY)
b = os.dup(a)
os.close(a)
os.pread(b, 5, 0)
os.close(b)
END
"$SBERF" trace --format json --probe 'sys:access' --probe 'sys:openat' --probe 'sys:dup*' --probe 'sys:close' --probe 'sys:pread64' -- \
	"$python" odd.py >odd.json 2>err
equal "odd names, status" 0 $?
note "$(grep access odd.json | tail -n 3; grep passwd odd.json; tail -n 4 odd.json)"
cat >judge.py <<'END'
import json, sys
rows = [json.loads(l) for l in open("odd.json")]
def of(call, **args):
    return [r for r in rows if r.get("call") == call and all(r["args"].get(k) == v for k, v in args.items())]
times = [r["time_ns"] for r in rows]
later = of("access", pathname="/no/such/later")
hostile = [r for r in of("access", mode="R_OK") if (r["args"]["pathname"] or "").startswith("/no/such/\ufffd[2J")]
nowhere = of("access", mode="X_OK", pathname=None)
opened = of("openat", pathname="/etc/passwd")
read = of("pread64", buf="root:")
print("in-order", times == sorted(times))
print("read-at-return", len(later), [r["error"] for r in later])
print("hostile", len(hostile), [r["args"].get("pathname_cut") for r in hostile], "\x1b" in open("odd.json").read())
print("nowhere", [(r["args"]["pathname"], r["error"]) for r in nowhere])
print("opened", [r["result_path"] for r in opened], [r["args"]["dirfd"] for r in opened])
print("read", [(r["args"]["fd_path"], r["result"]) for r in read])
END
python3 judge.py >judged
equal "in order" "in-order True" "$(grep in-order judged)"
equal "a name that is read from a disk first" "read-at-return 1 ['ENOENT']" "$(grep read-at-return judged)"
equal "a hostile name is cut, and does no harm" "hostile 1 [True] False" "$(grep hostile judged)"
equal "a name that is nowhere" "nowhere [(None, 'EFAULT')]" "$(grep nowhere judged)"
equal "what was opened" "opened ['/etc/passwd'] [-100]" "$(grep opened judged)"
equal "a second descriptor of the same file" "read [('/etc/passwd', 5)]" "$(grep '^read ' judged)"

# Stacks: of a call by the C library, complete up to the program.
"$SBERF" trace -k --probe sys:write -- dd if=/dev/zero of=/dev/null bs=1 count=200 status=none >stacks 2>err
equal "with stacks, status" 0 $?
note "$(head -n 9 stacks)"
equal "each has its call innermost" 200 "$(grep -A1 ' write(1' stacks | grep -cE '^        (__GI___libc_)?_*write \(libc')"
between "each is whole" 195 200 "$(grep -c '^        __libc_start_main' stacks)"

# It ends as it is asked to: by a signal, with sums; by whoever reads; with its target.
dd if=/dev/zero of=/dev/null bs=1 status=none &
busy=$!
also_kill $busy
# Where a CPU is hard to get, its start alone takes seconds.
for seconds in 2 15; do
	timeout -s INT $seconds "$SBERF" trace -S -p $busy --probe sys:read >sums 2>err
	status=$?
	[ ! -s sums ] || break
done
equal "SIGINT, status" 124 $status
matches "sums at a signal" ' read$' "$(cat sums)"
equal "only sums" 2 "$(wc -l <sums)"
"$SBERF" trace -p $busy --probe sys:read 2>err | head -n 3 >few
equal "the reader ends, status of both" "0 0" "${PIPESTATUS[*]}"
equal "and has its lines" 3 "$(grep -c 'read(0' few)"
equal "quietly" "" "$(grep -v -e lost -e missing -e "probes placed" err)"
kill -KILL $busy
wait $busy 2>/dev/null

# A recording has some hits by themselves, chosen by chance, and sums of all.
record hits.data --probe sys:read -- dd if=/dev/zero of=/dev/null bs=1 count=300 status=none
"$SBERF" trace -i hits.data -s >recorded 2>err
equal "a recording, status" 0 $?
between "those that its lines stand for" 150 450 "$(awk '/ dd\/.* read\(0, / { n += match($0, /\(one of [0-9]+/) ? substr($0, RSTART + 8) + 0 : 1 }
	END { print n + 0 }' recorded)"
# With stacks there are those that were told with one; those that the kernel has added up are one line, with their number.
"$SBERF" trace -i hits.data -k >stacks 2>err
between "its hits" 300 310 "$(awk '/ dd\/.* sys:read($|  \()/ { n += match($0, /\([0-9]+ alike/) ? substr($0, RSTART + 1) + 0 : 1 }
	END { print n + 0 }' stacks)"
matches "their sums" ' 30[0-9] .* sys:read$' "$(tail -n 1 recorded)"
equal "in order, too" "" "$(grep '^[0-2]' recorded | cut -c1-15 | sort -c 2>&1)"

# The same program has as many calls for strace, which stops it at each.
strace_sums() {
	strace -f -c -o "$1" "${@:2}" >/dev/null 2>&1 &&
		awk '$1 ~ /^[0-9.]+$/ && NF >= 5 && $NF != "total" { print $NF, $4, (NF > 5 ? $5 : 0) }' "$1" | sort
}
sberf_sums() {
	"$SBERF" trace -S --format json -o "$1" -- "${@:2}" >/dev/null 2>"$1.err" || note "$(cat "$1.err")"
	python3 -c 'import json, sys
for l in open(sys.argv[1]):
    r = json.loads(l)
    if "sum" in r: print(r["sum"], r["calls"], r["errors"])' "$1" | sort
}
# sums_agree PROGRAM ARGS...
sums_agree() {
	sberf_sums sberf.sums "$@" >ours
	strace_sums strace.sums "$@" >theirs
	note "$(diff ours theirs)"
	equal "${1##*/}: sums are those of strace" "$(cat theirs)" "$(cat ours)"
}
if command -v strace >/dev/null && strace -c true 2>/dev/null; then
	sums_agree dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
	sums_agree "$python" -S -c "import os; os.listdir('/')"
	sums_agree sh -c "cat /etc/passwd /no/such; true"
else
	skip "sums are those of strace" "strace is not installed, or may not trace"
fi
finish
