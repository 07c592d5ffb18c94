#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# import_folded.sh - folded stacks of other tools, in and out again: the same text, or a sentence about what is not.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/folded
cd "$SCRATCH" || exit 99

# again FILE: what comes out of it, with what is said in ./err.
again() {
	"$sberf" report --import folded --format folded "$1" 2>err
}

# refused TITLE REGEX FILE: exit status 1, nothing on standard output, a sentence.
refused() {
	local out rc=0
	out=$(again "$3") || rc=$?
	equal "$1: exit status" 1 "$rc"
	equal "$1: nothing is written" "" "$out"
	matches "$1: the sentence" "$2" "$(cat err)"
}

for name in rustc-1k python-dwarf rustc-100k; do
	zcat "$data/$name.folded.gz" >in
	again in >out
	check "$name is the same text" cmp in out
	equal "$name: nothing to be said" "" "$(cat err)"
done
check "compressed is the same" cmp in <(again "$data/rustc-100k.folded.gz")
check "standard input too" cmp in <(again - <in)

for file in "$data"/hostile/*.folded; do
	name=${file##*/}
	again "$file" >out
	equal "$name: a line for each line" "$(wc -l <"$file")" "$(wc -l <out)"
	equal "$name: the weights stay" "$(awk '{ n += $NF } END { print n }' "$file")" "$(awk '{ n += $NF } END { print n }' out)"
	case $name in
	badutf8.* | ctl.* | nonchar.*)
		matches "$name: what was changed" 'names with bytes that are no text, shown as U\+FFFD: 1' "$(cat err)"
		again out >out2
		check "$name: the second time nothing changes" cmp out out2
		;;
	*)
		check "$name is the same text" cmp <(LC_ALL=C sort "$file") <(LC_ALL=C sort out)
		;;
	esac
done

# Inlined runs, kernel, JIT, a suffix with nothing before it, blanks in and around names, a name of what runs that looks like more.
cat >in <<'END'
app 7
app b;main 1
app;f_[i];g_[i] 2
app;main; y ;z  13
app;main;_[k] 4
app;main;a;b_[i] 5
app;main;a;b_[i];c_[i] 6
app;main;a;b_[i];d 7
app;main;a;c 8
app;main;a;z 0
app;main;a_[j];b 11
app;main;a_[k] 9
app;main;a_[k];b_[i] 10
app;main;x_[w] 12
app_[k];main 14
END
check "every kind of line" cmp in <(again in)
equal "without inlined functions" 11 "$("$sberf" report --import folded --format folded --no-inline in | sed -n 's/^app;main;a //p')"
equal "without the kernel" 19 "$("$sberf" report --import folded --format folded --no-kernel in | sed -n 's/^app;main //p')"

# Names and lines of any length that a stack can have stay what they are; a longer one is none.
{
	printf 'app;%020000d;f 1\napp;%020000d;f 2\n' 1 2
	printf 'deep%s 3\n' "$(printf ';frame%.0s' $(seq 64000))"
	printf 'wide;%0900000d 4\n' 5
	printf 'wider%s 6\n' "$(printf ";%065535d" $(seq 100))"
} >in
check "long names, deep stacks" cmp in <(again in)
printf 'deep%s 3\n' "$(printf ';f%.0s' $(seq 70000))" >in
equal "deeper than a tree is" 65000 "$(again in | tr -cd ';' | wc -c)"
matches "deeper than a tree is: the sentence" 'without their innermost functions, of more than 65000: 1' "$(cat err)"
{ printf 'app;'; head -c 134300000 /dev/zero | tr '\0' x; printf ' 1\n'; } | gzip -1 >in
refused "a line that is too long" 'line 1 of in has more than 134217728 bytes' in

printf 'app;a 1\napp;b\napp;c 3\n' >in
refused "no number" "line 2 of in, 'app;b', is not a folded stack such as 'app;main;work 42'" in
printf 'app;a -1\n' >in
refused "a negative number" "line 1 of in, 'app;a -1', is not" in
printf 'app;a 18446744073709552\n' >in
refused "a number that is too large" "line 1 of in" in
yes 'app;a 9000000000000000' | head -3 >in
refused "numbers that are too large together" "add up to more than can be counted, at line 3" in
printf ' 5\n' >in
refused "nothing but a number" "line 1 of in" in
: >in
refused "an empty file" "in holds no stack" in
refused "a recording" "is a recording of sberf: leave --import out" "$top_srcdir/tests/data/example.sberf"
refused "no file" "cannot open nothing: No such file" nothing
refused "a directory" "is a directory; name a file" .
printf 'app;a 1\napp;b 2\napp;b;cccc' >in
equal "a line that was cut off: the others" $'app;a 1\napp;b 2' "$(again in)"
matches "a line that was cut off: the sentence" 'in: the end was cut off: the last stack is left out' "$(cat err)"
zcat "$data/rustc-1k.folded.gz" | gzip -1 | head -c 9000 >cut.gz
check "a compressed file that was cut off" test "$(again cut.gz | wc -l)" -gt 10
matches "a compressed file that was cut off: the sentence" 'cut off' "$(cat err)"

