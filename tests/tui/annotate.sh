#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Key a in a real terminal (tmux): source and instructions of a program built with -O2 -g, live and from a recording.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

cd "$SCRATCH" || exit 99
cat >annotated.c <<'END'
static inline unsigned mix(unsigned x)
{
	x ^= x >> 16;
	x *= 0x45d9f3bu;
	return x ^ x >> 13;
}

__attribute__((noinline)) unsigned long churn(unsigned *v, unsigned n)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		v[i] = mix(v[i] + i);
		sum += v[i] % 1000;     /* churn this */
	}
	return sum;
}

__attribute__((noinline)) int keep_on(void)
{
	static unsigned v[4096];
	unsigned long x = 0;

	for (int i = 0; i < 200; i++)
		x += churn(v, 4096);    /* call it */
	return x != 1;
}

/* For as many rounds as there are arguments, or, without any, until somebody ends it. */
int main(int argc, char **argv)
{
	for (int i = 1; keep_on() && (argc == 1 || i < argc); i++)
		;
}
END
check "a program with debug information, made where it lies" ${CC:-cc} -O2 -g -Wl,--build-id -o annotated annotated.c
cp annotated stripped && strip -g stripped

# show PROGRAM FUNCTION: its code on the screen.
show() {
	type_line "$SBERF top -e cpu-clock -F 499 -- $PWD/$1"
	see "$1: the tree has the function" "$2"
	keys / $(sed 's/./& /g' <<<"$2") Enter
	see "$1: it is found" '/'"$2"'  [1-9]'
	keys a
}

terminal
show annotated churn
see "the header says of what, and what it takes" '── churn · .* here, .* with calls · [0-9,]+ samples'
see "and where samples stand" 'samples stand on the instruction after what took the time'
see "lines have their share" '^ +[0-9.]+ % +[0-9.]+ % +14  +sum \+= v\[i\] % 1000; +/\* churn this'
see "so have their instructions" '^ +[0-9.]+ % +[0-9.]+ % +[0-9a-f]+:  [a-z]'
see "the status line says which line it is" '^ churn · annotated.c:[0-9]+ · .* in all, .* itself'
note "$(screen)"
keys s
see_not "s leaves the source alone" '^.* [0-9a-f]+:  [a-z]+ '
see "with the declaration" ' 8  __attribute__.* churn\('
keys s
see_not "s again leaves the instructions alone" 'churn this'
see "all of it" ' [0-9a-f]+:  [a-z]+ '
keys s
see "and again both are there" 'churn this'
keys / c h u r n Space t
see "/ finds text" '^ /churn t +[1-9]'
keys Enter Escape
see "Esc leaves the search" '^ churn · annotated.c'
keys g H
see "H goes to the hottest line" 'churn · annotated.c:[0-9]+ · '
resize 40 10
see "40x10 has room for the hottest ones" '[0-9.]+ +([0-9a-f]+:|[0-9]+ ) '
# Instructions alone, so that the hottest line is one of them, whatever is around it.
keys s s H
resize 20 5
see "20x5 for some" '^ +[0-9.]+ [a-z]+ +'
resize 100 30
keys s
keys '?'
see "? lists the keys of this view" 'next match, or next hottest line'
keys Escape
see_not "and goes back" 'next match, or next hottest line'
keys Escape
see "Esc leads back to the tree" 'by process'
keys Escape
see_not "with the search, until Esc" '/churn'
keys / k e e p _ o n Enter a
see "what a function calls is put down to the line of the call" '^ +[1-9][0-9.]+ % .* 25  +x \+= churn\(v, 4096\);'
see "and to the call" '^ +[1-9][0-9.]+ % +([0-9.<]+ %)? +[0-9a-f]+:  call.* <churn>'
keys q
see "q leads back, too" 'by process'
keys / m i x Enter a
see "an inlined function is shown in that which it is a part of" '── churn, which has mix in it'
keys q q
restored "after q"

# What is said first may be above the hottest line, which the cursor is put on: where that is depends on the processor.
mv annotated.c elsewhere.c
show annotated churn
see "without its source a function has its instructions alone" '^ +[0-9.]+ % +[0-9.]+ % +[0-9a-f]+:  [a-z]'
keys g
see "a source that is not there is named, with where it was sought" "the source is not at $SCRATCH/annotated.c: No such file"
keys q q
restored "after a lost source"
mv elsewhere.c annotated.c
show stripped churn
see "without debug information it has all instructions" '^ +[0-9.]+ % +[0-9.]+ % +[0-9a-f]+:  [a-z]'
keys g
see "and it says so" 'there is no debug information'
keys q q
restored "after a program without it"

# With --split it is read by who may: here it lies in a folder that the user may not enter. What is for its owner alone is not shown.
chmod 700 "$SCRATCH"
"$PWD/annotated" &
program=$!
also_kill $program
split_view() {
	type_line "SUDO_UID=65534 SUDO_GID=65534 $SBERF top --split -e cpu-clock -F 499 -p $program"
	see "--split: the tree has the function" churn
	keys / c h u r n Enter a
}
split_view
see "--split: its source is shown" '[0-9.]+ % +14  +sum \+= v\[i\] % 1000; +/\* churn this'
keys q q
restored "after --split"
chmod 600 annotated.c
split_view
see "--split: instructions" '^ +[0-9.]+ % +[0-9.]+ % +[0-9a-f]+:  [a-z]'
keys g
see "--split: a source that is its owner's alone is not shown" "the source is not at $SCRATCH/annotated.c: "
keys q q
restored "after --split once more"
chmod 644 annotated.c
kill $program

# A recording knows the file by its build-id.
# shellcheck disable=SC2046  # as many words as numbers
check "a recording" record annotated.sberf -F 499 -- "$PWD/annotated" $(seq 400)
type_line "$SBERF report -i annotated.sberf"
see "has the function" churn
keys / c h u r n Enter a
see "and shows its code" 'churn this'
keys q q
restored "after a recording"
sed -i 's/16;/15;/' annotated.c
${CC:-cc} -O2 -g -Wl,--build-id -o annotated "$PWD/annotated.c"
type_line "$SBERF report -i annotated.sberf"
see "has it still" churn
keys / c h u r n Enter a
see "another build is not taken for that which ran" 'is not the one that ran: it has another build-id'
keys q q
restored "after another build"
finish
