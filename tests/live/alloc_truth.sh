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

judge=$top_srcdir/tests/live/alloc_judge.py
# NAME PROGRAM...: all sites of PROGRAM are exact. $more: further options of sberf. Where sberf gets no CPU for long its rings overflow, which
# it says: then once more.
more=()
exact() {
	local name=$1 try
	shift
	for try in 1 2 3; do
		"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 1 --budget none --ring-size 64M "${more[@]}" -o run.data -- \
			"$@" 500 500 >said 2>err
		equal "$name, status" 0 $?
		[ $try -lt 3 ] && grep -q 'lost [1-9]' err || break
		note "$name: $(grep -o 'lost [1-9].*' err)"
	done
	equal "$name: nothing was lost" "" "$(grep -o 'lost [1-9].*' err)"
	"$python" "$judge" "$SBERF" 1 >judged
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
# What was in use when most was, and what was temporary; in a signal handler; beside a child that frees what it inherited and executes.
exact "peak and temporary" "$WORKLOADS/peaks"
exact "in one arena" env MALLOC_ARENA_MAX=1 "$WORKLOADS/peaks"
exact "linked statically" "$WORKLOADS/blocks_static"
exact musl "$WORKLOADS/blocks_musl"

exact "a library that is loaded later, and vfork" "$WORKLOADS/late_allocs"
# The kernel says of a process that begins a setuid program that it had ended.
cp "$WORKLOADS/blocks_plain" setuid && chown 65534 setuid && chmod u+s setuid
# shellcheck disable=SC2016  # that shell's
exact "a setuid program that a shell executes" sh -c './setuid "$@"' sh
# The child has what was placed in its parent, and so has what it executes, where that is mapped then.
exact "a process that is forked, and executes" "$WORKLOADS/forked_allocs"
if [ -s "$WORKLOADS/goallocs" ]; then
	exact Go "$WORKLOADS/goallocs"
	matches "Go: what is in use is not known" 'Blocks were not followed since' "$("$SBERF" report -i run.data --format memory)"
	# Without symbols a site is a place. It is the sum that is known.
	if command -v strip >/dev/null; then
		strip -o gostripped "$WORKLOADS/goallocs"
		"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 1 --budget none --ring-size 64M -o run.data -- \
			./gostripped 500 500 >said 2>err
		"$SBERF" report -i run.data --metric allocated --format json |
			"$python" -c 'import json, sys; print(*(f.get("allocated_bytes", 0) for f in json.load(sys.stdin)["functions"]))' >sums
		for sum in $(awk '{ print $2 }' said); do
			matches "Go, stripped: a place has allocated $sum bytes" "(^| )$sum( |\$)" "$(cat sums)"
		done
	else
		skip "strip is not installed"
	fi
else
	skip "goallocs could not be built on this machine"
fi

# Operators of C++: those that forward to malloc(), and those that do not.
if command -v "${CXX:-g++}" >/dev/null; then
	"${CXX:-g++}" -std=c++17 -fsized-deallocation -g -O1 -o operators "$top_srcdir/tests/live/operators.cc"
	exact "C++ on glibc" ./operators
	for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		path=$(ldconfig -p | awk -v lib="$library" '$1 == lib { print $NF; exit }')
		[ -z "$path" ] || exact "C++ on $library" env LD_PRELOAD="$path" ./operators
	done
else
	skip "no C++ compiler" "operators of C++"
fi

# Where blocks are sampled, sums are right within what is to be expected: of 11 sites none is off by four standard errors.
"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 4K --budget none -o run.data -- "$WORKLOADS/blocks_plain" 20000 300 >said 2>err
equal "sampled, status" 0 $?
"$python" "$judge" "$SBERF" 4096 >judged
note "$(cat judged)"
equal "sampled: sums are as told, within their errors" "11 of 11" "$(tail -n 1 judged)"

# What a program has of its own is named, and then its blocks count, and not the chunks that it has from malloc().
more=(--allocator pools:pool_alloc=malloc --allocator pools:pool_free=free)
exact "an allocator of its own" "$WORKLOADS/pools"
equal "chunks do not count beside its blocks" 200000 \
	"$("$SBERF" report -i run.data --metric allocated --format folded | awk '{ n += $NF } END { print n }')"
# Its blocks are of 100 and of 300 bytes.
for size in 64:50000 256:150000 64-256:200000 512-:0; do
	equal "of the sizes ${size%:*}, in bytes" "${size#*:}" "$("$SBERF" report -i run.data --metric allocated --size "${size%:*}" \
		--format folded 2>err | awk '{ n += $NF } END { print n + 0 }')"
done
matches "that there are none is said" "no memory of size 512- is counted" "$(cat err)"
# Two recordings: 500 blocks of each site, and 900. Of the second site every other block is freed.
cp run.data before.data
"$SBERF" record --no-off-cpu --memory allocs --sample-bytes 1 --budget none --ring-size 64M "${more[@]}" -o after.data -- "$WORKLOADS/pools" 900 500 \
	>/dev/null 2>err
"$SBERF" diff --format memory before.data after.data >differs 2>err
equal "a difference of memory, status and sentences" "0 " "$? $(cat err)"
# figures TITLE: the rows of the histogram TITLE of each site, all sites first.
figures() {
	awk -v title="$1" '/^  [a-z]/ { on = index($0, "  " title) == 1; next } /^      / && on { print $(NF - 2), $(NF - 1), $NF } !/^ / { on = 0 }' differs |
		xargs
}
equal "blocks by size: of all, and of both sites" "500 900 +400 0 0 · 500 900 +400 500 900 +400 500 900 +400" "$(figures 'blocks allocated, by size')"
# How old blocks are depends on the machine: their sums do not, of all sites and of each.
sums() {
	awk -v title="$1" '/^[^ ]/ && on { print a, b } /^[^ ]/ { on = a = b = 0 } /^  [a-z]/ { in_it = index($0, "  " title) == 1; on += in_it; next }
		/^      / && in_it { gsub(",", ""); a += $(NF - 2); b += $(NF - 1) } END { if (on) print a, b }' differs | sort | xargs
}
equal "blocks in use, by age: their sums" "250 450 500 900 750 1350" "$(sums 'blocks in use, by age')"
equal "blocks freed, by the age that they had" "250 450 250 450" "$(sums 'blocks freed, by their age')"
equal "what differs most is first" "in use 73 KB before, 132 KB after; in use 49 KB before, 88 KB after" \
	"$(grep '^  in use .* before' differs | sed 's/^ *//' | paste -sd ';' | sed 's/;/; /')"
# One whose arguments are in another order than those of malloc(3).
more=()
for own in 'alloc=malloc(arg1)' 'table=calloc(arg2,arg1)' 'resize=realloc(arg4,arg5)' 'get=posix_memalign(arg3,arg1,arg0)' 'free=free(arg2)'; do
	more+=(--allocator "arenas:arena_$own")
done
exact "arguments in another order" "$WORKLOADS/arenas"
more=()
"$WORKLOADS/pools" 1 3000 >/dev/null &
also_kill $!
"$SBERF" record --memory=allocs --allocator pools:pool_get=malloc -o none.data -p $! 2>err
matches "one that is not there is named" "no function 'pool_get' .* in 'pools' of the target" "$(cat err)"
"$SBERF" record --memory=allocs --allocator pools:pool_get=get -o none.data -p $! 2>err
matches "what it is to be like must be known" "is no function of malloc" "$(cat err)"
while IFS='|' read -r like want; do
	"$SBERF" record --memory=allocs --allocator "pools:pool_alloc=$like" -o none.data -p $! 2>err
	matches "$like is refused" "$want" "$(cat err)"
done <<'EOF'
malloc(arg6)|from arg0 to arg5, and 'malloc[(]arg6[)]' is not
malloc(size)|from arg0 to arg5, and 'malloc[(]size[)]' is not
malloc(arg1|from arg0 to arg5, and 'malloc[(]arg1' is not
malloc()|from arg0 to arg5, and 'malloc[(][)]' is not
calloc(arg1)|'calloc[(]arg1[)]' in an allocator names 1 argument, and for calloc it must be 2
free(arg0,arg1)|'free[(]arg0,arg1[)]' in an allocator names 2 arguments, and for free it must be 1
realloc(arg1,arg1)|'realloc[(]arg1,arg1[)]' in an allocator names arg1 twice
EOF
"$SBERF" record --memory=allocs --allocator pool_get -o none.data -p $! 2>err
matches "and how it is written" "is written FILE:FUNCTION=malloc" "$(cat err)"
finish
