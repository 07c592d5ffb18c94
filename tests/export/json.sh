#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# json.sh - sberf's own JSON is what its schema says, has every figure, and counts as folded stacks do.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
schema=$top_srcdir/docs/sberf-profile.schema.json
compare=$top_srcdir/tests/export/totals.py
cd "$SCRATCH" || exit 99
command -v python3 >/dev/null || skip_all "python3 is not installed"

python=$(python_with jsonschema)

# valid FILE: by the schema
valid() {
	"$python" -W ignore "$top_srcdir/tests/export/validate.py" "$schema" "$1"
}

refused() {
	! valid "$1"
}

# differs FOLDED FILE
differs() {
	! python3 "$compare" "$1" json "$2" >/dev/null
}

for name in example v1_1 v1_2 v1_3; do
	data=$top_srcdir/tests/data/$name.sberf
	for how in "" "--by-node --group-by thread" "--hide-idle --no-inline" "--metric off-cpu --no-kernel" "--far" "--syscall futex"; do
		# shellcheck disable=SC2086  # several words
		check "$name $how: written" "$sberf" report --format json $how -o x.json "$data"
		if [ -n "$python" ]; then
			check "$name $how: as the schema says" valid x.json
		else
			skip "no jsonschema for python3" "$name $how: as the schema says"
		fi
	done
	for metric in on-cpu blocked runnable wall; do
		[ $name != example ] || [ $metric = on-cpu ] || continue
		for group in comm process; do
			"$sberf" report --format folded --metric $metric --group-by $group "$data" >x.folded
			"$sberf" report --format json --metric $metric --group-by $group "$data" >x.json
			check "$name: $metric by $group: as much in each function as in folded stacks" \
				python3 "$compare" x.folded json x.json
		done
	done
done

# Functions, threads and the tree say the same; figures are those of the summary.
data=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report -o all.json "$data"
cat >agree.py <<'END'
import collections, json
d = json.load(open("all.json"))
tree, want = d["tree"], collections.Counter()
for node in tree[1:]:
    assert 0 <= node["parent"] < tree.index(node)
for node in tree:
    for key, value in node.items():
        if "function" in node and key.startswith("self_"):
            want[node["function"], key] += value
    parts = [sum(node.get(pre + k, 0) for k in ("running_ns", "runnable_ns", "blocked_ns")) for pre in ("", "self_")]
    assert parts == [node["total_ns"], node["self_ns"]], node
for i, f in enumerate(d["functions"]):
    for key, value in f.items():
        assert not key.startswith("self_") or value == want[i, key], (f, key)
    assert f["self_ns"] <= f["total_ns"] <= tree[0]["total_ns"]
    assert "module" not in f or d["modules"][f["module"]]
for key in ("running_ns", "runnable_ns", "blocked_ns"):
    assert sum(t.get(key, 0) for t in d["threads"]) == tree[0].get(key, 0), key
below = collections.Counter()
for node in tree[1:]:
    below[node["parent"]] += node["total_ns"]
assert all(n["total_ns"] == n["self_ns"] + below[i] for i, n in enumerate(tree))
assert d["waits"][0]["total_ns"] == tree[0]["runnable_ns"] + tree[0]["blocked_ns"]
assert len(d["nodes"]) > 1 and d["accesses"]
END
check "functions, threads, waits and the tree agree" python3 agree.py
"$sberf" report --format summary "$data" | sed 's/:.*//' >names
check "every figure of the summary is there" \
	python3 -c 'import json, sys; sys.exit(list(json.load(open("all.json"))["figures"]) != open("names").read().split())'
equal "figures are numbers" "69 75.36 true" \
	"$(python3 -c 'import json; f = json.load(open("all.json"))["figures"]
print(f["oncpu_samples"], f["oncpu_complete_percent"], json.dumps(f["complete"]))')"
equal "names are valid UTF-8 without control characters" 0 "$(iconv -f utf-8 -t utf-8 all.json | grep -c -aP '[\x00-\x08\x0b-\x1f]|\\u00')"
"$sberf" report --format json "$data" | cmp - all.json
equal "the same again" 0 $?

# The checks notice what is wrong.
sed 's/"self_ns":[1-9][0-9]*/"self_ns":-1/' all.json >wrong.json
sed 's/"kind":"kernel"/"sort":"kernel"/' all.json >renamed.json
for file in wrong renamed; do
	if [ -n "$python" ]; then
		check "$file members are refused by the schema" refused $file.json
	else
		skip "no jsonschema for python3" "$file members are refused by the schema"
	fi
done
"$sberf" report --format folded --metric wall --group-by process "$data" >x.folded
sed '1s/$/000/' x.folded >more.folded
check "other totals are noticed" differs more.folded all.json
finish
