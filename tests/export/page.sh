# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# page.sh - sourced by tests that open pages in a browser.

# needs_browser: skips the whole test without what it takes.
needs_browser() {
	command -v python3 >/dev/null || skip_all "python3 is not installed"
	command -v chromium >/dev/null || skip_all "chromium is not installed"
	command -v xmllint >/dev/null || skip_all "xmllint is not installed (package libxml2-utils)"
}

# page_checks SCRIPT ARG...: runs tests/export/SCRIPT on this directory; its lines "0 TITLE" and "1 TITLE" become subtests.
page_checks() {
	local script=$1 status title
	shift
	while read -r status title; do
		case $status in
		[0-9]*) result "$status" "$title" ;;
		*) note "$title" ;;
		esac
	done < <(
		PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/export/$script" "$PWD" "$@" 2>&1
		echo "$? $script has got to its end"
	)
}
