/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate.c - man pages and shell completion from the tables of commands, options and keys. Runs while sberf is built, on
 * the machine that builds: it is compiled by CC_FOR_BUILD and needs nothing but the tables.
 *
 *	generate man sberf | generate man sberf-top | generate completion
 *
 * Man pages use the man(7) macros; every text passes put_text(), which leaves nothing for roff to interpret.
 */
#include "config.h"

#include "cmd/optable.h"
#include "event/reasons.h"
#include "event/wait.h"
#include "ui/keymap.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void put_text(const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", stdout);
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\e", stdout);
		else if (*s == '-')
			fputs("\\-", stdout);
		else
			putchar(*s);
	}
}

static void line(const char *s)
{
	put_text(s);
	putchar('\n');
}

static void bold(const char *s)
{
	fputs("\\fB", stdout);
	put_text(s);
	fputs("\\fR", stdout);
}

static void italic(const char *s)
{
	fputs("\\fI", stdout);
	put_text(s);
	fputs("\\fR", stdout);
}

static void begin_page(const char *page)
{
	fputs(".\\\" Made by docs/generate.c; do not edit.\n", stdout);
	fputs(".TH ", stdout);
	for (const char *p = page; *p; p++)
		putchar(toupper((unsigned char)*p));
	printf(" 1 \"%s\" \"%s\" \"User commands\"\n", RELEASE_DATE, PACKAGE_STRING);
}

static void capitalised(const char *s)
{
	char first[] = { (char)toupper((unsigned char)*s), '\0' };

	put_text(first);
	put_text(s + 1);
}

static void option(const struct opt *opt)
{
	char value[OPT_VALUE_MAX], text[64];

	fputs(".TP\n", stdout);
	if (opt->letter) {
		snprintf(text, sizeof(text), "-%c", opt->letter);
		bold(text);
		fputs(", ", stdout);
	}
	snprintf(text, sizeof(text), "--%s", opt->name);
	bold(text);
	if (opt->metavar) {
		putchar(' ');
		italic(opt_value(opt, value));
	}
	putchar('\n');
	capitalised(opt->help);
	fputs(".\n", stdout);
	if (opt->more)
		line(opt->more);
	if (opt->fallback && *opt->fallback) {
		fputs("The default is ", stdout);
		put_text(opt->fallback);
		fputs(".\n", stdout);
	}
}

static void options_of(const struct command_info *c)
{
	fputs(".SH OPTIONS\n", stdout);
	for (int section = 0; section < NR_SECTIONS; section++) {
		bool any = false;

		for (size_t i = 0; i < nr_opts; i++) {
			if ((int)opts[i].section != section || !(opts[i].commands & c->bit))
				continue;
			if (!any)
				printf(".SS %s\n", section_titles[section]);
			any = true;
			option(&opts[i]);
		}
		if (any && section == SECTION_TARGET)
			fputs(".TP\n\\fB\\-\\-\\fR \\fICOMMAND\\fR [\\fIARGS\\fR...]\nA command that sberf starts.\n", stdout);
	}
	if (c->bit & CMD_CAPTURING) {
		fputs(".SS Units\n", stdout);
		line("Times take the units ns, us, ms, s, m and h and may have a fraction; without a unit they are seconds. Sizes "
		     "take K, M and G, which are multiples of 1024.");
	}
}

static void paragraphs(const char *const *text)
{
	for (; *text; text++) {
		fputs(".PP\n", stdout);
		line(*text);
	}
}

static void keys_of_mode(enum ui_mode mode, const char *title)
{
	size_t n;
	const struct binding *b = keymap(&n);

	printf(".SS %s\n", title);
	for (size_t i = 0; i < n; i++) {
		if (!(b[i].modes & mode))
			continue;
		fputs(".TP\n", stdout);
		bold(b[i].shown);
		putchar('\n');
		capitalised(b[i].help);
		fputs(".\n", stdout);
	}
}