# Compressed in other ways, told by the first bytes. Several in a row are one; one that was cut off is read as far as it goes.
zcat "$data/rustc-1k.folded.gz" >plain
for tool in gzip xz zstd bzip2; do
	if ! $tool -kc plain >packed 2>/dev/null; then
		skip "$tool" "there is no $tool"
		continue
	fi
	if again packed >out; grep -q "which this sberf does not read: use .$tool -dc FILE" err; then
		skip "$tool" "sberf was built without its library"
		continue
	fi
	check "$tool is the same" cmp plain out
	equal "$tool: nothing to be said" "" "$(cat err)"
	cat packed packed >twice
	equal "$tool: two in a row" "$(awk '{ n += 2 * $NF } END { print n }' plain)" "$(again - <twice | awk '{ n += $NF } END { print n }')"
	equal "$tool: nothing to be said of two" "" "$(cat err)"
	{ cat packed; head -c 9000 packed; } >cut
	check "$tool, cut off: what is there" test "$(again cut | awk '{ n += $NF } END { print n }')" -ge "$(awk '{ n += $NF } END { print n }' plain)"
	matches "$tool, cut off: the sentence" 'cut off' "$(cat err)"
	{ head -c -4 packed; head -c 4 /dev/zero; } >damaged
	refused "$tool, damaged" "damaged is damaged behind line [0-9]+: it is no $tool any more" damaged
done
printf '\004\042\115\030rest' >in
refused "what is not read" 'in is compressed by lz4, which this sberf does not read: use `lz4 -dc FILE \| sberf ... -`' in
printf 'BZh9 is a name;a 1\n' >in
equal "a text that only begins so" "BZh9 is a name;a 1" "$(again in)"

printf '\357\273\277app;a 1\n' >in
equal "a byte-order mark is no name" "app;a 1" "$(again in)"
for encoding in UTF-16 UTF-16LE UTF-16BE UTF-32; do
	printf 'app;a 1\n' | iconv -f UTF-8 -t $encoding >in
	refused "$encoding" "in is text in $encoding, and UTF-8 is read: use .iconv -f $encoding -t UTF-8 FILE" in
done

# A difference is none of one profile. Where samples have no stacks, what runs may end in a number too.
"$sberf" diff --format folded "$top_srcdir/tests/data/v1.sberf" "$top_srcdir/tests/data/v1_1.sberf" >in 2>/dev/null
refused "a difference" 'in is a difference, as .sberf diff --format folded. writes it' in
printf 'app;f 3 5\napp 1 2\n' >in
refused "a difference by difffolded.pl" 'each line ends in two numbers, before and after' in
printf 'app 10 5\nbio 11 6\n' >in
check "processes and their times" cmp in <(again in)
matches "which is said" 'each line ends in two numbers: if it is a difference, the first is read as part of a name' "$(cat err)"
printf 'app;f 3 5\napp;g 6\n' >in
check "a function with a number" cmp in <(again in)
equal "of which nothing is said" "" "$(cat err)"

printf 'app;a 1.5\n' >in
equal "decimals are rounded" "app;a 2" "$(again in)"
matches "decimals are rounded: the sentence" 'numbers with decimals, which folded stacks round: 1' "$(cat err)"
printf '# made by hand\r\n\r\napp;a 1\r\n' >in
equal "comments, empty lines, carriage returns" "app;a 1" "$(again in)"

printf 'app;main;a 1500000\napp;main;b 500000\n' >in
text=$("$sberf" report --import folded in)
matches "the tree shows numbers, and no time" '^  total    self         weight$' "$(head -1 <<<"$text")"
matches "as they are in the file" '^ 75\.0 %  75\.0 %      1,500,000  - a$' "$(grep -- '- a' <<<"$text")"
check "a flame graph of them" "$sberf" report --import folded -o x.svg in
equal "which counts" '"unit":"count"' "$(grep -o '"unit":"[a-z]*"' x.svg)"
matches "and is of that file" 'in</text>|>in<|"title":"in"' "$(cat x.svg)"
# Who makes the same report twice, under whatever names, gets the same bytes, and none of them say where: nobody knows what the command was.
mkdir -p private/place
for format in svg html json summary speedscope pprof; do
	"$sberf" report --import folded --format $format -o "one.$format" in
	"$sberf" report --import folded --format $format -o "private/place/two.$format" in
	case $format in
	pprof) opened=(gzip -dc) ;;
	*) opened=(cat) ;;
	esac
	check "$format: the same under another name" cmp "one.$format" "private/place/two.$format"
	equal "$format: nothing of its own command line" "" "$("${opened[@]}" "private/place/two.$format" | grep -a -o -e --import -e private)"
done
for option in "--state D" "--syscall futex" "--metric blocked" "--format waits" "--format numa" "--format probes" "--node 0" "--by-node" "--far"; do
	# shellcheck disable=SC2086  # an option and its value
	got=$("$sberf" report --import folded $option in 2>&1)
	equal "$option: exit status" 2 $?
	matches "$option: the sentence" "is about waits, NUMA nodes or probes, and what is imported has none" "$got"
done
matches "no file named" "say which file to import, or - for standard input" "$("$sberf" report --import folded 2>&1)"
finish
