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
#include "model/measure.h"
#include "model/method.h"
#include "model/reasons.h"
#include "model/wait.h"
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

/* What each measure is, but for the parts of wall time, which everybody knows. */
static void measures(void)
{
	char text[512];

	for (unsigned int id = TIME_NR; id < measures_count(); id++) {
		const struct measure *m = measure_get(id);

		if (!m->about)
			continue;
		snprintf(text, sizeof(text), "%s: %s.", m->name, m->about);
		line(text);
	}
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
	if (opt->type == OPT_MEASURES)
		measures();
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

static void filters(void)
{
	static const char *const forms[][2] = {
		{ "malloc|free", "stacks in which a function matches this regular expression (extended, without back references)" },
		{ "thread:redis-*,12", "threads of this name or tid; * and ? are wildcards, commas separate what may be either" },
		{ "process:postgres", "processes of this name, that of the main thread or of the executable, or pid" },
		{ "cgroup:4f1c", "cgroups with this in their path, such as a part of a container's id" },
		{ "node:0-1", "what the CPUs of these NUMA nodes did" },
		{ "state:D,K", "waits in these states, by letter or name; running time is left out" },
		{ "syscall:futex", "waits in these system calls; the same" },
		{ "!...", "all but that, whatever it is" },
		{ "function:...", "a function whose name would be taken for one of these" },
	};

	puts(".PP");
	line("A filter is one of these. Several add up: all of them must hold, in all panes and in what S saves.");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		puts(".TP");
		bold(forms[i][0]);
		putchar('\n');
		capitalised(forms[i][1]);
		puts(".");
	}
}

