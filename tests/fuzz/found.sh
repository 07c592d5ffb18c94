#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# found.sh - run.sh keeps inputs and faults, goes on after a fault, and says at the end what there was. With programs that act as if.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

run=$top_srcdir/tests/fuzz/run.sh

# program NAME: an executable file of what follows, which knows the options that it was given and is told by help.
program() {
	{
		echo '#!/usr/bin/env bash'
		echo 'case " $* " in *" -help=1 "*) echo " max_total_time 0"; exit 0 ;; esac'
		echo 'for o; do case $o in -artifact_prefix=*) faults=${o#*=} ;; -*) ;; *) corpus=${corpus:-$o} ;; esac; done'
		cat
	} >"$SCRATCH/$1"
	chmod +x "$SCRATCH/$1"
}

program fuzz_good <<'END'
echo new >"$corpus/new"
printf '#2\tINITED cov: 5 ft: 6\n#4000\tDONE cov: 9 ft: 12\n' >&2
END
program fuzz_bad <<'END'
n=$(find "$faults" -name 'crash-*' ! -name '*.log' | wc -l)
printf '#2\tINITED cov: 5 ft: 6\n#10\tNEW cov: 6 ft: 8\nERROR: number %d\n' "$n" >&2
echo input >"${faults}crash-$n"
exit 77
END
program fuzz_none <<'END'
echo "ERROR: killed" >&2
exit 1
END
printf '#!/bin/sh\nexit 1\n' >"$SCRATCH/fuzz_replay"
chmod +x "$SCRATCH/fuzz_replay"

good=$(bash "$run" 1 "$SCRATCH/found" "$SCRATCH/fuzz_good")
result $? "nothing found is no failure"
check "a line for each program" grep -qE '^fuzz_good +4000 runs in +[0-9]+ s, +9 edges, +4 of them new, +1 new inputs, no fault$' <<<"$good"
equal "the last line" "fuzz: 4000 runs of 1 programs: no fault found; new inputs are in $SCRATCH/found/*/corpus" "$(tail -n 1 <<<"$good")"
check "a new input is kept" test -s "$SCRATCH/found/good/corpus/new"

bad=$(bash "$run" 5 "$SCRATCH/found" "$SCRATCH/fuzz_bad" "$SCRATCH/fuzz_good")
equal "a fault is a failure" 1 $?
check "what failed goes on" grep -qE '^fuzz_bad +([2-9]|10)0+ runs .* FAULTS: ([2-9]|10)$' <<<"$bad"
check "and so do the others" grep -q '^fuzz_good .* 0 new inputs, no fault$' <<<"$bad"
check "the last line names it" grep -qE "^fuzz: [0-9]+ runs of 2 programs: [0-9]+ FAULTS FOUND, in fuzz_bad; see $SCRATCH/found/\*/faults$" \
	<<<"$(tail -n 1 <<<"$bad")"
check "each fault is kept, with its words" grep -q '^ERROR: number 1$' "$SCRATCH/found/bad/faults/crash-1.log"

bash "$run" 1 "$SCRATCH/found" "$SCRATCH/fuzz_none" >/dev/null 2>"$SCRATCH/none"
check "a fault without an input is one, too" test -s "$(find "$SCRATCH/found/none/faults" -name 'without-input-*' | head -n 1 || echo "$SCRATCH")"

program fuzz_elf <<'END'
printf '%s\n' "$@" | sed -n 's/^-max_len=//p' >"$corpus/longest"
printf '#2\tINITED cov: 5 ft: 6\n#4000\tDONE cov: 9 ft: 12\n' >&2
END
bash "$run" 1 "$SCRATCH/found" "$SCRATCH/fuzz_elf" >/dev/null
equal "files of the corpus are not cut" "$(find "$top_srcdir/tests/fuzz/corpus/elf" -type f -printf '%s\n' | sort -n | tail -n 1)" \
	"$(cat "$SCRATCH/found/elf/corpus/longest")"

said=$(bash "$run" 1 "$SCRATCH/found" "$SCRATCH/fuzz_replay" 2>&1)
equal "a program that only replays is refused" \
	"2 fuzz: $SCRATCH/fuzz_replay cannot look for anything: configure with --enable-fuzzers CC=clang" "$? $said"
for bad in 0 -1 1s 12345678 ''; do
	check "no seconds: '$bad'" bash -c '! bash "$1" "$2" "$3" "$4" 2>/dev/null' - "$run" "$bad" "$SCRATCH/found" "$SCRATCH/fuzz_good"
done
finish
