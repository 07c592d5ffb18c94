#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_faults.sh - page faults: each one of the target, as the kernel counts them, with the address, what is mapped there and the stack.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC: how many hits are in run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get("count", 0))'
}

# Touches 3,000 pages of memory and 100 of a file, which are read from a disk where there is one, and says where they are.
cat >touch.py <<'END'
import ctypes, mmap, os, resource, sys
PAGES, FILE_PAGES, PAGE = 3000, 100, mmap.PAGESIZE
memory = mmap.mmap(-1, PAGES * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
with open("touched", "wb") as f:
    f.write(os.urandom(FILE_PAGES * PAGE))
    f.flush()
    os.fsync(f.fileno())
fd = os.open("touched", os.O_RDWR)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
filed = mmap.mmap(fd, FILE_PAGES * PAGE)
filed.madvise(mmap.MADV_RANDOM)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
file_at = ctypes.addressof(ctypes.c_char.from_buffer(filed))
before = resource.getrusage(resource.RUSAGE_SELF)
for i in range(PAGES):
    memory[i * PAGE] = 1
total = 0
for i in range(FILE_PAGES):
    total += filed[i * PAGE]
after = resource.getrusage(resource.RUSAGE_SELF)
print(at, at + PAGES * PAGE, file_at, file_at + FILE_PAGES * PAGE, after.ru_minflt, after.ru_majflt,
      after.ru_majflt - before.ru_majflt, file=sys.stderr, flush=True)
# Until somebody opens the pipe its memory can be asked about.
if len(sys.argv) > 1:
    open(sys.argv[1])
os._exit(0)
END

mkfifo go
"$SBERF" trace --format json --probe fault -- "$python" touch.py go >lines 2>err &
tracer=$!
named() {
	[ "$(grep -c '/touched"' lines)" = 100 ]
}
wait_until 30 named
timeout 20 bash -c ': >go'
wait $tracer
equal "traced, status" 0 $?
note "$(cat err)"
equal "nothing was lost" "" "$(grep lost err)"
note "$(head -n 3 lines)"
cat >judge.py <<'END'
import collections, json
line = [l for l in open("err") if l.split()[0].isdigit()][0]
at, end, file_at, file_end, minor, major, _ = map(int, line.split())
rows = [json.loads(l) for l in open("lines")]
faults = [(int(r["args"]["address"], 16), r["args"].get("mapped")) for r in rows if "args" in r]
mine = collections.Counter(w for a, w in faults if at <= a < end)
filed = collections.Counter(w for a, w in faults if file_at <= a < file_end)
pages = len({a // 4096 for a, w in faults if at <= a < end})
print("memory", sum(mine.values()), pages)
print("anon", mine["anon"])
# Others were mapped there before.
print("file", sum(n for w, n in filed.items() if w and w.endswith("/touched")))
print("kinds", sorted({w for a, w in faults if w in ("heap", "stack")}))
print("all", len(faults), minor + major)
END
python3 judge.py >judged
note "$(cat judged)"
equal "each page of the memory has one fault" "memory 3000 3000" "$(grep memory judged)"
at_least "most by what is mapped there" 2990 "$(awk '$1 == "anon" { print $2 }' judged)"
equal "those of the file, by its name" "file 100" "$(grep '^file' judged)"
equal "heap and stack have names" "kinds ['heap', 'stack']" "$(grep kinds judged)"
# Its exec is the first of them that the kernel counts for it; what follows the last look is its end.
read -r _ all counted < <(grep '^all' judged)
between "all, percent of what the kernel has counted" 97 103 $((100 * all / counted))

# A program that is gone before its lines are written: what was mapped is known from the fault itself, but on old kernels.
"$SBERF" trace --probe fault -- true >lines 2>err
faults=$(grep -c 'true/.* fault(' lines)
at_least "faults of a short program" 20 "$faults"
if [ "$(uname -r | awk -F . '{ print ($1 * 100 + $2 >= 517) }')" = 1 ]; then
	at_least "most with what is mapped there" $((faults * 95 / 100)) "$(grep -c 'true/.* fault(0x[0-9a-f]*, [^)]' lines)"
	matches "its libraries among them" 'fault\(0x[0-9a-f]+, ([^ ]*/)?libc\.so' "$(grep libc lines)"
fi
note "$(tail -n 3 lines)"

# In a recording, each with its stack; conditions by address; major ones.
record run.data --ring-size 64M --probe fault --probe fault:major --probe 'fault /address < 4K/' -- "$python" touch.py
equal "recorded, status" 0 $?
note "$(cat run.data.err)"
lost=$(($(value run.data lost_ring_full) + $(value run.data lost_nested)))
read -r _ _ _ _ minor major touched < <(grep '^[0-9]* [0-9]* [0-9]*' run.data.err)
between "faults, percent of what the kernel has counted" 97 103 $((100 * ($(of fault) + lost) / (minor + major)))
if [ "$touched" -gt 0 ]; then
	between "major ones" "$touched" $((major + 10)) "$(of fault:major)"
else
	skip "this file system has no disk" "major ones"
fi
equal "a condition by address" 0 "$(of 'fault /address < 4K/')"
"$SBERF" report -i run.data --metric fault --format folded --no-inline >folded
at_least "percent with the whole stack" 90 "$(share folded '^python3[^;]*;(_start;.*|[^;]*_dl_.*|.*)[^ ]')"
at_least "percent from the start of the program" 50 "$(share folded '^python3[^;]*;_start;([^;]*__libc_start[^;]*;)+')"
note "$(sort -t ' ' -k 2 folded | tail -n 1 | cut -c1-300)"
finish
