#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# pprof.sh - what Go's pprof and protoc read in --format pprof.
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
command -v go >/dev/null || skip_all "go is not installed"
cd "$SCRATCH" || exit 99

# round TITLE FILE VALUE METRIC ARGS...: VALUE of pprof is --metric METRIC of folded, for each function.
round() {
	local title=$1 file=$2 value=$3 metric=$4
	shift 4
	"$sberf" report --format folded --metric "$metric" "$@" "$file" | folded_functions >want
	"$sberf" report --format pprof "$@" -o got.pb.gz "$file" && top_functions "$value" got.pb.gz >got
	same_functions "$title: $value" want got
}

for file in "${recordings[@]}"; do
	name=${file##*/}
	round "$name" "$file" cpu on-cpu
	round "$name --no-inline --no-kernel" "$file" cpu on-cpu --no-inline --no-kernel
	case $name in
	v1_*)
		round "$name" "$file" blocked blocked
		round "$name" "$file" runnable runnable
		round "$name --node 1" "$file" blocked blocked --node 1
		round "$name --thread *3" "$file" cpu on-cpu --thread '*3'
		round "$name --hide-idle" "$file" blocked blocked --hide-idle
		round "$name --focus" "$file" cpu on-cpu --focus 'fn80_[13]'
		round "$name --ignore" "$file" blocked blocked --ignore 'fn80_3'
		;;
	esac
done

example=$top_srcdir/tests/data/example.sberf
"$sberf" report --format pprof -o example.pb.gz "$example"
raw=$(pprof -raw example.pb.gz)
matches "a module has its path and build-id" "1: 0x[0-9a-f]+/0x[0-9a-f]+/0x0 /bin/x deadbeef" "$raw"
matches "inlined calls come first, with file and line" " M=1 f x.c:7 s=0"$'\n'" +main x.c:12 s=0" "$raw"
matches "the time when it began" "Time: 2023-11-14" "$raw"
matches "what a thread did are labels" "node:\[0\] process:\[x 42\] state:\[running\] thread:\[x 43\]" "$raw"
check "the same bytes again" cmp example.pb.gz <("$sberf" report --format pprof "$example")
check "the extension chooses it" "$sberf" report -o by-name.pb.gz "$example"
check "with the same bytes" cmp example.pb.gz by-name.pb.gz

"$sberf" report --format pprof -o waits.pb.gz "$top_srcdir/tests/data/v1_2.sberf"
tags=$(pprof -tags -sample_index=blocked waits.pb.gz)
matches "node 0 is a label" "node: Total"$'([^\n]|\n [^\n]*|\n)*'": 0"$'\n' "$tags"
matches "states of waits are labels" "interruptible" "$tags"
matches "system calls are labels" "syscall: Total" "$tags"
comments=$(pprof -comments waits.pb.gz)
matches "losses are told" "lost_ring_full: 3" "$comments"
matches "and why stacks were cut" "cut_no_mapping: [1-9]" "$comments"

if command -v protoc >/dev/null; then
	gzip -dc waits.pb.gz >waits.pb
	check "protoc reads it to its end" eval 'protoc --decode_raw <waits.pb >decoded'
	# By the messages of pprof itself where they are installed (golang-github-google-pprof-dev), else by those that it was written with.
	theirs=/usr/share/gocode/src/github.com/google/pprof/proto
	if [ -e $theirs/profile.proto ]; then
		decode=(--decode=perftools.profiles.Profile "--proto_path=$theirs" profile.proto)
	else
		decode=(--decode=pprof.Profile "--proto_path=$top_srcdir" src/export/pprof.proto)
	fi
	check "as the messages that it is made of" eval 'protoc "${decode[@]}" <waits.pb >decoded'
	equal "nothing in it is unknown" "" "$(grep -E '^ *[0-9]+:' decoded)"
	check "each sample has places, values and labels" awk '
		/^sample \{/ { places = values = labels = 0 }
		/^  location_id:/ { places++ } /^  value:/ { values++ } /^  label \{/ { labels++ }
		/^}/ && in_sample { if (!places || values != 5 || labels < 4) exit 1; n++ }
		{ in_sample = /^sample \{/ || (in_sample && !/^}/) }
		END { exit !n }' decoded
else
	for title in "protoc reads it to its end" "as the messages that it is made of" "nothing in it is unknown" \
		"each sample has places, values and labels"; do
		skip "protoc is not installed" "$title"
	done
fi
check "two of them add up" pprof -proto -output=both.pb.gz waits.pb.gz waits.pb.gz

# To a terminal: refused.
check "script is there" command -v script
got=$(script -qec "$sberf report --format pprof $example" /dev/null </dev/null)
matches "a terminal is spared" "pprof is not for reading on a terminal: name a file with -o" "$got"
finish
