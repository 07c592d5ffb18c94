#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# autogen.sh - makes ./configure from configure.ac. Needed once after a checkout; release archives contain its result.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config; do
	command -v "$tool" >/dev/null || {
		echo "autogen.sh: $tool is missing (Debian: apt-get install autoconf automake pkg-config)" >&2
		exit 1
	}
done
exec autoreconf --install --force
