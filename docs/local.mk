# SPDX-License-Identifier: BSD-2-Clause
# docs: manual pages and descriptions of formats. One "EXTRA_DIST += docs/FILE" a line.
EXTRA_DIST += docs/architecture.md
