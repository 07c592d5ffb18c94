/* SPDX-License-Identifier: BSD-2-Clause */
/* pressure_text.h - puts the pressure of the target's cgroup (system/pressure.h) into words. */
#ifndef SBERF_QUERY_PRESSURE_TEXT_H
#define SBERF_QUERY_PRESSURE_TEXT_H

#include "profile/meta.h"

#include <stddef.h>

#define PRESSURE_TEXT_MAX 512

/*
 * "pressure of web: CPU 84.1 %, memory 0.0 %, I/O 2.0 % of the time", in which some thread waited for that; where the
 * kernel keeps none, why. "" when the target is in no cgroup of its own. Returns DST.
 */
char *pressure_text(const struct profile_meta *m, char dst[PRESSURE_TEXT_MAX]);

/* Of the last ten seconds, for a line of figures: "pressure CPU 84.1 %, memory 0.0 %, I/O 2.0 %"; "" as above. */
char *pressure_text_now(const struct profile_meta *m, char dst[PRESSURE_TEXT_MAX]);

#endif
