#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# --format annotate: the instructions are those of objdump -d, and their shares those of the samples; perf annotate sees the same.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
need_capture
[ "$(uname -m)" = x86_64 ] || skip_all "instructions are known of x86-64"

cd "$SCRATCH" || exit 99
cat >burn.c <<'END'
__attribute__((noinline)) unsigned long churn(unsigned *v, unsigned n)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned x = v[i] + i;

		x ^= x >> 16;
		x *= 0x45d9f3bu;
		v[i] = x ^ x >> 13;
		sum += v[i] % 1000;
	}
	return sum;
}

/* A little of the work, so that churn never is all. */
__attribute__((noinline)) unsigned long rest(const unsigned *v, unsigned n)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum = (sum ^ v[i]) % 77777;
	return sum;
}

int main(int argc, char **argv)
{
	static unsigned v[4096];
	unsigned long x = 0;

	for (int i = 0; i < 200 * argc; i++)
		x += churn(v, 4096) + rest(v, 50);
	return x == 1;
}
END
check "a program with debug information" ${CC:-cc} -O2 -g -fPIE -pie -Wl,--build-id -o burn "$PWD/burn.c"
# shellcheck disable=SC2046  # as many words as numbers
check "a recording of it" record burn.sberf -F 999 --no-off-cpu -- "$PWD/burn" $(seq 600)
check "its code is written" sh -c "'$SBERF' report --format annotate burn.sberf >text"
head -60 text | while read -r line; do note "$line"; done
matches "the function that takes most comes first" "^churn  $SCRATCH/burn  9[0-9]\.[0-9] % of all$" "$(head -1 text)"
matches "lines have their share" '% +10  +v\[i\] = x \^ x >> 13;|% +11  +sum \+= v\[i\] % 1000;' "$(cat text)"

# insns FILE: address, name without the size of operands, registers. Before the address a share may be "<0.1 %".
insns() {
	sed -E 's/^.* ([0-9a-f]+):[[:space:]]+/\1 /; s/[<#].*//' "$1" | while read -r address name operands; do
		echo "$address $(sed 's/[bwlq]*$//' <<<"$name") $(grep -o '%[a-z0-9]*' <<<"$operands" | tr '\n' ' ')"
	done
}
sed '/^$/{N;/total/!q}' text | grep -E ' [0-9a-f]+:  ' >ours
if command -v objdump >/dev/null; then
	objdump -d --no-show-raw-insn --disassemble=churn burn | grep -E '^ +[0-9a-f]+:' >theirs
	equal "the instructions are those of objdump -d" "$(insns theirs)" "$(insns ours)"
else
	skip "needs objdump" "the instructions are those of objdump -d"
fi

# What each instruction takes itself, in percent: lines of "address percent". Of a program like this, addresses are offsets in the file.
awk '{ self = NF && match($0, /[0-9.]+ % +[0-9.]+ % +[0-9a-f]+:/) ? $3 : 0; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9a-f]+:$/) { sub(/:/, "", $i); print $i, self } }' \
	ours >shares
"$SBERF" report --format perf-script burn.sberf | awk '/^[^\t ]/ { leaf = 1; next } leaf { if ($2 ~ /^churn/) { n[$1]++; all++ } leaf = 0 }
	END { for (a in n) print a, 100 * n[a] / all; print all + 0 >"all" }' >samples

# apart A B LEAST: how far the shares of instructions that have LEAST percent in either are apart, at most.
apart() {
	awk -v least="$3" 'NR == FNR { a[$1] = $2; next } { b[$1] = $2 }
		END { for (i in b) a[i] += 0; for (i in a) { d = a[i] - b[i]; if (d < 0) d = -d
			if ((a[i] >= least || b[i] >= least) && d > worst) worst = d } print worst + 0 }' "$1" "$2"
}
at_least "there are samples" 300 "$(cat all)"
# How many instructions depends on the processor: four have been seen, and twelve.
at_least "at several instructions" 2 "$(wc -l <samples)"
between "shares are those of the samples" 0 2 "$(apart shares samples 0)"

if command -v perf >/dev/null && perf record -q -e cpu-clock -F 999 -o perf.data -- ./burn $(seq 600) >/dev/null 2>&1; then
	perf annotate --stdio -i perf.data -s churn 2>/dev/null | sed -nE 's/^ +([0-9.]+) +:? +([0-9a-f]+): .*/\2 \1/p' >perf
	between "and near those of perf annotate" 0 15 "$(apart shares perf 10)"
else
	skip "needs perf" "and near those of perf annotate"
fi
finish
