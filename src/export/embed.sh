#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh DIRECTORY [SERVE] - the viewer of flame graphs as C strings, on standard output, with the hashes that content-security policies
# name; with the directory SERVE the page of `sberf serve`, which is the same viewer with the parts there around it. Indentation, empty
# lines and comments that have a line of their own stay behind.
set -e
dir=$1
serve=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# script FILE...: what a <script> holds.
script() {
	echo '/* SPDX-License-Identifier: BSD-2-Clause - the viewer of sberf */'
	echo '(function () {'
	echo '"use strict";'
	for part; do
		case $part in serve*) part=$serve/$part ;; *) part=$dir/$part ;; esac
		sed -e 's/^[[:space:]]*//' -e '/^\/\//d' -e '/^$/d' "$part"
	done
	echo '})();'
}

# string NAME FILE [static]: a constant.
string() {
	echo "${3:+$3 }const char $1[] ="
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

# safe FILE...: nothing in them ends the element that they stand in.
safe() {
	if grep -niE '\]\]>|</(script|style)|<!--' "$@" >&2; then
		echo "embed.sh: this would end the script that it stands in" >&2
		exit 1
	fi
}

if [ -n "$serve" ]; then
	script flame_model.js flame_draw.js flame_page.js flame_app.js flame_table.js serve_tree.js serve_strip.js serve_list.js serve_start.js >"$work/serve"
	cat "$dir/flame.css" "$serve/serve.css" | sed -e 's/^[[:space:]]*//' >"$work/css"
	safe "$work/serve" "$work/css"
	echo "/* SPDX-License-Identifier: BSD-2-Clause */"
	string serve_style "$work/css" static
	string serve_script "$work/serve" static
	exit
fi

# The still picture is for those who run no scripts: who does need not lay it out.
echo 'document.documentElement.classList.add("sberf-live")' >"$work/first"
script flame_model.js flame_draw.js flame_page.js flame_app.js flame_start.js >"$work/svg"
script flame_model.js flame_draw.js flame_page.js flame_app.js flame_table.js flame_start.js >"$work/html"
sed -e 's/^[[:space:]]*//' "$dir/flame.css" >"$work/css"
safe "$work/svg" "$work/html" "$work/css"
string flame_style "$work/css"
string flame_script_first "$work/first"
string flame_script_svg "$work/svg"
string flame_script_html "$work/html"
echo "const char flame_style_hash[] = \"$(hash "$work/css")\";"
echo "const char flame_script_first_hash[] = \"$(hash "$work/first")\";"
echo "const char flame_script_html_hash[] = \"$(hash "$work/html")\";"