static void keys(void)
{
	fputs(".SH KEYS\n", stdout);
	keys_of_mode(MODE_TREE, "In the tree");
	keys_of_mode(MODE_WAITS, "In the list of waits");
	keys_of_mode(MODE_SEARCH, "While a search is typed");
	keys_of_mode(MODE_HELP, "On the help screen");
}

/* What --format summary writes, line by line; NULL ends the list. tests/cli/manual.sh compares both. */
static const struct { const char *name, *text; } figures[] = {
	{ "oncpu_samples, oncpu_samples_per_second", "Samples of running threads." },
	{ "oncpu_weight_us", "Running time: exact when waits were followed, else what the samples stand for." },
	{ "oncpu_complete_percent", "Of the samples with a user side: how many have a complete stack." },
	{ "threads, unique_stacks", "How many different ones there are." },
	{ "cut_REASON", "Samples whose stack was cut, by reason (below)." },
	{ "lost_REASON", "Events that were lost, by reason (below)." },
	{ "file_bytes", "Size of the recording." },
	{ "user_cpu_seconds, bpf_cpu_seconds, engine_cpu_seconds, rss_bytes",
	  "What sberf itself used: all of it outside of the kernel, its BPF programs, and, of the first, the thread that takes in "
	  "events; and its memory." },
	{ "event, rate_asked_hz, rate_got_hz, cpus", "What was sampled, how often on each busy CPU, and on how many CPUs." },
	{ "duration_seconds, start, complete", "How long, from when on (UTC), and whether the recording has its end." },
	{ "target, host, kernel, arch, version, command", "What was recorded, where, and by which sberf." },
	{ "user_samples", "Samples with a user side." },
	{ "other_weight_us", "Time under (other), which stands for what had no room in memory." },
	{ "late_events, dictionary_refused, facts_folded", "Events out of order; what had no room in memory." },
	{ "offcpu_weight_us, offcpu_blocked_us, offcpu_runnable_us",
	  "Time of waits, exact: until they were woken, then in the run queue, and both." },
	{ "offcpu_waits", "How many waits there were." },
	{ "offcpu_complete_percent", "Of the waits that have a stack of their own: how many have a complete one." },
	{ "offcpu_sampled_percent, offcpu_extrapolated_percent, offcpu_no_stack_percent",
	  "Of that time: in waits with a stack of their own, spread over the stacks of like waits of the same thread, and with no "
	  "stack to stand on. The three make 100 %." },
	{ "offcpu_open_us, offcpu_open_waits", "Of that time and these waits: not over at the end." },
	{ "offcpu_short_us, offcpu_short_waits", "Left out by --min-block: in none of the above." },
	{ "offcpu_period_us", "Waits of this length and more all have a stack of their own." },
	{ "offcpu_cut_REASON", "Waits whose own stack was cut, by reason (below)." },
	{ "wakers", "Whether it was noted who ended waits." },
	{ "offcpu_outside_stacks, offcpu_outside_hung, offcpu_outside_denied",
	  "Stacks that were read from outside, of threads that were blocked already or found no room, and tries that failed because "
	  "the memory did not answer (a file system that hangs, for one), or may not be read." },
	{ "offcpu_inferred_switches", "Switches that the kernel did not tell; when they were follows from those that it did." },
	{ NULL, NULL },
};

static void reason(const char *kind, const char *name, const char *text)
{
	fputs(".TP\n", stdout);
	fputs("\\fB", stdout);
	put_text(kind);
	put_text(name);
	fputs("\\fR\n", stdout);
	capitalised(text);
	fputs(".\n", stdout);
}

static void summary(void)
{
	fputs(".SH FIGURES\n", stdout);
	line("--format summary writes a line for each of these. What is not known is unknown. Percentages are rounded down: 100.00 means "
	     "all of it.");
	for (size_t i = 0; figures[i].name; i++) {
		fputs(".TP\n", stdout);
		bold(figures[i].name);
		putchar('\n');
		line(figures[i].text);
	}
	fputs(".SS Reasons\n", stdout);
#define X(nr, id, name, text, remedy) if (nr) reason("cut_", name, text);
	CUT_REASONS(X)
#undef X
#define X(nr, id, name, text, remedy) reason("lost_", name, text);
	LOST_REASONS(X)
#undef X
}

