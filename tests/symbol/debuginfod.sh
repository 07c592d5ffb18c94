# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# debuginfod.sh - debug files are fetched when asked for, and only then; a server that does not answer holds nobody up.
# Servers are a directory (file://) and a debuginfod of our own on 127.0.0.1.
. "$top_srcdir/tests/tap.sh"

symname=$top_builddir/tests/symbol/symname
cd "$SCRATCH" || exit 99
grep -q '^#define HAVE_ELFUTILS_DEBUGINFOD_H 1' "$top_builddir/config.h" || skip_all "built without debuginfod"

cat >known.c <<'END'
volatile int sink;
__attribute__((noinline)) static int hidden(int x)
{
	return x * sink;
}
int main(int argc, char **argv)
{
	return hidden(argc) + (argv == 0);
}
END
${CC:-cc} -O2 -g -Wl,--build-id=sha1 -o whole known.c || exit 99
objcopy --strip-all whole stripped
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
mkdir -p "files/buildid/$id"
objcopy --only-keep-debug whole "files/buildid/$id/debuginfo"
addr=$(nm whole | awk '/ hidden$/ { print $1 }')
export DEBUGINFOD_CACHE_PATH=$SCRATCH/cache DEBUGINFOD_PROGRESS='' DEBUGINFOD_URLS=file://$SCRATCH/files

matches "not asked for: not fetched" ': stripped\+0x[0-9a-f]+ \?$' "$("$symname" stripped <<<"$addr")"
check "and no cache is made" test ! -e cache
matches "fetched" ': hidden .*known.c:[34]$' "$("$symname" -d stripped <<<"$addr")"
matches "no details wanted: not fetched" ': stripped\+0x[0-9a-f]+ \?$' "$("$symname" -n -d stripped <<<"$addr")"
rm -rf cache
matches "a server without the file" ': stripped\+0x[0-9a-f]+ \?$' "$(DEBUGINFOD_URLS=file://$SCRATCH/none "$symname" -d stripped <<<"$addr")"
matches "no servers: one sentence" '^symname: --debuginfod needs servers in DEBUGINFOD_URLS' \
	"$(DEBUGINFOD_URLS='' "$symname" -d stripped <<<"$addr" 2>&1)"

if ! command -v debuginfod >/dev/null; then
	skip "debuginfod is not installed" "a real server"
	finish
fi

port=
for try in 18002 28002 38002 48002; do
	if ! (: <>"/dev/tcp/127.0.0.1/$try") 2>/dev/null; then
		port=$try
		break
	fi
done
mkdir served && cp whole served/
debuginfod -d "$SCRATCH/db" -p "$port" -F served >server.log 2>&1 &
server=$!
also_kill $server
export DEBUGINFOD_URLS=http://127.0.0.1:$port
fetched() {
	rm -rf cache
	"$symname" -d stripped <<<"$addr" | grep -q ': hidden .*known.c:'
}
check "from a real server" wait_until 30 fetched

# A server that does not answer.
kill -STOP $server
rm -rf cache
start=$SECONDS
matches "a server that does not answer: says what it waits for, and leaves" '^not settled: debuginfod: stripped' \
	"$("$symname" -d -w 1500 stripped <<<"$addr")"
[ $((SECONDS - start)) -lt 10 ]
result $? "and at once"
kill -CONT $server

finish
