/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h - prints --help from the tables of optable.h. */
#ifndef SBERF_CMD_HELP_H
#define SBERF_CMD_HELP_H

#include "cmd/optable.h"

#include <stdio.h>

/* Prints the help of `sberf` itself: what it is, and its commands. */
void help_main(FILE *f);

/* Prints the help of the command C. */
void help_command(FILE *f, const struct command_info *c);

#endif
