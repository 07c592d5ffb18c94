# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# names.sh - functions of a program compiled here, from each place where symbols can be: compared with nm, and with each other.
. "$top_srcdir/tests/tap.sh"

symname=$top_builddir/tests/symbol/symname
CXX=${CXX:-g++}
cd "$SCRATCH" || exit 99
command -v "$CXX" >/dev/null || skip_all "no C++ compiler ($CXX)"
command -v objcopy >/dev/null || skip_all "no objcopy (binutils)"

"$CXX" -O2 -g -Wl,--build-id=sha1 -o shapes "$top_srcdir/tests/symbol/shapes.cc" || exit 99
objcopy --strip-all shapes stripped
objcopy --only-keep-debug shapes shapes.debug

# addresses FILE: first and last byte of every function that has a size.
addresses() {
	nm -S --defined-only "$1" | while read -r addr size type _; do
		case $type in [tTwWi]) printf '%x\n%x\n' $((16#$addr)) $((16#$addr + 16#$size - 1)) ;; esac
	done
}

# names ARGS...: what symname calls them, without places.
names() {
	"$symname" -n "$@" <functions | sed 's/ ?$//'
}

addresses shapes >functions
nm -S -C --defined-only shapes | awk '$3 ~ /^[tTwWi]$/ { a = $1; n = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", n); print a, n }' >nm
names shapes >whole

# Each function by its first byte: the name is one of those that nm gives this address.
read -r asked wrong < <(awk '
	FILENAME == "nm" { known[$1]; is[$0]; next }
	{ at = index($0, ": "); addr = substr($0, 3, at - 3)
		while (length(addr) < 16)
			addr = "0" addr
		if (!(addr in known))
			next
		asked++
		if (!((addr " " substr($0, at + 2)) in is)) { wrong++; print "# not what nm says: " $0 > "/dev/stderr" } }
	END { print asked + 0, wrong + 0 }' nm whole)
note "$asked functions compared with nm"
[ "$asked" -gt 30 ]
result $? "enough functions to compare"
equal "every function is called as nm calls it" 0 "$wrong"

# First and last byte of a function are the same function.
odd=$(awk -F': ' 'NR % 2 { first = $2; next } $2 != first { n++; print first, "/", $2 > "/dev/stderr" } END { print n + 0 }' whole)
equal "the last byte belongs to the function" 0 "$odd"
check "static functions" grep -qF ': hidden(int)' whole
check "templates" grep -qF ': shapes::ring<double, 8>::sum() const' whole
check "cold parts keep their suffix" grep -qF '.cold' whole

# Nothing is made up: an address behind the last function, and one in data, have no name.
data=$(nm shapes | awk '$2 == "R" || $2 == "r" { print $1; exit }')
equal "an address that is not code has no name" "0x$(printf '%x' $((16#$data))): ?" "$(echo "$data" | "$symname" -n shapes)"

# PLT entries, of both kinds.
for kind in none branch; do
	"$CXX" -O2 -fcf-protection=$kind -Wl,-z,lazy -o plt "$top_srcdir/tests/symbol/shapes.cc" || exit 99
	objdump -d -j .plt -j .plt.sec -j .plt.got plt 2>/dev/null | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/0x\1: \2/p' | sort >mangled
	c++filt <mangled >want
	cut -d: -f1 mangled | "$symname" -n plt | sed 's/ ?$//' | sort >got
	equal "PLT entries are called as objdump calls them (-fcf-protection=$kind)" "" "$(diff want got | head -5)"
	check "there are some" grep -q '@plt' got
done

# The same names from everywhere.
equal "stripped: nothing but dynamic symbols" "0" "$(names stripped | grep -c 'hidden')"

cp stripped linked
objcopy --add-gnu-debuglink=shapes.debug linked
equal "debuglink, beside the file" "" "$(names linked | diff whole - | head -5)"
mkdir .debug && mv shapes.debug .debug/
equal "debuglink, in .debug" "" "$(names linked | diff whole - | head -5)"
cp .debug/shapes.debug good.debug
printf 'x' >>.debug/shapes.debug
objcopy --remove-section=.note.gnu.build-id linked noid
equal "debuglink with another checksum is refused" "0" "$(names noid | grep -c 'hidden')"
cp good.debug .debug/shapes.debug
equal "debuglink with the right checksum" "" "$(names noid | diff whole - | head -5)"
rm -r .debug

id=$(readelf -n shapes | sed -n 's/.*Build ID: //p')
mkdir -p "fs/usr/lib/debug/.build-id/${id:0:2}"
cp good.debug "fs/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
equal "by build-id below --symfs" "" "$(names -s fs stripped | diff whole - | head -5)"
"$CXX" -O1 -g -Wl,--build-id=sha1 -o other "$top_srcdir/tests/symbol/shapes.cc" || exit 99
objcopy --only-keep-debug other "fs/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
equal "a debug file of another build is refused" "0" "$(names -s fs stripped | grep -c 'hidden')"
rm -r fs
mkdir -p "fs$PWD" && cp shapes "fs$PWD/stripped"
equal "the file itself below --symfs" "" "$(names -s fs "$PWD/stripped" | diff whole - | head -5)"

if command -v xz >/dev/null; then
	objcopy --strip-debug shapes mini && xz -k mini
	cp stripped withmini && objcopy --add-section .gnu_debugdata=mini.xz withmini
	equal "from .gnu_debugdata" "" "$(names withmini | diff whole - | head -5)"
	head -c 100 mini.xz >cut.xz
	cp stripped badmini && objcopy --add-section .gnu_debugdata=cut.xz badmini
	equal "damaged .gnu_debugdata is left out" "$(names stripped)" "$(names badmini | sed 's/badmini/stripped/')"
else
	skip "no xz" "from .gnu_debugdata"
	skip "no xz" "damaged .gnu_debugdata is left out"
fi

# Functions without a size do not reach into those that unwind tables know, though nothing names these.
cat >nosize.c <<'END'
void asm_nosize(void);
__asm__(".text\n.globl asm_nosize\n.type asm_nosize,@function\nasm_nosize:\n .cfi_startproc\n ret\n .cfi_endproc\n");
volatile unsigned long sink;
static __attribute__((noinline)) void hidden_leaf(void) { sink++; }
static __attribute__((noinline)) void hidden_mid(void) { hidden_leaf(); sink++; }
__attribute__((noinline)) void visible(void) { hidden_mid(); sink++; }
int main(void) { asm_nosize(); visible(); return 0; }
END
${CC:-cc} -O1 -fno-toplevel-reorder -o nosize nosize.c || exit 99
for f in asm_nosize hidden_leaf hidden_mid visible; do nm nosize | awk -v f="$f" '$3 == f { print $1 }'; done >functions
strip -x nosize
offset() { printf '%#x' $((16#$(sed -n "$1p" functions))); }
equal "a symbol without a size ends where unwind tables have another function" \
	"$(offset 1): asm_nosize $(offset 2): nosize+$(offset 2) $(offset 3): nosize+$(offset 3) $(offset 4): visible" \
	"$(names nosize | tr '\n' ' ' | sed 's/ $//')"

# Names with an '@' that is not before a version: as Crystal and Zig have them, and one that is C++ for Windows.
for f in f0 f1 f2 f3 f4 f5; do
	printf '\t.globl %s\n\t.type %s, @function\n%s:\tret\n\t.size %s, 1\n' $f $f $f $f
done >at.s
printf '\t.symver f4, old@V1\n\t.symver f5, default@@V2\n\t.section .note.GNU-stack, "", @progbits\n' >>at.s
echo 'V1 { global: old; local: f*; }; V2 { global: default; } V1;' >versions
crystal='*Array(Int32)@Enumerable(T)#each<&Proc(Int32,Nil)>:Nil'
${CC:-cc} -shared -nostdlib -Wl,--version-script=versions -o at.so at.s || exit 99
objcopy --redefine-sym "f0=$crystal" --redefine-sym "f1=${crystal/each/map}" \
	--redefine-sym f2=vfmt@debug.print__anon_1234 --redefine-sym 'f3=?f@C@@QAEXXZ' at.so
nm at.so | awk '$2 ~ /[tT]/ { print $1 }' | sort -u >functions
names at.so >got
equal "only versions are cut off names" \
	"$(printf '%s\n' "$crystal" "${crystal/each/map}" vfmt@debug.print__anon_1234 '?f@C@@QAEXXZ' old default)" \
	"$(sed 's/^[^ ]* //' got)"

finish
