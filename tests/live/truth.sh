# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# truth.sh - sourced after live.sh by tests of time off the CPU: what programs measured of themselves (tests/workloads/truth.h),
# and what reports say of the same.

# truth FILE NAME KEY: a figure (ns, or a count) that a workload told in its output FILE of the function or "thread:NAME".
truth() {
	awk -v name="$2" -v key="$3" '$1 == "truth:" && $2 == name { for (i = 3; i < NF; i += 2) if ($i == key) print $(i + 1) }' "$1"
}

# near TITLE PERCENT WANTED GOT: passed when GOT is within PERCENT of WANTED, which is not 0; says both, and by how much they
# differ.
near() {
	note "$1: $4, in truth $3: $(awk -v w="$3" -v g="$4" 'BEGIN {
		if (w + 0 != 0) printf("%+.2f %%", 100 * (g - w) / w) }')"
	result "$(awk -v w="$3" -v g="$4" -v p="$2" 'BEGIN { d = g - w
		print (w + 0 > 0 && g != "" && (d < 0 ? -d : d) <= w * p / 100) ? 0 : 1 }')" "$1"
}

# watch NAME OPTIONS... -- PROGRAM ARGS...: records the whole life of a workload: NAME.data, its output in NAME.out.
watch() {
	local name=$1 options=() status
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	"$SBERF" record -e cpu-clock -o "$name.data" "${options[@]}" -- "$WORKLOADS/$2" "${@:3}" >"$name.out" 2>"$name.err"
	status=$?
	note "$name: $(tail -n 1 "$name.err"); $(cuts "$name.data")"
	equal "$name: recorded, status" 0 $status
}

# folded DATA METRIC REPORT-OPTIONS...: as folded stacks. What cannot be reported is no number, and no test passes with it.
folded() {
	"$SBERF" report -i "$1" --format folded --no-inline --metric "$2" "${@:3}" || echo "no report"
}

# time_in DATA METRIC FUNCTION REPORT-OPTIONS...: ns of METRIC in stacks that FUNCTION (an extended regular expression) is in.
time_in() {
	folded "$1" "$2" "${@:4}" | awk -v f="(^|;)($3)(;| [0-9]+$)" '$0 == "no report" { bad = 1 } $0 ~ f { n += $NF }
		END { if (bad) print "no report"; else printf "%.0f\n", n * 1000 }'
}

# whole DATA METRIC REPORT-OPTIONS...: ns of METRIC.
whole() {
	time_in "$1" "$2" '.*' "${@:3}"
}

# lost_of DATA: all losses together. Some kernels hide the switches of the agent of their virtual machine; who comes after it can
# mostly be inferred. One wait, or one in 1000, may be lost to that.
lost_of() {
	"$SBERF" report -i "$1" --format summary | awk '/^lost_switch:/ { hidden = $2; next } /^lost_/ { n += $2 }
		/^offcpu_waits:/ { waits = $2 } END { print n + (hidden > 1 && hidden > waits / 1000 ? hidden : 0) }'
}

# lasted DATA: how long was recorded, in ns.
lasted() {
	value "$1" duration_seconds | awk '{ printf "%.0f\n", $1 * 1e9 }'
}
