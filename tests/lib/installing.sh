# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# installing.sh - sourced by tests of libsberf: it is installed below $dest, and pkg-config and the loader know that.
here=$top_srcdir/tests/lib
work=$SCRATCH
dest=$work/root

# told STATUS TITLE FILE: one subtest; when it failed, FILE is what there is to see.
told() {
	[ "$1" -eq 0 ] || note "$(head -50 "$3")"
	result "$1" "$2"
}

make -C "$top_builddir" --no-print-directory install DESTDIR="$dest" >"$work/install.log" 2>&1
told $? "make install" "$work/install.log"
pc=$(find "$dest" -name sberf.pc)
lib=$(dirname "$(dirname "${pc:-/none/none}")")
export PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH=$lib
[ -n "$pc" ] && pkg-config --exists sberf
result $? "pkg-config knows sberf"
