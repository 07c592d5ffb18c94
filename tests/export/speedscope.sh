#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# speedscope.sh - the JSON for speedscope counts as folded stacks do, and is built as its schema asks (tests/interop has the schema itself).
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
compare=$top_srcdir/tests/export/totals.py
cd "$SCRATCH" || exit 99
command -v python3 >/dev/null || skip_all "python3 is not installed"

# The members that its importer reads.
cat >shape.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
frames = d["shared"]["frames"]
assert d["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert all(set(f) <= {"name", "file", "line"} and isinstance(f["name"], str) for f in frames)
assert d["profiles"] and 0 <= d["activeProfileIndex"] < len(d["profiles"])
for p in d["profiles"]:
    assert p["type"] == "sampled" and p["unit"] == "nanoseconds" and p["startValue"] == 0
    assert len(p["samples"]) == len(p["weights"]) and sum(p["weights"]) == p["endValue"]
    assert all(0 <= i < len(frames) for s in p["samples"] for i in s)
    assert all(s and w > 0 for s, w in zip(p["samples"], p["weights"]))
print(*[p["name"] for p in d["profiles"]], sep=",")
END

# differs FOLDED FILE
differs() {
	! python3 "$compare" "$1" speedscope "$2" on-CPU >/dev/null
}

for name in example v1_1 v1_2; do
	data=$top_srcdir/tests/data/$name.sberf
	check "$name: written" "$sberf" report --format speedscope --group-by thread -o x.json "$data"
	profiles=on-CPU,blocked,runnable
	[ $name != example ] || profiles=on-CPU
	equal "$name: what the importer reads" $profiles "$(python3 shape.py x.json 2>&1)"
	for profile in ${profiles//,/ }; do
		"$sberf" report --format folded --metric "${profile,,}" --group-by thread "$data" >x.folded
		check "$name: $profile: as much in each function as in folded stacks" \
			python3 "$compare" x.folded speedscope x.json "$profile"
	done
done
data=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report -o by-name.speedscope.json "$data"
equal "the extension chooses the format" on-CPU,blocked,runnable "$(python3 shape.py by-name.speedscope.json 2>&1)"
"$sberf" report --format speedscope --metric blocked "$data" >x.json
equal "only what was asked for" blocked "$(python3 shape.py x.json 2>&1)"
"$sberf" report --format speedscope --thread nobody "$data" >x.json
equal "a profile of nothing is one" on-CPU "$(python3 shape.py x.json 2>&1)"
equal "names are valid UTF-8 without control characters" 0 \
	"$(iconv -f utf-8 -t utf-8 by-name.speedscope.json | grep -c -aP '[\x00-\x08\x0b-\x1f]|\\u00')"
sed '/"weights":/{n;s/^/9/}' by-name.speedscope.json >x.json
"$sberf" report --format folded "$data" >x.folded
check "other totals are noticed" differs x.folded x.json
if [ -w /dev/full ]; then
	matches "a full disk is an error" "cannot write to standard output: No space left" "$("$sberf" report --format speedscope "$data" 2>&1 >/dev/full)"
else
	skip "there is no /dev/full" "a full disk is an error"
fi
finish
