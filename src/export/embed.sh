#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh DIRECTORY - the viewer of flame graphs as C strings, on standard output, with the hashes that content-security policies
# name. Indentation, empty lines and comments that have a line of their own stay behind.
set -e
dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# script FILE...: what a <script> holds.
script() {
	echo '/* SPDX-License-Identifier: BSD-2-Clause - the viewer of sberf */'
	echo '(function () {'
	echo '"use strict";'
	for part; do
		sed -e 's/^[[:space:]]*//' -e '/^\/\//d' -e '/^$/d' "$dir/$part"
	done
	echo '})();'
}

# string NAME FILE: a constant.
string() {
	echo "const char $1[] ="
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/	"&\\n"/' "$2"
	echo ';'
}

# hash FILE: its SHA-256 in base64.
hash() {
	sha256sum <"$1" | awk '{
		abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for (i = 1; i <= 64; i += 3) {
			v = have = 0
			for (k = 0; k < 3; k++) {
				c = substr($1, i + k, 1)
				have += c != ""
				v = v * 16 + (c == "" ? 0 : index("0123456789abcdef", c) - 1)
			}
			out = out substr(abc, int(v / 64) + 1, 1) (have > 1 ? substr(abc, v % 64 + 1, 1) : "")
		}
		print out "="
	}'
}

# The still picture is for those who run no scripts: who does need not lay it out.
echo 'document.documentElement.classList.add("sberf-live")' >"$work/first"
script flame_model.js flame_draw.js flame_page.js flame_app.js flame_start.js >"$work/svg"
script flame_model.js flame_draw.js flame_page.js flame_app.js flame_table.js flame_start.js >"$work/html"
sed -e 's/^[[:space:]]*//' "$dir/flame.css" >"$work/css"
if grep -niE '\]\]>|</(script|style)|<!--' "$work/svg" "$work/html" "$work/css" >&2; then
	echo "embed.sh: this would end the script that it stands in" >&2
	exit 1
fi
string flame_style "$work/css"
string flame_script_first "$work/first"
string flame_script_svg "$work/svg"
string flame_script_html "$work/html"
echo "const char flame_style_hash[] = \"$(hash "$work/css")\";"
echo "const char flame_script_first_hash[] = \"$(hash "$work/first")\";"
echo "const char flame_script_html_hash[] = \"$(hash "$work/html")\";"
