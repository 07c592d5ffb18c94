#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# alloc_truth.sh - memory by allocation: every function of malloc(3), of every allocator, exact to the byte where each block is told,
# and within the error that is said where they are sampled.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
blocks=$WORKLOADS/blocks
cd "$SCRATCH" || exit 1

# The sites of blocks.c in a recording against what the program said, each with what is off; the last line: how many are right.
cat >judge.py <<'END'
import json, subprocess, sys
def of(metric):
    text = subprocess.run([sys.argv[1], "report", "-i", "run.data", "--metric", metric, "--format", "json"],
                          capture_output=True, text=True, check=True).stdout
    value = metric.replace("-", "_") + "_bytes"
    doc = json.loads(text)
    return {n["name"]: n.get(value, 0) for n in doc["functions"]}
allocated, in_use = of("allocated"), of("in-use")
right = n = 0
for line in open("said"):
    site, total, left = line.split()
    got = allocated.get(site, 0), in_use.get(site, 0)
    n += 1
    right += got == (int(total), int(left))
    if got != (int(total), int(left)):
        print(f"# {site}: {got} for {total} {left}")
print(right, "of", n)
END

# NAME PROGRAM...: all sites of PROGRAM are exact.
exact() {
	local name=$1
	shift
	"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 1 --budget none --ring-size 64M -o run.data -- "$@" 500 500 \
		>said 2>err
	equal "$name, status" 0 $?
	equal "$name: nothing was lost" "" "$(grep -o 'lost [1-9].*' err)"
	"$python" judge.py "$SBERF" >judged
	note "$(grep '^#' judged)"
	equal "$name: all sites are exact" "$(wc -l <said) of $(wc -l <said)" "$(tail -n 1 judged)"
}

exact glibc "$blocks"
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
	path=$(ldconfig -p | awk -v lib="$library" '$1 == lib { print $NF; exit }')
	if [ -z "$path" ]; then
		skip "$library is not installed"
		continue
	fi
	# jemalloc has no pvalloc(), and cannot free what that of libc returns; that of tcmalloc jumps to memalign().
	exact "$library" env LD_PRELOAD="$path" "$WORKLOADS/blocks_plain"
done
exact "linked statically" "$WORKLOADS/blocks_static"
exact musl "$WORKLOADS/blocks_musl"

# Where blocks are sampled, sums are right within what is to be expected: of 11 sites none is off by four standard errors.
"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 4K --budget none -o run.data -- "$WORKLOADS/blocks_plain" 20000 300 >said 2>err
equal "sampled, status" 0 $?
cat >sampled.py <<'END'
import json, math, subprocess, sys
text = subprocess.run([sys.argv[1], "report", "-i", "run.data", "--metric", "allocated", "--format", "json"],
                      capture_output=True, text=True, check=True).stdout
got = {n["name"]: n.get("allocated_bytes", 0) for n in json.loads(text)["functions"]}
for line in open("said"):
    site, total, left = line.split()
    error = math.sqrt(int(total) * 4096)
    print("off" if abs(got.get(site, 0) - int(total)) > 4 * error else "fine", site, got.get(site, 0), total, round(error))
END
"$python" sampled.py "$SBERF" >judged
note "$(cat judged)"
equal "sampled: sums are as told, within their errors" 11 "$(grep -c ^fine judged)"
finish
