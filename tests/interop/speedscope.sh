#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# speedscope.sh - speedscope's own schema and speedscope itself read what we write for it.
. "${top_srcdir:?is set by make check}/tests/interop/readers.sh"
schema=$modules/speedscope/dist/release/file-format-schema.json
app=$modules/speedscope/dist/release/index.html
export modules
cd "$SCRATCH" || exit 99

valid() {
	"$node" "$top_srcdir/tests/interop/schema.cjs" "$schema" "$1"
}

refused() {
	! valid "$1"
}

for recording in "${recordings[@]}"; do
	name=$(basename "$recording" .sberf)
	for how in "" "--group-by thread --by-node" "--metric off-cpu --hide-idle"; do
		# shellcheck disable=SC2086  # several words
		"$sberf" report --format speedscope $how -o x.json "$recording" 2>err || note "$(cat err)"
		check "$name $how: as speedscope's schema says" valid x.json
	done
done
"$sberf" report --format speedscope --thread nobody -o empty.json "${recordings[0]}"
check "a profile of nothing: as speedscope's schema says" valid empty.json
sed 's/"unit":"nanoseconds"/"unit":"fortnights"/' x.json >unit.json
check "a wrong unit is refused" refused unit.json
sed 's/"weights"/"weight"/' x.json >member.json
check "a wrong member is refused" refused member.json

# The schema of our own JSON, by another validator than in tests/export.
own=$top_srcdir/docs/sberf-profile.schema.json
for recording in "${recordings[@]}"; do
	"$sberf" report --format json -o own.json "$recording"
	check "$(basename "$recording"): our JSON is as our schema says" "$node" "$top_srcdir/tests/interop/schema.cjs" "$own" own.json
done

# In the sandwich view functions are rows of a table.
if ! command -v chromium >/dev/null; then
	skip "chromium is not installed" "speedscope opens it"
	finish
fi
opened() {
	python3 "$top_srcdir/tests/interop/app.py" "$app" "$1" 2>&1
}
"$sberf" report --format speedscope -o one.json "$top_srcdir/tests/data/example.sberf"
got=$(opened one.json)
matches "speedscope shows functions with their time" '10\.10ms \(100%\) 10\.10ms \(100%\) x\+0x1100' "$got"
matches "and their callers" '10\.10ms \(100%\) 0\.00ns \(.*%\) main' "$got"
"$sberf" report --format speedscope -o many.json "$top_srcdir/tests/data/v1_2.sberf"
matches "a profile with hostile names, too" "fn80_3_0" "$(opened many.json)"
# What it reads of other formats.
"$sberf" report --format folded -o one.folded "$top_srcdir/tests/data/example.sberf"
matches "folded stacks" 'x\+0x1100' "$(opened one.folded)"
"$sberf" report --format perf-script -o one.perf "$top_srcdir/tests/data/example.sberf"
matches "text of perf script" 'x\+0x1100' "$(opened one.perf)"
"$sberf" report --format pprof -o one.pb.gz "$top_srcdir/tests/data/example.sberf"
matches "pprof, with its time" '10\.10ms \(100%\) .*x\+0x1100' "$(opened one.pb.gz)"
# What is no time has no unit.
"$sberf" report --import folded --format speedscope -o counts.json "$top_srcdir/tests/data/folded/hostile/quote.folded"
check "an import is as speedscope's schema says" valid counts.json
printf 'app;main;f 1234\n' | "$sberf" report --import folded --format speedscope -o counts.json -
matches "an import is counted, not timed" '1,?234 \(100%\) .*1,?234 \(100%\) f' "$(opened counts.json)"
finish
