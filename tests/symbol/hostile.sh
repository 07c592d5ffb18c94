# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# hostile.sh - debug information that is small in its file and large in memory.
. "$top_srcdir/tests/tap.sh"

symname=$top_builddir/tests/symbol/symname
CC=${CC:-gcc}
cd "$SCRATCH" || exit 99

# 10,000 functions, of 5 bytes each, share one list of 4,096 ranges: 40 million pieces of code, a gigabyte of spans.
cat >ranges.s <<'ASM'
	.text
	.globl code
	.type code, @function
code:	.skip 8192, 0x90
	.size code, . - code
	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x55, 0x17, 0, 0
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 0x55, 0x17, 0, 0
	.byte 0
	.section .debug_info, "", @progbits
	.long behind - first
first:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0
	.rept 10000
	.uleb128 2
	.long 0
	.endr
	.byte 0
behind:
	.section .debug_ranges, "", @progbits
	.set at, 0
	.rept 4096
	.quad code + at, code + at + 1
	.set at, at + 2
	.endr
	.quad 0, 0
	.section .note.GNU-stack, "", @progbits
ASM
$CC -shared -nostdlib -o ranges.so ranges.s || exit 99
nm ranges.so | awk '$3 == "code" { print $1 }' >address
note "a file of $(stat -c %s ranges.so) bytes"
"$symname" -m ranges.so <address >out 2>memory
note "$(cat out)"
check "the function has its name" grep -q ': code' out
note "$(cat memory) bytes of memory at most"
check "it takes less than 600 MB" test "$(cat memory)" -lt 600000000
finish
