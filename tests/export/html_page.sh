#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# html_page.sh - the page with graph and table in a browser (html_page.py): its policy, its table; and names that mean harm, in both
# kinds of files.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/folded
. "$top_srcdir/tests/export/page.sh"
cd "$SCRATCH" || exit 99
needs_browser

check "a page" "$sberf" report --import folded "$data/rustc-1k.folded.gz" -o page.html
printf 'a;[unknown];[unknown];[unknown];f 4\nb 3\n' >runs
check "a page with frames without names" "$sberf" report --import folded runs -o runs.html

# What others have thought of, and names as long, as broken and as wide as they come.
cp "$data"/hostile/*.folded .
long=$(printf '%020000d' 7)
printf 'main;%s 5\nmain;%s</script> 6\n' "$long" "$long" >long.folded
printf 'main;a\357\277\276b;c\001\002\033[31md\177 5\nmain;\302\205\355\240\200\364\217\277\277 6\n' >unfit.folded
printf 'main;</SCRIPT ><script>PWN=1</script>;<!--<script>;]]>;&amp;&lt;;"'\'' onload="PWN=1 5\n' >markup.folded
printf 'main;\\;\\";\\u003c/script>;${PWN=1};`x`;__proto__;constructor 5\n' >words.folded
for file in *.folded; do
	name=hostile-${file%.folded}
	check "$file: as SVG" "$sberf" report --import folded "$file" --title '</script><script>PWN=1</script>]]>' -o "$name.svg"
	check "$file: well-formed" xmllint --noout --nonet "$name.svg"
	check "$file: as HTML" "$sberf" report --import folded "$file" --title '</script><script>PWN=1</script>]]>' -o "$name.html"
	equal "$file: scripts of the page" 3 "$(grep -ci '</script' "$name.html")"
done
page_checks html_page.py
finish