static void exit_statuses(const struct command_info *c)
{
	fputs(".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nIt failed; a sentence on standard error says why.\n"
	      ".TP\n2\nThe command line is wrong.\n", stdout);
	if (c && c->bit == CMD_RECORD)
		fputs(".PP\nWith a command behind \\-\\-, its exit status, or 128 and the number of the signal that ended it; 127 when it "
		      "was not found, 126 when it cannot be executed.\n", stdout);
}

static void command_page(const struct command_info *c)
{
	char page[64];

	snprintf(page, sizeof(page), "sberf-%s", c->name);
	begin_page(page);
	printf(".SH NAME\nsberf\\-%s \\- %s\n.SH SYNOPSIS\n", c->name, c->summary);
	snprintf(page, sizeof(page), "sberf %s", c->name);
	bold(page);
	putchar(' ');
	line(c->synopsis);
	fputs(".SH DESCRIPTION\n", stdout);
	line(c->text[0]);
	paragraphs(c->text + 1);
	options_of(c);
	if (c->bit & (CMD_TOP | CMD_REPORT))
		keys();
	if (c->bit == CMD_REPORT)
		summary();
	exit_statuses(c);
	fputs(".SH EXAMPLES\n", stdout);
	for (const char *const *p = c->examples; *p; p += 2) {
		fputs(".TP\n", stdout);
		bold(p[0]);
		putchar('\n');
		capitalised(p[1]);
		fputs(".\n", stdout);
	}
	fputs(".SH SEE ALSO\n.BR sberf (1)\n", stdout);
}

static void main_page(void)
{
	begin_page("sberf");
	fputs(".SH NAME\nsberf \\- show where the time of a running program goes\n"
	      ".SH SYNOPSIS\n\\fBsberf\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n\\fBsberf\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.br\n"
	      "\\fBsberf \\-\\-version\\fR\n.SH DESCRIPTION\n", stdout);
	line("sberf shows where a program's time goes, running and waiting, as one call tree whose stacks are complete on ordinary "
	     "optimised binaries without frame pointers. It samples and follows the scheduler in the kernel with BPF, copies the stack, "
	     "and unwinds it with the tables that compilers emit.");
	fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++) {
		printf(".TP\n.BR sberf\\-%s (1)\n", command_infos[i].name);
		capitalised(command_infos[i].summary);
		fputs(".\n", stdout);
	}
	fputs(".SH PERMISSIONS\n", stdout);
	line("Capturing needs root, or the four capabilities cap_bpf, cap_perfmon, cap_sys_ptrace and cap_syslog. Reading a recording "
	     "needs nothing. `sberf doctor` says what is missing.");
	exit_statuses(NULL);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set and not empty, the terminal view has no colours.\n"
	      ".TP\nDEBUGINFOD_URLS\nWhere \\-\\-debuginfod looks for debug files.\n"
	      ".SH FILES\n.TP\nsberf.data\nThe recording, when no other name is given.\n.SH SEE ALSO\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++)
		printf(".BR sberf\\-%s (1)%s\n", command_infos[i].name, i + 1 < nr_command_infos ? "," : "");
}

/* "-o|--output" patterns of a case statement, for every spelling of OPT after COMMAND. */
static void completion_pattern(const struct command_info *c, const struct opt *opt)
{
	printf("\t\"%s --%s\"", c->name, opt->name);
	if (opt->letter)
		printf(" | \"%s -%c\"", c->name, opt->letter);
	fputs(")\n\t\t", stdout);
}

