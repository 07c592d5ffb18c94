# SPDX-License-Identifier: BSD-2-Clause
# sberf.m4 - checks that collect what is missing, so that configure can name everything at once.

# SBERF_MISSING(WHAT, DEBIAN-PACKAGE): remembers that WHAT is missing and which Debian package brings it.
AC_DEFUN([SBERF_MISSING], [
	sberf_missing="$sberf_missing
  $1 (Debian: $2)"
	sberf_missing_packages="$sberf_missing_packages $2"
])

# SBERF_NEED_PKG(PREFIX, MODULE-SPEC, DEBIAN-PACKAGE): PREFIX_CFLAGS and PREFIX_LIBS by pkg-config, or a missing entry.
AC_DEFUN([SBERF_NEED_PKG], [
	PKG_CHECK_MODULES([$1], [$2], [], [SBERF_MISSING([$2], [$3])])
])

# SBERF_NEED_PROG(VARIABLE, NAMES, DEBIAN-PACKAGE): the full path of the first of NAMES, searched in the sbin directories too.
AC_DEFUN([SBERF_NEED_PROG], [
	AC_PATH_PROGS([$1], [$2], [], [$PATH:/usr/sbin:/sbin:/usr/local/sbin])
	AS_IF([test -z "$$1"], [SBERF_MISSING([the program $2], [$3])])
])

# SBERF_CC_FLAGS(VARIABLE, FLAGS): appends to VARIABLE those of FLAGS that the compiler takes without a warning.
AC_DEFUN([SBERF_CC_FLAGS], [
	for sberf_flag in m4_normalize([$2]); do
		AC_MSG_CHECKING([whether $CC takes $sberf_flag])
		sberf_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror $sberf_flag"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
			[AC_MSG_RESULT([yes]); $1="$$1 $sberf_flag"],
			[AC_MSG_RESULT([no])])
		CFLAGS=$sberf_save_CFLAGS
	done
])
