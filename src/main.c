/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - picks a command, runs it, and turns an error into a sentence and an exit status.
 *
 * Exit statuses: 0 done, 1 failed, 2 the command line is wrong; `record -- COMMAND` returns what
 * COMMAND returned, `check` 3 for what can be read but is damaged, and `diff --fail-above` 3 when a
 * function grew.
 */
#include "config.h"

#include "capture/bpflog.h"
#include "capture/link.h"
#include "cmd/help.h"
#include "cmd/options.h"
#include "cmd/record_split.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static int run_command(const struct options *o, struct err *e)
{
	static const struct {
		const char *name;
		int (*run)(const struct options *o, struct err *e);
	} commands[] = {
		{ "top", cmd_top },
		{ "record", cmd_record },
		{ "report", cmd_report },
		{ "merge", cmd_merge },
		{ "check", cmd_check },
		{ "diff", cmd_diff },
		{ "doctor", cmd_doctor },
		{ "list", cmd_list },
		{ "trace", cmd_trace },
		{ "symbolize", cmd_symbolize },
		{ "bpf", cmd_bpf },
		{ "branches", cmd_branches },
		{ "serve", cmd_serve },
		{ "agent", cmd_agent },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, o->command_name))
			return commands[i].run(o, e);
	return err_set(e, ENOSYS, "the command is in the table of options but not in that of commands");
}

static void ignore(int sig)
{
}

/*
 * A reader that has seen enough makes writes fail with EPIPE instead of ending sberf in the middle
 * of its work. A handler rather than SIG_IGN: commands that sberf starts do not inherit it.
 */
static void survive_closed_pipes(void)
{
	struct sigaction old, act = { .sa_handler = ignore, .sa_flags = SA_RESTART };

	if (!sigaction(SIGPIPE, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &act, NULL);
}

/* What was printed has to arrive, unless nobody wants to read it. */
static int finish_stdout(int status)
{
	if (!fflush(stdout) || errno == EPIPE || status)
		return status;
	fprintf(stderr, "sberf: cannot write to standard output: %s\n", strerror(errno));
	return EXIT_FAILED;
}

static int no_command(const char *name)
{
	struct err e = ERR_INIT;

	if (name && *name == '-')
		err_set(&e, EINVAL, "there is no option '%s' without a command", name);
	else if (name)
		err_set(&e, EINVAL, "there is no command '%s'", name);
	else
		err_set(&e, EINVAL, "say which command to run");
	fprintf(stderr, "sberf: %s; the commands are", e.text);
	for (size_t i = 0; i < nr_command_infos; i++)
		fprintf(stderr, "%s %s", i ? "," : "", command_infos[i].name);
	fputs("\nTry 'sberf --help'.\n", stderr);
	return EXIT_USAGE;
}

/* What --verbose asks for. Here, since only now is the terminal ours again. */
static void tell_log(void)
{
	fputs("sberf: libbpf and the kernel's verifier said:\n", stderr);
	if (!bpflog_write(stderr))
		fputs("(nothing)\n", stderr);
}

static int run(const struct command_info *c, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct options o;
	int r = options_parse(c->name, argc, argv, &o, &e);

	if (r == OPTIONS_HELP) {
		help_command(stdout, c);
		r = EXIT_DONE;
	} else if (r == OPTIONS_VERSION) {
		puts(PACKAGE_STRING);
		r = EXIT_DONE;
	} else if (r < 0) {
		fprintf(stderr, "sberf %s: %s\nTry 'sberf %s --help'.\n", c->name, e.text, c->name);
		r = EXIT_USAGE;
	} else {
		o.split |= c->bit & CMD_CAPTURING && split_is_usual(&o);
		r = run_command(&o, &e);
		if (r && e.code)
			fprintf(stderr, "sberf %s: %s\n", c->name, e.text);
		if (o.verbose)
			tell_log();
		r = r < 0 ? EXIT_FAILED : r;
	}
	options_free(&o);
	return r;
}

static bool is_either(const char *s, const char *letter, const char *name)
{
	return !strcmp(s, letter) || !strcmp(s, name);
}

static int surplus(const char *option, const char *argument)
{
	struct err e = ERR_INIT;

	err_set(&e, EINVAL, "'%s' is one argument too many for %s", argument, option);
	fprintf(stderr, "sberf: %s\nTry 'sberf --help'.\n", e.text);
	return EXIT_USAGE;
}

/* "help", "--help" and a command, if any. */
static int help(int argc, char **argv)
{
	const struct command_info *c = argc > 1 ? command_find(argv[1]) : NULL;

	if (argc > 2)
		return surplus(argv[0], argv[2]);
	if (c)
		help_command(stdout, c);
	else if (argc == 1 || is_either(argv[1], "-h", "--help"))
		help_main(stdout);
	else
		return no_command(argv[1]);
	return EXIT_DONE;
}

static int version(int argc, char **argv)
{
	if (argc > 1)
		return surplus(argv[0], argv[1]);
	puts(PACKAGE_STRING);
	return EXIT_DONE;
}

/* What is said without a command: NAME is what stands in its place. */
static int run_global(const char *name, int argc, char **argv)
{
	if (is_either(name, "-h", "--help") || !strcmp(name, "help"))
		return help(argc, argv);
	if (is_either(name, "-V", "--version"))
		return version(argc, argv);
	return no_command(name);
}

int main(int argc, char **argv)
{
	const struct command_info *c = argc > 1 ? command_find(argv[1]) : NULL;
	int status;

	setlocale(LC_CTYPE, "");
	survive_closed_pipes();
	if (c)
		status = run(c, argc - 1, argv + 1);
	else
		status = argc > 1 ? run_global(argv[1], argc - 1, argv + 1) : no_command(NULL);
	status = finish_stdout(status);
	links_leave();
	return status;
}
