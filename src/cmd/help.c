/* SPDX-License-Identifier: BSD-2-Clause */
/* help.c - lays out help as plain text in 80 columns. */
#include "config.h"

#include "cmd/help.h"

#include <string.h>

#define COLUMNS 79
#define OPTION_COLUMNS 30        /* where the descriptions of options begin */

/* Writes TEXT in lines of COLUMNS; the cursor is at AT, further lines begin at INDENT. Ends the last line. */
static void help_wrap(FILE *f, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		const size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > COLUMNS) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		at += (size_t)fprintf(f, "%s%.*s", first ? "" : " ", (int)len, text);
		first = false;
		text += len + strspn(text + len, " ");
	}
	fputc('\n', f);
}

/*
 * Writes the VALUE of an option, behind BEFORE, behind AT columns: in lines that end behind a choice when it
 * is long. Returns the columns used.
 */
static size_t put_value(FILE *f, const char *before, const char *value, size_t at)
{
	const size_t indent = at + strlen(before);

	at += (size_t)fprintf(f, "%s", before);
	while (*value) {
		const size_t len = strcspn(value, "|"), with_bar = len + (value[len] == '|');

		if (at > indent && at + with_bar > COLUMNS) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		}
		at += (size_t)fprintf(f, "%.*s", (int)with_bar, value);
		value += with_bar;
	}
	return at;
}

static void put_option(FILE *f, const struct opt *opt)
{
	size_t at = (size_t)(opt->letter ? fprintf(f, "  -%c, --%s", opt->letter, opt->name) : fprintf(f,
		"      --%s", opt->name));
	char value[OPT_VALUE_MAX];

	if (opt->metavar)
		at = put_value(f, opt->bare ? "[=" : " ", opt_value(opt, value), at);
	if (opt->bare)
		at += (size_t)fprintf(f, "]");
	if (at + 2 > OPTION_COLUMNS) {
		fputc('\n', f);
		at = 0;
	}
	fprintf(f, "%*s", (int)(OPTION_COLUMNS - at), "");
	if (opt->fallback && *opt->fallback) {
		char text[256];

		snprintf(text, sizeof(text), "%s (%s)", opt->help, opt->fallback);
		help_wrap(f, text, OPTION_COLUMNS, OPTION_COLUMNS);
	} else {
		help_wrap(f, opt->help, OPTION_COLUMNS, OPTION_COLUMNS);
	}
}

static void help_put_section(FILE *f, const struct command_info *c, enum opt_section section)
{
	bool any = false;

	for (size_t i = 0; i < nr_opts; i++) {
		if (opts[i].section != section || !(opts[i].commands & c->bit))
			continue;
		if (!any)
			fprintf(f, "\n%s:\n", section_titles[section]);
		any = true;
		put_option(f, &opts[i]);
	}
	if (any && section == SECTION_TARGET && c->bit & CMD_TARGETING)
		fprintf(f, "  %-*s%s\n", OPTION_COLUMNS - 2, "-- COMMAND [ARGS...]", "a command that sberf starts");
}

void help_command(FILE *f, const struct command_info *c)
{
	fprintf(f, "Usage: sberf %s%s%s\n", c->name, *c->synopsis ? " " : "", c->synopsis);
	for (const char *const *p = c->text; *p; p++) {
		fputc('\n', f);
		help_wrap(f, *p, 0, 0);
	}
	for (int s = 0; s < NR_SECTIONS; s++)
		help_put_section(f, c, (enum opt_section)s);
	if (c->bit & CMD_TARGETING)
		fputs("\nTIME takes a unit: 500ms, 5s, 2m. BYTES too: 4096, 32K, 1M.\n", f);
	fputs("\nExamples:\n", f);
	for (const char *const *p = c->examples; *p; p += 2)
		fprintf(f, "  %s\n      %s\n", p[0], p[1]);
}

void help_main(FILE *f)
{
	fputs("Usage: sberf COMMAND [OPTIONS]\n"
	      "       sberf COMMAND --help, sberf help COMMAND\n"
	      "       sberf --version\n\n"
	      "Shows where the time of a running program goes, as one call tree.\n\n"
	      "Commands:\n", f);
	for (size_t i = 0; i < nr_command_infos; i++)
		fprintf(f, "  %-10s%s\n", command_infos[i].name, command_infos[i].summary);
}