static void completion_value(const struct opt *opt)
{
	switch (opt->type) {
	case OPT_FILE:
		fputs("_sberf_words -f\n", stdout);
		return;
	case OPT_DIR:
		fputs("_sberf_words -d\n", stdout);
		return;
	case OPT_CHOICE:
	case OPT_SWITCH:
		fputs("_sberf_words -W \"", stdout);
		for (const struct opt_choice *choice = opt->choices; choice->name; choice++)
			printf("%s%s", choice == opt->choices ? "" : " ", choice->name);
		fputs("\"\n", stdout);
		return;
	case OPT_STATES:
		fputs("_sberf_words -W \"", stdout);
#define X(id, nr, letter, name) if (nr) fputs(name " ", stdout);
		WAIT_STATES(X)
#undef X
		fputs("\"\n", stdout);
		return;
	default:
		if (opt->target == OPT_TARGET_PIDS)
			fputs("_sberf_words -W \"$(cd /proc && echo [0-9]*)\"\n", stdout);
		else if (opt->target == OPT_TARGET_NAME)
			fputs("_sberf_words -W \"$(cat /proc/[0-9]*/comm 2>/dev/null)\"\n", stdout);
		else
			fputs(":\n", stdout);
	}
}

static void completion_of(const struct command_info *c)
{
	for (size_t i = 0; i < nr_opts; i++) {
		if (!(opts[i].commands & c->bit) || !opts[i].metavar)
			continue;
		completion_pattern(c, &opts[i]);
		completion_value(&opts[i]);
		fputs("\t\t;;\n", stdout);
	}
	printf("\t\"%s \"*)\n\t\tcase $cur in\n\t\t-*) _sberf_words -W \"", c->name);
	for (size_t i = 0; i < nr_opts; i++)
		if (opts[i].commands & c->bit)
			printf("--%s ", opts[i].name);
	fputs(c->bit & CMD_CAPTURING ? "--\" ;;\n" : "\" ;;\n", stdout);
	if (c->bit & CMD_REPORT)
		fputs("\t\t*) _sberf_words -f ;;\n", stdout);
	fputs("\t\tesac\n\t\t;;\n", stdout);
}

static void completion(void)
{
	fputs("# bash completion for sberf. Made by docs/generate.c; do not edit.\n\n"
	      "_sberf_words() {\n"
	      "\t[[ $1 != -W ]] && compopt -o filenames 2>/dev/null\n"
	      "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	      "}\n\n"
	      "_sberf() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n"
	      "\tCOMPREPLY=()\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\t_sberf_words -W \"", stdout);
	for (size_t i = 0; i < nr_command_infos; i++)
		printf("%s ", command_infos[i].name);
	fputs("--help --version\"\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\t# Behind -- stands a command line of its own.\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
	      "\t\t\tif declare -F _command_offset >/dev/null; then\n"
	      "\t\t\t\t_command_offset $((i + 1))\n"
	      "\t\t\telif ((COMP_CWORD == i + 1)); then\n"
	      "\t\t\t\t_sberf_words -c\n"
	      "\t\t\telse\n"
	      "\t\t\t\t_sberf_words -f\n"
	      "\t\t\tfi\n"
	      "\t\t\treturn\n"
	      "\t\tfi\n"
	      "\tdone\n"
	      "\t# --name=value arrives as three words.\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tcase \"${COMP_WORDS[1]} $prev\" in\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++)
		completion_of(&command_infos[i]);
	fputs("\tesac\n}\n\ncomplete -F _sberf sberf\n", stdout);
}

int main(int argc, char **argv)
{
	const char *page = argc == 3 && !strcmp(argv[1], "man") ? argv[2] : "";
	const struct command_info *c = !strncmp(page, "sberf-", 6) ? command_find(page + 6) : NULL;

	if (argc == 2 && !strcmp(argv[1], "completion"))
		completion();
	else if (c)
		command_page(c);
	else if (!strcmp(page, "sberf"))
		main_page();
	else
		return 2;
	return fflush(stdout) || ferror(stdout);
}
