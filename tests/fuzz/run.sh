#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# run.sh SECONDS FOUND PROGRAM... - every fuzz program in turn looks for new inputs for SECONDS seconds; what it finds is kept.
#
# FOUND/NAME/corpus has the inputs that reach what none before them reached: the next run begins with them. FOUND/NAME/faults has
# those that made it fail, each with what was said beside it. A program that failed goes on for the seconds that are left.
# Ends with 1 when one failed; the last line says what was found.
set -u
corpora=$(dirname "$0")/corpus
seconds=${1-} found=${2-}
faults_most=10           # of one program: it hardly comes to anything else then
usage="usage: run.sh SECONDS FOUND PROGRAM..., with SECONDS a number above 0"

die() {
	echo "fuzz: $*" >&2
	exit 2
}

[ $# -ge 3 ] || die "$usage"
shift 2
[[ $seconds =~ ^[1-9][0-9]{0,6}$ ]] || die "$usage"
mkdir -p "$found" || exit 2

# longest NAME: bytes of the longest input that is tried. More bytes take longer and say little more, but files of the corpus are whole.
longest() {
	local most=4096 of_corpus
	case $1 in
	recording) most=3072 ;;
	import | export) most=2048 ;;
	esac
	of_corpus=$(find "$corpora/$1" -type f -printf '%s\n' 2>/dev/null | sort -n | tail -n 1)
	echo $((${of_corpus:-0} > most ? of_corpus : most))
}

# seen LOG KEY: the last figure behind KEY in what libFuzzer said; 0 when it said none.
seen() {
	local n
	n=$(grep -aoE "$2 ?[0-9]+" "$1" | tail -n 1 | grep -oE '[0-9]+$')
	echo "${n:-0}"
}

# at_first LOG: edges that the corpus reached before anything new was tried.
at_first() {
	grep -a -m 1 INITED "$1" | grep -aoE 'cov: [0-9]+' | grep -oE '[0-9]+$' || echo 0
}

# look PROGRAM DIR UNTIL: one run of PROGRAM until the second UNTIL. Fails when it failed.
look() {
	local name=${1##*/fuzz_}
	"$1" -max_total_time=$(($3 - $(date +%s))) -max_len="$(longest "$name")" -rss_limit_mb=2048 -timeout=25 -print_final_stats=1 -print_funcs=0 \
		-artifact_prefix="$2/faults/" "$2/corpus" "$corpora/$name" >"$2/out" 2>"$2/log"
}

# keep DIR: what was said of the newest fault goes beside its input, or stands alone when there is none.
keep() {
	local newest
	newest=$(find "$1/faults" -type f ! -name '*.log' -newer "$1/begun" -print | head -n 1)
	cp "$1/log" "${newest:-$1/faults/without-input-$(date +%s)}.log"
}

# hunt PROGRAM: all the seconds of one program, and a line on it. Adds to runs, faults and failed.
hunt() {
	local name=${1##*/fuzz_} dir=$found/${1##*/fuzz_} until first='' own=0 own_runs=0 inputs begun
	begun=$(date +%s)
	until=$((begun + seconds))
	mkdir -p "$dir/corpus" "$dir/faults" || exit 2
	inputs=$(find "$dir/corpus" -type f | wc -l)
	while :; do
		touch "$dir/begun"
		if look "$1" "$dir" "$until"; then
			rc=0
		else
			rc=$?
			own=$((own + 1))
			keep "$dir"
		fi
		own_runs=$((own_runs + $(seen "$dir/log" '^#')))
		[ -n "$first" ] || first=$(at_first "$dir/log")
		[ "$rc" -ne 0 ] && [ "$own" -lt $faults_most ] && [ "$(date +%s)" -lt "$until" ] || break
	done
	printf '%-18s %10d runs in %4d s, %5d edges, %4d of them new, %4d new inputs, %s\n' "fuzz_$name" "$own_runs" \
		$(($(date +%s) - begun)) "$(seen "$dir/log" 'cov:')" $(($(seen "$dir/log" 'cov:') - first)) \
		$(($(find "$dir/corpus" -type f | wc -l) - inputs)) "$([ $own -eq 0 ] && echo 'no fault' || echo "FAULTS: $own")"
	runs=$((runs + own_runs))
	faults=$((faults + own))
	[ "$own" -eq 0 ] || failed="$failed fuzz_$name"
}

runs=0 faults=0 failed=''
for program; do
	[ -x "$program" ] || die "there is no $program"
	"$program" -help=1 2>&1 | grep -q max_total_time ||
		die "$program cannot look for anything: configure with --enable-fuzzers CC=clang"
done
for program; do
	hunt "$program"
done
if [ $faults -gt 0 ]; then
	echo "fuzz: $runs runs of $# programs: $faults FAULTS FOUND, in$failed; see $found/*/faults"
	exit 1
fi
echo "fuzz: $runs runs of $# programs: no fault found; new inputs are in $found/*/corpus"
