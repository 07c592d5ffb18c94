#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# imports.sh - what other tools wrote, in every format that has room for it: the same functions with as much of what they count, in that
# unit and in no other.
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
data=$top_srcdir/tests/data
compare=$top_srcdir/tests/export/totals.py
cd "$SCRATCH" || exit 99
command -v python3 >/dev/null || skip_all "python3 is not installed"

# import FORMAT ARGS...: of ./in, which is what $from says
import() {
	"$sberf" report --import "$from" --format "$@" in 2>err
}

# rounds TITLE UNIT: ./in counts UNIT, and so do all exports of it
rounds() {
	import folded >folded
	folded_functions <folded >want
	import json --group-by comm >x.json
	check "$1: json" python3 "$compare" folded json x.json
	equal "$1: json: the unit" "$2" "$(python3 -c 'import json; print(json.load(open("x.json"))["unit"])')"
	check "$1: json: nothing is called ns" test -z "$(sed '1,/"functions":/d' x.json | grep -o '"[a-z_]*_ns"')"
	import speedscope >x.json
	check "$1: speedscope" python3 "$compare" folded speedscope x.json "$2"
	equal "$1: speedscope: the unit" "none" "$(python3 -c 'import json
print(*{p["unit"] for p in json.load(open("x.json"))["profiles"]})')"
	if command -v go >/dev/null; then
		import pprof -o x.pb.gz && top_functions "$2" x.pb.gz 1 >got
		same_functions "$1: pprof" want got
		matches "$1: pprof: the unit" "$2/count" "$(pprof -raw x.pb.gz | grep -A 1 '^Samples:' | tail -1)"
	else
		skip "go is not installed" "$1: pprof"
	fi
	matches "$1: tree" "^  total    self +$2\$" "$(import tree | head -1)"
	matches "$1: flat" "^    self    total +$2  module" "$(import flat | head -1)"
	equal "$1: the summary has no time" "oncpu_weight_us: unknown" "$(import summary | grep oncpu_weight_us)"
	import svg >x.svg
	matches "$1: svg" '"unit":"count"' "$(grep -a '"unit":' x.svg)"
	check "$1: svg is well-formed" xmllint --huge --noout --nonet x.svg
}

from=folded
for file in "$data"/folded/{,hostile/}*.folded*; do
	case $file in
	*100k*) continue ;;
	*.gz) zcat "$file" >in ;;
	*) cp "$file" in ;;
	esac
	rounds "${file##*/}" weight
done

# Decimals are kept where there is room for them.
printf 'app;main 1.25\napp;main;f 2\n' >in
equal "decimals in json" "3.25 1.25" "$(import json | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["tree"][0]["total"], *[f["self"] for f in d["functions"] if f["name"] == "main"])')"
equal "decimals in speedscope" "1.25 2" "$(import speedscope | python3 -c 'import json, sys
print(*sorted(json.load(sys.stdin)["profiles"][0]["weights"]))')"

from=perf-script
printf 'a 1 1.0: 500 cycles:u:\n\t7f f+0x1 (/bin/a)\n\t7f main+0x1 (/bin/a)\n\na 1 1.0: 7 cycles:u:\n\t7f main+0x1 (/bin/a)\n\n' >in
rounds "perf script of cycles" cycles
equal "pprof has the samples, too" "samples/count cycles/count" "$(pprof -raw x.pb.gz | grep -A 1 '^Samples:' | tail -1 | sed 's/\[dflt\]//')"
equal "as many as there were" $'main\t1\t2' "$(top_functions samples x.pb.gz 1 | grep main)"
printf 'a 1 1.0: page-faults:\n\t7f f+0x1 (/bin/a)\n\t7f main+0x1 (/bin/a)\n\n' >in
rounds "perf script without periods" samples
# Time is time.
zcat "$data/perf/plain.txt.gz" >in
import folded --group-by comm >folded
import speedscope --group-by comm >x.json
check "perf script of a clock: speedscope" python3 "$compare" folded speedscope x.json on-CPU
import json --group-by comm >x.json
check "perf script of a clock: json" python3 "$compare" folded json x.json
finish
