#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# firefox.sh - the profile for the Firefox Profiler counts as folded stacks do, and its tables fit together (tests/interop has the loader
# itself).
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99

# What the loader relies on; then the functions with their time in us, as round.sh compares them.
cat >tables.py <<'END'
import collections, json, re, sys
d = json.load(open(sys.argv[1]))
assert d["meta"]["preprocessedProfileVersion"] == 54
categories = d["meta"]["categories"]
assert sum(c["color"] == "grey" for c in categories) == 1
own, total, kinds, lengths = (collections.Counter() for _ in range(4))
for t in d["threads"]:
    strings, stacks, frames, funcs, samples = (t[k] for k in ("stringArray", "stackTable", "frameTable", "funcTable", "samples"))
    for table in (stacks, frames, funcs, samples, t["resourceTable"], t["nativeSymbols"], t["markers"]):
        assert all(len(column) == table["length"] for column in table.values() if isinstance(column, list)), t["name"]
    assert all(r == -1 or 0 <= r < t["resourceTable"]["length"] for r in funcs["resource"])
    assert all(l is None or 0 <= l < len(d["libs"]) for l in t["resourceTable"]["lib"])
    assert samples["time"] == sorted(samples["time"])
    assert isinstance(t["pid"], str)
    markers, off_cpu = t["markers"], {"blocked": 0, "runnable": 0}
    assert markers["startTime"] == sorted(markers["startTime"]) and set(markers["phase"]) <= {1}
    for name, start, end, data in zip(*(markers[k] for k in ("name", "startTime", "endTime", "data"))):
        assert start < end and 0 <= data["cause"]["stack"] < stacks["length"] and strings[name]
        assert data["part"] == "blocked" or strings[name] == "run queue"
        off_cpu[data["part"]] += end - start
    names = []
    for i, (prefix, frame) in enumerate(zip(stacks["prefix"], stacks["frame"])):
        assert prefix is None or prefix < i
        name = strings[funcs["name"][frames["func"][frame]]]
        names.append(([] if prefix is None else names[prefix]) + [re.sub(r"_\[[kij]\]$", "", name.replace(";", ":"))])
    for stack, weight in zip(samples["stack"], samples["weight"]):
        kinds[categories[frames["category"][stacks["frame"][stack]]]["name"]] += weight
        own[names[stack][-1]] += weight
        for name in set(names[stack]):
            total[name] += weight
    for part, length in off_cpu.items():
        wanted = sum(weight for stack, weight in zip(samples["stack"], samples["weight"]) if part == {
            "Blocked": "blocked", "Idle": "blocked", "Runnable": "runnable"}.get(
            categories[frames["category"][stacks["frame"][stack]]]["name"]))
        assert length <= wanted + 1e-3, (t["name"], part, length, wanted)
        lengths[part] += length
for name in total:
    print(name, round(own[name] * 1000), round(total[name] * 1000), sep="\t")
print(*sorted(kinds), file=sys.stderr)
print(*("%s %.3f" % (part, lengths[part]) for part in sorted(lengths)), file=open("lengths", "w"))
END

for recording in "${recordings[@]}"; do
	name=$(basename "$recording" .sberf)
	for how in "--metric on-cpu" "--metric blocked" "--metric runnable --no-inline" "--metric wall --no-kernel"; do
		# The others have no waits.
		[[ $name == v1_[12] || $how == *on-cpu* ]] || continue
		# shellcheck disable=SC2086  # several words
		"$sberf" report --format folded $how "$recording" | folded_functions >want
		# shellcheck disable=SC2086  # several words
		check "$name $how: written" "$sberf" report --format firefox $how -o x.json "$recording"
		python3 tables.py x.json >got 2>kinds
		result $? "$name $how: the tables fit together"
		# A stack that was nothing but kernel has none left: in folded stacks it is the group's own, here it says so.
		[[ $how != *no-kernel* ]] || sed -i '/^\[no stack\]/d' want got
		same_functions "$name $how: as much in each function as in folded stacks" want got
		[[ $how != *blocked* ]] || matches "$name $how: a category of its own" '^(Blocked|Idle|Blocked Idle)$' "$(cat kinds)"
		[[ $how != *runnable* ]] || equal "$name $how: a category of its own" Runnable "$(cat kinds)"
	done
done
data=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report -o by-name.firefox.json "$data"
check "the extension chooses the format" python3 tables.py by-name.firefox.json
# Waits that were seen are markers; what stands for others too is longer than they are, which tables.py looks at.
matches "markers: their time" '^blocked [0-9.]+ runnable [0-9.]+$' "$(cat lengths)"
check "standard input, too" cmp by-name.firefox.json <("$sberf" report --format firefox - <"$data")
"$sberf" report --format firefox --thread nobody "$data" >x.json
equal "a profile of nothing has no threads" "[]" "$(python3 -c 'import json; print(json.load(open("x.json"))["threads"])')"
equal "names are valid UTF-8 without control characters" 0 \
	"$(iconv -f utf-8 -t utf-8 by-name.firefox.json | grep -c -aP '[\x00-\x08\x0b-\x1f]|\\u00')"
"$sberf" report --format folded --metric on-cpu "$data" | folded_functions >want
python3 tables.py by-name.firefox.json >got 2>kinds
differs() {
	! (same_functions "other totals" want got) | grep -q '^ok'
}
check "other totals are noticed" differs
"$sberf" report --format folded "$data" >x.folded
matches "sums have no times: refused" "needs the single events of a recording" "$("$sberf" report --import folded -i x.folded --format firefox 2>&1)"
if [ -w /dev/full ]; then
	matches "a full disk is an error" "cannot write to standard output: No space left" "$("$sberf" report --format firefox "$data" 2>&1 >/dev/full)"
else
	skip "there is no /dev/full" "a full disk is an error"
fi
finish
