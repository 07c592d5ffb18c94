/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h - what --help prints, from the tables of optable.h. */
#ifndef SBERF_CMD_HELP_H
#define SBERF_CMD_HELP_H

#include "cmd/optable.h"

#include <stdio.h>

/* The help of `sberf` itself: what it is, and its commands. */
void help_main(FILE *f);

/* The help of one command. */
void help_command(FILE *f, const struct command_info *c);

#endif