static void keys(void)
{
	fputs(".SH KEYS\n", stdout);
	line("The screen has one or several panes: the call tree, its flame graph, the list of waits, the view by NUMA node, threads, functions each "
	     "by itself, a strip of time, and how good all these figures are: incomplete stacks by reason and module, losses, how stacks "
	     "were unwound, and what can be done about each. A key shows or hides each of them; they share the screen as its size allows, and keys go to the one whose "
	     "rule is heavy. What finds no room is counted in the last line, and comes with Tab. Which ones were open is kept, "
	     "with the order and grouping of the tree and the options behind o, in $XDG_CONFIG_HOME/sberf/view, by default ~/.config/sberf/view, for the next time.");
	keys_of_mode(MODE_TREE, "In the tree");
	keys_of_mode(MODE_FLAME, "In the flame graph");
	keys_of_mode(MODE_WAITS, "In the list of waits");
	keys_of_mode(MODE_NUMA, "In the view by NUMA node");
	keys_of_mode(MODE_THREADS, "In the list of threads");
	keys_of_mode(MODE_FUNCS, "In the list of functions");
	keys_of_mode(MODE_QUALITY, "Where it is said how good figures are");
	keys_of_mode(MODE_TIME, "In the strip of time");
	line("There is a column for each refresh, as far as there is room, and in a recording for all of it: how much ran, was runnable and was "
	     "blocked then. The cursor says it in words. Enter begins a range, and a second one ends it: then all other panes show what "
	     "was seen in that time alone, and the header names it, until Esc. What is shown is whole slices of the profile, of a second, "
	     "and of more where two minutes have passed; if that is more than was asked for, it is said. The capture goes on "
	     "meanwhile, and so does the strip. What filters leave is on it, as well as slices know; the heat map is of everything. It has "
	     "a column for each second and a row for each offset in it: what comes back every second at the same time is a line. A click "
	     "goes to a column, a double click there is Enter, and what the mouse is drawn over "
	     "is a range.");
	keys_of_mode(MODE_ANNOTATE, "In the code of a function");
	keys_of_mode(MODE_SEARCH, "While a search is typed");
	keys_of_mode(MODE_FILTER, "While a filter is typed");
	filters();
	keys_of_mode(MODE_FILTERS, "In the list of filters");
	keys_of_mode(MODE_SAVE, "After S: what to save it as");
	keys_of_mode(MODE_OPTIONS, "After o: which option to change");
	keys_of_mode(MODE_PICK, "In the list of processes to pick from");
	keys_of_mode(MODE_PICK_TEXT, "While a text is typed there");
	keys_of_mode(MODE_HELP, "On the help screen");
	fputs(".SS With the mouse\n", stdout);
	line("A click on a line moves the cursor there, on its mark it opens or closes the line, on the head of a column it sorts, on a "
	     "rule it takes the focus, and what the last line names it presses. A double click zooms into a line of the tree, "
	     "leads from a function to the tree and leaves only a thread; on a rule it shows the pane alone. The wheel scrolls "
	     "the pane under the pointer. With Shift most terminals mark text as ever.");
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
	{ "kernel_without", "What the capture did without, as the kernel lacks it or does not permit it (docs/kernels.md)." },
	{ "user_samples", "Samples with a user side." },
	{ "other_weight_us", "Time under (other), which stands for what had no room in memory." },
	{ "late_events, dictionary_refused, facts_folded", "Events out of order; what had no room in memory." },
	{ "unwound_kernel_percent, unwound_copy_percent, unwound_frame_pointers_percent, unwound_none_percent",
	  "Of the stacks of samples and waits: how many were walked in the kernel by learnt rules, how many copied (--unwind), how many walked "
	  "by frame pointers, and of how many there was nothing to walk. The four make 100 %." },
	{ "unwound_learned_percent", "Of them: how many were copied, and taught the kernel what it had been lacking to walk them." },
	{ "walk_REASON", "Stacks that were copied, by why the kernel did not walk them (below)." },
	{ "verify_checked, verify_different",
	  "Stacks walked in the kernel that were copied too and walked again to their end, and how many of them had other frames "
	  "(--verify-unwind)." },
	{ "verify_incomplete", "Stacks walked in the kernel whose copy did not lead to the end: of them nothing can be said." },
	{ "verify_shorter, verify_longer, verify_other_module, verify_other_place",
	  "Those that differ, by the first frame that does: the kernel's walk ended early or late, or came to another module, or to another "
	  "place in the same one." },
	{ "verify_kernel_checked, verify_kernel_different",
	  "Stacks in the kernel that were read by what was learnt of them and told by the kernel's unwinder too, and how many of them had other "
	  "frames (--verify-unwind)." },
	{ "rules_pages, rules, rules_processes, rules_evicted",
	  "What the kernel knew in the end to walk stacks by: pages of code, different rules, processes; and how many pages and processes had "
	  "to give way to others. Of recordings that were merged the largest; the last one is a sum." },
	{ "rules_bytes", "Memory of these, in all maps of the kernel that walks need, and of what sberf keeps of them for itself." },
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
	{ "offcpu_summed_waits", "Short waits of a stack that was told already, summed up in the kernel: exact; not with --unwind copy." },
	{ "offcpu_unsummed_waits", "Short waits that found no room to be summed, and were sampled instead." },
	{ "numa_nodes, numa_sampled", "NUMA nodes that are online, and whether accesses and page faults were sampled." },
	{ "numa_samples, numa_address_percent", "Samples that were asked for the address of an access, and how many of them gave one." },
	{ "numa_accesses", "Those of them whose page was found on a node." },
	{ "numa_far_percent, numa_far_us",
	  "Of the time that these stand for: how much went to pages on another node than that of the CPU, and how long that is. "
	  "Estimated." },
	{ "numa_miss_REASON", "Samples that gave no address, or no page, by reason (below)." },
	{ "numa_faults, numa_fault_samples, numa_fault_misses",
	  "Page faults, estimated; how many were sampled; and, of these, how many had a page that was nowhere when asked for." },
	{ "numa_balancing_faults",
	  "Page faults by which the kernel's automatic balancing saw who uses a page, estimated; they are no first touches." },
	{ "numa_migrations, numa_kernel_migrations",
	  "How often threads came back on another node than they had left, and how often the scheduler put them to another one, "
	  "running or not. Exact." },
	{ "numa_too_large", "States of the nodes that found no room in the recording." },
	{ "numa_threads_left, numa_processes_left",
	  "Threads and processes, at most at a time, that were not looked at: their homes and where their memory is are not known." },
	{ "frames_no_table_percent",
	  "Frames of user code that have no unwind table, in all stacks of samples and waits: stacks go on from them by frame pointers, or by a guess." },
	{ "unreadable",
	  "How often something of a file could not be read that names or stacks need; unreadable_1 to unreadable_8, as far as there are so many, "
	  "say of which file, and why." },
	{ NULL, NULL },
};

/* What is in --format numa and in the view by node, in their order; NULL ends the list. */
static const struct { const char *name, *text; } nodes[] = {
	{ "nodes",
	  "Running and run queue: time on and for the CPUs of a node, exact. Memory and free are of the machine. Target is what the "
	  "target has there, estimated from about a thousand pages of each process; what processes share counts in each of them. "
	  "Faults are page faults whose page is there, estimated. Moves are threads that came back on another node, exact." },
	{ "accesses",
	  "Samples that were touching memory, from the node of their CPU (from) to the node of the page (to). The address is found "
	  "from the instruction before the one that was interrupted, and the registers; which page had been waited for is therefore "
	  "an estimate. Samples in the kernel have no address." },
	{ "functions",
	  "Of the time of these samples: far is what went to other nodes, share its part, and cost is far weighed by distance: "
	  "2.1 times at a distance of 21. Accesses are samples with an address, samples all of a function." },
	{ "first touches",
	  "Page faults, which decide on the node of a page, by call path; estimated from samples, whose number is beside it. "
	  "Elsewhere: the page is on another node than who touched it. Nowhere: it was gone when asked for, or is the page of "
	  "zeros that is read before anything is written." },
	{ "migrations",
	  "Threads that came back on a CPU of another node, by where they had left, and how many a second. Exact in sum; of very many "
	  "only some have a path." },
	{ "threads",
	  "Home is the node that the kernel prefers, or, marked with ~, the one where the thread ran most; now where it ran last." },
	{ "memory",
	  "Resident memory and accesses by what the memory is for. Resident is an estimate, and what processes share counts in each." },
	{ "processes", "Policy and cpuset as the kernel tells them; how many of the pages looked at are of a kind and on a node." },
	{ "samples without an address", "Why." },
	{ NULL, NULL },
};

