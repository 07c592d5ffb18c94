# SPDX-License-Identifier: BSD-2-Clause
# compare.awk - awk -f compare.awk ADDR2LINE SYMNAME: how many places agree between `addr2line -a -f -i -C` and symname.
#
# Places agree when they have as many inlined calls, with the same functions (without parameters and template arguments, which
# the two print differently), files (without directories) and lines. The innermost of several functions is not compared:
# addr2line calls it by the symbol of the address, which is that of the outermost one, when it has no linkage name.
# Addresses that symname gives no name are left out: padding between functions, which addr2line counts to the one before.
function plain(name, before)
{
	gsub(/operator\(\)/, "call", name)
	gsub(/operator[<>=!+*\/|&^-]+/, "op", name)
	gsub(/\(anonymous namespace\)/, "anon", name)
	sub(/ \[clone.*/, "", name)
	sub(/\.(cold|part|isra|constprop).*/, "", name)
	do {
		before = name
		gsub(/<[^<>]*>/, "", name)
		gsub(/\([^()]*\)/, "", name)
	} while (name != before)
	sub(/ const$/, "", name)
	sub(/.*[: ]/, "", name)
	return name
}

function place(where)
{
	sub(/ \(discriminator [0-9]+\)/, "", where)
	sub(/.*\//, "", where)
	return where ~ /[?]|:0$/ ? "?" : where
}

FNR == NR && /^0x/ {
	addr = $0
	sub(/^0x0*/, "", addr)
	depth[addr] = 0
	next
}

FNR == NR {
	func_line = !func_line
	if (func_line) {
		name = plain($0)
		next
	}
	ref[addr] = ref[addr] "|" (++depth[addr] == 1 ? "" : name) "@" place($0)
	first[addr] = depth[addr] == 1 ? name : first[addr]
	next
}

{
	addr = substr($0, 3, index($0, ":") - 3)
	rest = substr($0, index($0, ": ") + 2)
	if (rest == "?")
		next
	n = split(rest, part, / \| /)
	got = ""
	for (i = 1; i <= n; i++) {
		at = match(part[i], / [^ ]*$/)
		got = got "|" (i == 1 ? "" : plain(substr(part[i], 1, at - 1))) "@" place(substr(part[i], at + 1))
		if (i == 1 && n == 1 && plain(substr(part[i], 1, at - 1)) != first[addr])
			got = got "(another function)"
	}
	total++
	inlined += n > 1
	if (got == ref[addr])
		agree++
	else if (shown++ < 5)
		print "# " addr ": addr2line " ref[addr] ", symname " got
}

END {
	print total + 0, agree + 0, inlined + 0
}
