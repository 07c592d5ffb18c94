# SPDX-License-Identifier: BSD-2-Clause
# header3.awk - a manual page of section 3 from a header of src/include/sberf: its comments are the text, its declarations the synopsis
# and the examples.
#	awk -v name=sberf-unwind -v date=2026-11-20 -v version=0.1.0 -f header3.awk HEADER

function plain(s) {
	gsub(/\\/, "\\\\e", s)
	gsub(/-/, "\\-", s)
	sub(/^[.']/, "\\\\\\&&", s)
	return s
}

function end_code() {
	if (in_code)
		print ".fi\n.RE"
	in_code = 0
}

function paragraph() {
	if (!after_title)
		print ".PP"
	after_title = 0
}

function text_line(s) {
	sub(/^ +/, "", s)
	if (s ~ /^- /) {
		print ".IP \\(bu 2"
		sub(/^- /, "", s)
		listed = 1
	} else if (s == "") {
		print ".PP"
		listed = 0
	}
	if (s != "")
		print plain(s)
}

BEGIN {
	printf ".TH %s 3 \"%s\" \"sberf %s\" \"Library Functions Manual\"\n", toupper(name), date, version
}

/^#(ifndef|define|include|ifdef|endif)/ && !/^#define SBERF_[A-Z_]+ [0-9U]/ { next }
/^extern "C"|^\/\* SPDX/ { next }
/^}$/ { next }

# The comment at the top: a title behind a dash, then what it is.
/^\/\*$/ { in_comment = 1; first = !titled; fresh = 1; next }
in_comment && /^ \*\/$/ {
	in_comment = 0
	if (!titled) {
		titled = 1
		print ".SH SYNOPSIS\n.nf\n.B #include <" header ">"
		# A plug-in needs nothing but the header.
		if (name != "sberf-plugin")
			print ".PP\nLink with \\fI\\-lsberf\\fP (pkg\\-config sberf)."
		print ".fi\n.SH INTERFACE"
		after_title = 1
	}
	next
}
in_comment {
	line = $0
	sub(/^ \* ?/, "", line)
	if (first && fresh) {
		header = line
		sub(/ - .*/, "", header)
		sub(/^[^ ]* - /, "", line)
		printf ".SH NAME\n%s \\- %s\n", name, plain(line)
		fresh = 0
		in_title = 1
		next
	}
	if (in_title) {
		if (line == "") {
			in_title = 0
			print ".SH DESCRIPTION"
		} else {
			print plain(line)
		}
		next
	}
	if (fresh) {
		end_code()
		paragraph()
		fresh = 0
	}
	text_line(line)
	next
}
/^\/\* .* \*\/$/ {
	end_code()
	line = $0
	sub(/^\/\* /, "", line)
	sub(/ \*\/$/, "", line)
	paragraph()
	print plain(line)
	next
}
/^$/ { end_code(); next }
{
	if (!in_code) {
		paragraph()
		print ".RS 4\n.nf"
	}
	in_code = 1
	sub(/SBERF_(API|PLUGIN_EXPORT) /, "")
	gsub(/\t/, "        ")
	print plain($0)
}

END {
	end_code()
	printf ".SH SEE ALSO\n.BR sberf (1),\n.BR sberf\\-symbolize (1)"
	n = split("plugin symbolize unwind", page, " ")
	for (i = 1; i <= n; i++)
		if (name != "sberf-" page[i])
			printf ",\n.BR sberf\\-%s (3)", page[i]
	print ""
}