static void by_node(bool is_report)
{
	fputs(".SH NUMA NODES\n", stdout);
	line(is_report ? "--format numa has these parts, those that are not empty. On one node there is nothing about distances." :
	     "The view by node has these parts, those that are not empty. On one node there is nothing about distances.");
	for (size_t i = 0; nodes[i].name; i++) {
		fputs(".TP\n", stdout);
		bold(nodes[i].name);
		putchar('\n');
		line(nodes[i].text);
	}
	if (!is_report)
		return;
	fputs(".PP\n", stdout);
	line("Of many functions, call paths, threads and processes the first are listed, and how many more there are; the view by node has "
	     "them all. A call path goes from the inside to the outside, without helpers such as memcpy or malloc; where it has no room an "
	     "ellipsis ends it. --format tree and folded have it whole: with --far those of far accesses.");
}

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
	     "all of it. Of those that make 100 % together the sums are.");
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
#define X(nr, id, name, text, remedy) reason("walk_", name, text);
	WALK_REASONS(X)
#undef X
#define X(nr, id, name, text) if (nr) reason("numa_miss_", name, text);
	ACCESS_MISSES(X)
#undef X
}

static void exit_statuses(const struct command_info *c)
{
	fputs(".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nIt failed; a sentence on standard error says why.\n"
	      ".TP\n2\nThe command line is wrong.\n", stdout);
	if (c && c->bit == CMD_CHECK)
		fputs(".TP\n3\nA recording can be read, but a part of it is damaged, or its end is missing. When another one cannot be "
		      "read at all, the status is 1.\n", stdout);
	if (c && c->bit == CMD_DIFF)
		fputs(".TP\n3\nWith \\-\\-fail\\-above: a function grew; a sentence on standard error says which.\n", stdout);
	if (c && c->bit == CMD_RECORD)
		fputs(".PP\nWith a command behind \\-\\-, its exit status, or 128 and the number of the signal that ended it; 127 when it "
		      "was not found, 126 when it cannot be executed; 1 when the recording failed, whatever the command did.\n", stdout);
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
	if (c->bit & (CMD_TOP | CMD_REPORT))
		by_node(c->bit == CMD_REPORT);
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
	     "optimised binaries without frame pointers. It samples and follows the scheduler in the kernel with BPF, copies "
	     "the first stacks, unwinds them with the tables that compilers emit, and teaches the BPF program what these say, which walks "
	     "the next ones by itself.");
	fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++) {
		printf(".TP\n.BR sberf\\-%s (1)\n", command_infos[i].name);
		capitalised(command_infos[i].summary);
		fputs(".\n", stdout);
	}
	fputs(".SH PERMISSIONS\n", stdout);
	line("Capturing needs root, or the four capabilities cap_bpf, cap_perfmon, cap_sys_ptrace and cap_syslog. Reading a recording "
	     "needs nothing. `sberf doctor` says what is missing.");
	fputs(".PP\n", stdout);
	line("Where it may (root, cap_sys_nice), the one thread that answers keys and draws runs before other threads (SCHED_FIFO, the "
	     "lowest priority; see sched(7)). It computes for milliseconds at a time. Started with a niceness above 0, as by nice(1), sberf "
	     "does without.");
	exit_statuses(NULL);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set and not empty, the terminal view has no colours.\n"
	      ".TP\nSBERF_THEME\nWhether the terminal is \\fBdark\\fR or \\fBlight\\fR. It makes a difference where there are fewer than "
	      "256 colours: on a background that is not known to be dark (from here, from COLORFGBG, or because it is the Linux "
	      "console) only colours are used that can be read on any.\n"
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
	case OPT_FILES:
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
	case OPT_MEASURES:
		fputs("_sberf_words -W \"", stdout);
		for (unsigned int i = 0; opt_measure(opt, i); i++)
			printf("%s%s", i ? " " : "", opt_measure(opt, i));
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
	if (c->bit & (CMD_READING | CMD_CHECK | CMD_MERGE))
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
