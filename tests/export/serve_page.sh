#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# serve_page.sh - the page of `sberf serve` in a browser (serve_page.py): ranges, panes, lists, what is counted, names that mean harm, its
# policy, many pages, and a server that comes again.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_1.sberf
. "$top_srcdir/tests/export/page.sh"
. "$top_srcdir/tests/export/serving.sh"
cd "$SCRATCH" || exit 99
needs_browser

# total ARGS...: nanoseconds of the whole.
total() {
	"$sberf" report --format json "$@" "$data" 2>/dev/null |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["tree"][0]["total_ns"])'
}
export DURATION_MS TOTAL_NS
TOTAL_NS=$(total)
DURATION_MS=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["figures"]["duration_seconds"] * 1000)' \
	< <("$sberf" report --format json "$data" 2>/dev/null))
note "the recording has $DURATION_MS ms"
for range in "0 100" "100 200"; do
	echo "$range $(total --time "${range% *}ms,${range#* }ms")"
done >totals.txt

cat "$top_srcdir"/tests/data/folded/hostile/*.folded >hostile.folded
printf 'main;%s</script> 6\n' "$(printf '%020000d' 7)" >>hostile.folded
printf 'main;</SCRIPT ><script>PWN=1</script>;<!--<script>;]]>;&amp;&lt;;"'\'' onload="PWN=1 5\n' >>hostile.folded
printf 'main;\\;\\";\\u003c/script>;${PWN=1};`x`;__proto__;constructor 5\n' >>hostile.folded
for ((i = 0; i < 450; i++)); do echo "main;many_$i 1"; done >>hostile.folded
serves --import folded hostile.folded
hostile=$address
counted=$top_srcdir/tests/data/v1_3.sberf
serves "$counted"
other=$address
faults=$("$sberf" report --metric faults --format json "$counted" 2>/dev/null |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["tree"][0]["total"])')
(umask 077; echo serve-page-0123456789 >prefix)
serves "$data" --prefix-file prefix
matches "the prefix is that of the file" '/serve-page-0123456789/$' "$address"
port=${address#http://127.0.0.1:}
port=${port%%/*}

# Ends and begins anew when the page has asked for it.
(
	wait_until 300 test -e again && kill "$server" && wait_until 60 eval '! kill -0 "$server" 2>/dev/null'
	"$sberf" serve "$data" --prefix-file prefix --listen "$port" >again.out 2>&1 </dev/null &
	echo $! >again.pid
	wait_until 60 test -s again.out
	: >there
	wait
) &
page_checks serve_page.py "$address" "$hostile" "$other" "$faults"
check "the server that was started again ends" kill "$(cat again.pid)"
wait $!
finish
