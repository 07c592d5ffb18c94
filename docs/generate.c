/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate.c - man pages and shell completion from the tables of commands, options and keys. Runs
 * while sberf is built, on the machine that builds: it is compiled by CC_FOR_BUILD and needs
 * nothing but the tables.
 *
 *	generate man sberf | generate man sberf-top | generate man sberf-probe | generate completion
 *
 * Man pages use the man(7) macros; every text passes put_text(), which leaves nothing for roff to
 * interpret.
 */
#include "config.h"

#include "cmd/optable.h"
#include "model/measure.h"
#include "model/method.h"
#include "model/reasons.h"
#include "model/wait.h"
#include "probe/kinds.h"
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

static void begin_page(const char *page, int section)
{
	fputs(".\\\" Made by docs/generate.c; do not edit.\n", stdout);
	fputs(".TH ", stdout);
	for (const char *p = page; *p; p++)
		putchar(toupper((unsigned char)*p));
	printf(" %d \"%s\" \"%s\" \"%s\"\n", section, RELEASE_DATE, PACKAGE_STRING,
	       section == 1 ? "User commands" : "Miscellaneous");
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

/* What each format is that USER offers, and what it groups by and counts when that is its own choice. */
static void formats(enum exporter_user user)
{
	const struct exporter *x;

	fputs(".RS\n", stdout);
	for (unsigned int i = 0; (x = exporter_get(user, i)); i++) {
		const char *about = user == EXPORT_BY_DIFF ? x->diff.about : user == EXPORT_BY_BATCH ?
			x->batch.about : x->about;
		const bool report = user == EXPORT_BY_REPORT;

		fputs(".TP\n", stdout);
		bold(exporter_name(user, x));
		putchar('\n');
		capitalised(about);
		if ((user == EXPORT_BY_DIFF ? x->diff.group_by : report ? x->group_by : GROUP_NONE) == GROUP_COMM)
			put_text("; by comm unless --group-by is given");
		if ((user == EXPORT_BY_DIFF ? x->diff.measures : report ? x->measures : 0) == MEASURES_ON_CPU)
			put_text("; of on-cpu unless --metric is given");
		if (report && x->waits_too)
			put_text(", or of off-cpu where --state or --syscall choose waits");
		line(".");
	}
	fputs(".RE\n", stdout);
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
		fputs(opt->bare ? "[=" : " ", stdout);
		italic(opt_value(opt, value));
		fputs(opt->bare ? "]" : "", stdout);
	}
	putchar('\n');
	capitalised(opt->help);
	fputs(".\n", stdout);
	if (opt->more)
		line(opt->more);
	if (opt->type == OPT_MEASURES)
		measures();
	if (opt->type == OPT_FORMAT)
		formats((enum exporter_user)opt->min);
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
			fputs(".TP\n\\fB\\-\\-\\fR \\fICOMMAND\\fR [\\fIARGS\\fR...]\nA command that sberf "
			      "starts.\n", stdout);
	}
	if (c->bit & CMD_TARGETING) {
		fputs(".SS Units\n", stdout);
		line("Times take the units ns, us, ms, s, m and h and may have a fraction; without a unit they are "
		     "seconds. Sizes "
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

/* What the strip of time is, behind its keys. */
static void words_on_time(void)
{
	line("Each column is one refresh, as far as there is room; in a recording the columns cover all of it. A "
	     "column shows how much was running, runnable and blocked then, and the line of the cursor says it in "
	     "words. Enter begins a range, and a second Enter ends it. Then all other panes show that time alone, and "
	     "the header names it, until Esc. A range consists of whole slices of the profile. A slice is a second "
	     "long, and longer for what is more than two minutes old. When the slices cover more than the range, sberf "
	     "says what it really shows. The capture and the strip go on meanwhile. The strip shows what the filters "
	     "leave, slice by slice; the heat map shows everything. In the heat map each second is a column, and the "
	     "offset within the second is a row: what comes back every second at the same moment is a line. A click "
	     "goes to a column, a double click is Enter there, and drawing with the mouse marks a range.");
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
	if (mode == MODE_TIME)
		words_on_time();
}

static void filters(void)
{
	static const char *const forms[][2] = {
		{ "malloc|free", "stacks in which a function matches this regular expression (extended, without back "
		  "references)" },
		{ "thread:redis-*,12", "threads of this name or tid; * and ? are wildcards, and commas separate "
		                       "several patterns, of which one must match" },
		{ "process:postgres", "processes of this name, that of the main thread or of the executable, or pid" },
		{ "cgroup:4f1c", "cgroups with this text in their path, such as a part of a container's id" },
		{ "node:0-1", "what the CPUs of these NUMA nodes did" },
		{ "state:D,K", "waits in these states, by letter or name; running time is left out" },
		{ "syscall:futex", "waits in these system calls; running time is left out" },
		{ "size:4K,1M-", "blocks of memory, and changes of it, of these sizes, by powers of two: 4K is 4 KB to "
		  "less than 8 KB, 1K-64K 1 KB to less than 128 KB, 1M- 1 MB and more; all else is left out" },
		{ "!...", "all but that, for any of these" },
		{ "function:...", "a function whose name looks like one of these, such as function:state:x" },
	};

	puts(".PP");
	line("A filter has one of these forms. Several filters add up: all must hold, in all panes and in "
	     "what S saves.");
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
	line("The screen has one pane or several: the call tree, its flame graph, the list of waits, NUMA nodes, "
	     "threads, functions, modules, time, and quality. The quality pane says how good all figures are: "
	     "truncated stacks "
	     "by reason and module, losses, how stacks were unwound, and what can be done about each. A key shows or "
	     "hides each pane. The panes share the screen as its size allows. The pane whose title line is heavy takes "
	     "the keys. The last line counts the panes that have no room; Tab leads to them. sberf remembers which "
	     "panes were open, the order and grouping of the tree, and the options behind o, in "
	     "$XDG_CONFIG_HOME/sberf/view, by default ~/.config/sberf/view.");
#define X(id, name, key, shown, needs, footer, brief, help, where) keys_of_mode(MODE_##id, where);
	PANE_LIST(X)
#undef X
	keys_of_mode(MODE_ANNOTATE, "In the code of a function");
	keys_of_mode(MODE_SEARCH, "While a search is typed");
	keys_of_mode(MODE_FILTER, "While a filter is typed");
	filters();
	keys_of_mode(MODE_FILTERS, "In the list of filters");
	keys_of_mode(MODE_PROBE, "While a probe is typed");
	keys_of_mode(MODE_SAVE, "After S: what to save it as");
	keys_of_mode(MODE_OPTIONS, "After o: which option to change");
	keys_of_mode(MODE_SPAN, "After I: what of the time in the calls of a probe to show");
	keys_of_mode(MODE_LENGTH, "While the length of calls is typed");
	keys_of_mode(MODE_PICK, "In the list of processes to pick from");
	keys_of_mode(MODE_PICK_TEXT, "While a text is typed there");
	keys_of_mode(MODE_HELP, "On the help screen");
	fputs(".SS With the mouse\n", stdout);
	line("A click on a line moves the cursor there, and a click on its mark opens or closes it. A click on the "
	     "head of a column sorts by it, on the title line of a pane it chooses that pane, and on a key of the last "
	     "line it presses that key. A double click zooms into a line of the tree, leads from a function to the "
	     "tree, and shows only one thread; on a title line it shows that pane alone. The wheel scrolls the pane "
	     "under the pointer. With Shift most terminals select text as usual.");
}

/* What --format summary writes, line by line; NULL ends the list. tests/cli/manual.sh compares both. */
static const struct { const char *name, *text; } figures[] = {
	{ "oncpu_samples, oncpu_samples_per_second", "Samples of running threads." },
	{ "oncpu_weight_us", "Running time: exact when waits were followed, else what the samples stand for." },
	{ "oncpu_complete_percent", "Of the samples with a user stack: how many have a complete one." },
	{ "threads, unique_stacks", "How many different threads and stacks there are." },
	{ "cut_REASON", "Samples whose user stack is truncated, by reason (below)." },
	{ "lost_REASON", "Events that were lost, by reason (below)." },
	{ "file_bytes", "Size of the recording." },
	{ "user_cpu_seconds, bpf_cpu_seconds, engine_cpu_seconds, rss_bytes",
	  "What sberf itself used: CPU time of its processes and of its BPF programs; of the first, the part of the "
	  "engine thread, which takes in events; and memory." },
	{ "event, rate_asked_hz, rate_got_hz, cpus", "The event, how often it was asked for and how often it came on "
	                                             "each busy CPU, and on how many CPUs." },
	{ "duration_seconds, start, complete", "How long the recording is, when it began (UTC), and whether it has its "
	                                       "end." },
	{ "target, host, kernel, arch, version, command", "What was recorded, on which machine, and by which sberf." },
	{ "kernel_without", "Features that the capture did without, because the kernel lacks them or does not permit "
	                    "them (docs/kernels.md)." },
	{ "plugins", "What each plug-in has named, and what it failed at (docs/plugins.md)." },
	{ "user_samples", "Samples with a user stack." },
	{ "other_weight_us", "Time under (other): what found no room in memory is added up there." },
	{ "late_events, dictionary_refused, facts_folded", "Events that came out of order; entries and facts that "
	                                                   "found no room in memory." },
	{ "unwound_kernel_percent, unwound_copy_percent, unwound_frame_pointers_percent, unwound_none_percent, "
	  "unwound_records_percent",
	  "Of the stacks of samples and waits: how many were unwound in the kernel by learned rules, how many were "
	  "copied (--unwind), how many were unwound by frame pointers, how many had nothing to unwind, and how "
	  "many were taken from branch records of the CPU. The five make 100 %." },
	{ "unwound_learned_percent", "Of them: how many were copied, and gave the kernel rules that it had lacked." },
	{ "walk_REASON", "Stacks that were copied, by the reason why the kernel did not unwind them (below)." },
	{ "verify_checked, verify_different",
	  "Stacks that were unwound in the kernel, and were also copied and unwound from the copy to the end; and how "
	  "many of them had other frames (--verify-unwind)." },
	{ "verify_incomplete", "Stacks that were unwound in the kernel, and whose copy did not reach the end: of these "
	                       "nothing can be said." },
	{ "verify_shorter, verify_longer, verify_other_module, verify_other_place",
	  "Those that differ, by the first different frame: the kernel ended early or late, or came to another module, "
	  "or to another place in the same module." },
	{ "verify_kernel_checked, verify_kernel_different",
	  "Kernel stacks that were read by learned rules and unwound by the kernel's own unwinder too, and how many of "
	  "them had other frames (--verify-unwind)." },
	{ "script_stacks, script_whole, script_unread, script_cut",
	  "Stacks of programs in Python with frames of Python; of these: with all of them, with some that could not be "
	  "read, and with more than are read (1,024, and less beside a large stack)." },
	{ "script_unmatched, script_nameless, script_refused",
	  "Stacks in which there are not as many calls of the interpreter as runs of its frames, so that frames may "
	  "stand in the wrong place between native ones; frames whose name could not be read; frames and processes "
	  "that were too many." },
	{ "split_asked, split_refused, worker_ended, files_left",
	  "With --split: requests to sberf-collector, and how many of them it refused; how often sberf-worker, which "
	  "reads files, ended and was started again; and files at which it ended twice, whose functions have no names "
	  "since." },
	{ "images_in_worker, rows_asked, rows_late",
	  "With --split: files that sberf-worker has read for unwinding; how often it was asked about places of them, "
	  "and how often a stack had to wait for the answer and was unwound later." },
	{ "rules_pages, rules, rules_processes, rules_evicted",
	  "The rules that the kernel had at the end: pages of code, different rules, processes; and how many pages and "
	  "processes were removed to make room. In merged recordings these are the largest values; the last one is a "
	  "sum." },
	{ "rules_bytes", "Memory of these rules: all kernel maps that unwinding needs, and what sberf keeps of them "
	                 "for itself." },
	{ "offcpu_weight_us, offcpu_blocked_us, offcpu_runnable_us",
	  "Time of waits, exact: all of it, the part until somebody woke the thread, and the part in the run queue." },
	{ "offcpu_waits", "How many waits there were." },
	{ "offcpu_complete_percent", "Of the waits that have a stack of their own: how many have a complete one." },
	{ "offcpu_sampled_percent, offcpu_extrapolated_percent, offcpu_no_stack_percent",
	  "Of that time: in waits with a stack of their own, spread over the stacks of similar waits of the same "
	  "thread, and without any stack. The three make 100 %." },
	{ "offcpu_open_us, offcpu_open_waits", "Of that time and these waits: those that had not ended." },
	{ "offcpu_short_us, offcpu_short_waits", "Left out by --min-block: in none of the figures above." },
	{ "offcpu_period_us", "All waits of this length and longer have a stack of their own." },
	{ "offcpu_cut_REASON", "Waits whose own stack is truncated, by reason (below)." },
	{ "wakers", "Whether wakers were recorded." },
	{ "offcpu_outside_stacks, offcpu_outside_hung, offcpu_outside_denied",
	  "Stacks that were read from outside, of threads that were blocked before the capture or whose stack found no "
	  "room; and tries that failed because the memory did not answer (for example a file system that hangs), or "
	  "may not be read." },
	{ "offcpu_inferred_switches", "Switches that the kernel did not report; their times follow from those that it "
	                              "did." },
	{ "offcpu_summed_waits", "Short waits whose stack was known already, added up in the kernel: exact; not with "
	                         "--unwind copy." },
	{ "offcpu_unsummed_waits", "Short waits that found no room to be added up, and were sampled instead." },
	{ "offcpu_untold_handovers",
	  "Threads that waited for a lock, and were woken when four thousand handovers of that second had been told on "
	  "that CPU: their waits are divided among fewer holders." },
	{ "pressure_of", "The container, unit or cgroup that the target is or is in, where it has one of its own." },
	{ "pressure_cpu_some_us, pressure_cpu_full_us, pressure_memory_some_us, pressure_memory_full_us, "
	  "pressure_io_some_us, pressure_io_full_us",
	  "For how long some of its threads waited for a CPU, memory or I/O, and for how long none ran because all "
	  "that were there waited for it: the pressure of this cgroup v2, as the kernel has it." },
	{ "probe_hits_per_second, probe_cost_percent",
	  "How often probes were hit while they were in place, lately, and what that cost the target, in percent of "
	  "one CPU: measured, as far as it is the programs of sberf, and else as it was found before (sberf list)." },
	{ "probe_told_each",
	  "1: each hit of probes in the kernel was told, or added up with others of its stack. N: more than --budget "
	  "was to be paid, and at the worst one of N hits of a probe was, with what those before it weigh: totals are "
	  "exact, and whose stack they are seen with is a sample." },
	{ "probe_slices",
	  "1: probes in programs were in place all the time. N: more than --budget was to be paid, and at the worst "
	  "they were in place for one Nth of it. Their numbers are estimates then: of what there would be if they were "
	  "always in place." },
	{ "probe_own_cost_ns",
	  "What was taken off the time of a call at most: so much of it was the probe's own, as measured on this "
	  "machine when the capture began." },
	{ "memory_sample_bytes", "With --memory: by how many bytes blocks of memory were sampled." },
	{ "memory_blocks_sampled, memory_blocks_living", "Blocks that were sampled, and those of them that were alive "
	  "last, without those of processes that have ended." },
	{ "memory_in_use_bytes, memory_peak_bytes", "What living blocks stand for, last and when it was the most." },
	{ "memory_dropped", "Sampled blocks that found no room to be followed: they count as allocated, and not as in "
	  "use." },
	{ "memory_missed_frees", "Blocks whose address was allocated again, so their free was missed." },
	{ "memory_unknown_frees", "Frees of blocks that nobody told of." },
	{ "memory_unseen_processes", "With --memory=preload: processes of programs into which no library could be put, "
	  "such as those that are linked statically. What they allocated is not known." },
	{ "memory_not_followed_since_us", "When more than --budget was to be paid, so that probes were in place for a "
	  "part of the time, and frees may not have been seen: what is in use is not known since then." },
	{ "numa_nodes, numa_sampled", "NUMA nodes that are online, and whether accesses and page faults "
	  "were sampled." },
	{ "numa_samples, numa_address_percent", "Samples for which sberf looked for the address of an access, and how "
	                                        "many of them gave one." },
	{ "numa_accesses", "Those of them whose page is on a known node." },
	{ "numa_far_percent, numa_far_us",
	  "Of the time that these stand for: how much went to pages on another node than that of the CPU, and how "
	  "long that is. "
	  "Estimated." },
	{ "numa_miss_REASON", "Samples that gave no address, or no page, by reason (below)." },
	{ "numa_faults, numa_fault_samples, numa_fault_misses",
	  "Page faults, estimated; how many were sampled; and how many of these had a page that was on no node when "
	  "sberf asked." },
	{ "numa_balancing_faults",
	  "Page faults that the kernel's NUMA balancing causes to see who uses a page, estimated; they are no first "
	  "touches." },
	{ "numa_migrations, numa_kernel_migrations",
	  "How often threads came back on another node than they had left, and how often the scheduler moved them to "
	  "another one, running or not. Exact." },
	{ "numa_too_large", "States of the nodes that found no room in the recording." },
	{ "numa_threads_left, numa_processes_left",
	  "Threads and processes that sberf did not look at, the most at one time: it does not know their home nodes "
	  "and where their memory is." },
	{ "frames_no_table_percent",
	  "Frames of user code without unwind table, in all stacks of samples and waits: there sberf follows frame "
	  "pointers, or guesses." },
	{ "unreadable",
	  "How often sberf could not read a part of a file that names or stacks need. unreadable_1 to unreadable_8, as "
	  "far as there are so many, say which file, and why." },
	{ "files_stripped",
	  "Files with functions on some stack that have no names, because their symbols were stripped: these functions "
	  "are named by the place where they start." },
	{ NULL, NULL },
};

/* What is in --format numa and in the view by node, in their order; NULL ends the list. */
static const struct { const char *name, *text; } nodes[] = {
	{ "nodes",
	  "Running and run queue: time on the CPUs of a node and in their run queues, exact. Memory and free are of "
	  "the machine. Target is the memory of the target there, estimated from about a thousand pages of each "
	  "process; memory that processes share counts in each of them. Faults are page faults whose page is there, "
	  "estimated. Moves are threads that came back on another node, exact." },
	{ "accesses",
	  "Samples that were accessing memory, from the node of their CPU (from) to the node of the page (to). sberf "
	  "finds the address from the instruction before the one that was interrupted, and from the registers. So it "
	  "is an estimate which page the CPU waited for. Samples in the kernel have no address." },
	{ "functions",
	  "Of the time of these samples: far is the part that went to other nodes, share is its percentage, and cost "
	  "is far weighed by distance: 2.1 times at a distance of 21. Accesses are samples with an address, samples "
	  "are all of a function." },
	{ "first touches",
	  "Page faults, which decide on the node of a page, by call path; estimated from samples, whose number stands "
	  "beside. Elsewhere: the page is on another node than the thread that touched it. Nowhere: the page was gone "
	  "when sberf asked, or is the page of zeros that is read before anything is written." },
	{ "migrations",
	  "Threads that came back on a CPU of another node, by where they had left, and how many a second. The sum is "
	  "exact; of very many only some have a call path." },
	{ "threads",
	  "Home is the node that the kernel prefers, or, marked with ~, the one where the thread ran most; now is "
	  "where it ran last." },
	{ "memory",
	  "Resident memory and accesses by what the memory is for. Resident is an estimate; memory that processes "
	  "share counts in each of them." },
	{ "processes", "Policy and cpuset as the kernel reports them; how many of the pages that sberf looked at are "
	               "of a kind and on a node." },
	{ "samples without an address", "The reasons." },
	{ NULL, NULL },
};

static void by_node(bool is_report)
{
	fputs(".SH NUMA NODES\n", stdout);
	line(is_report ? "--format numa has these parts, as far as they are not empty. With one node there is nothing "
	                 "about distances." :
	     "The pane of NUMA nodes has these parts, as far as they are not empty. With one node there is nothing "
	     "about distances.");
	for (size_t i = 0; nodes[i].name; i++) {
		fputs(".TP\n", stdout);
		bold(nodes[i].name);
		putchar('\n');
		line(nodes[i].text);
	}
	if (!is_report)
		return;
	fputs(".PP\n", stdout);
	line("Of many functions, call paths, threads and processes it lists the first ones, and says how many more "
	     "there are; the pane of NUMA nodes has all of them. A call path goes from the innermost function "
	     "outwards, without helpers such as memcpy or malloc; an ellipsis ends it where it has no room. --format "
	     "tree and folded have whole call paths: with --far those of far accesses.");
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
	line("--format summary writes one line for each of these. A value that is not known is unknown. Percentages "
	     "are rounded down: 100.00 means all of it. Figures that make 100 % together are rounded so that they do.");
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
		fputs(".TP\n3\nA recording can be read, but a part of it is damaged, or its end is missing. When "
		      "another one cannot be "
		      "read at all, the status is 1.\n", stdout);
	if (c && c->bit == CMD_DIFF)
		fputs(".TP\n3\nWith \\-\\-fail\\-above: a function grew; a sentence on standard error says "
		      "which.\n", stdout);
	if (c && c->bit == CMD_DOCTOR)
		fputs(".TP\n3\nWith \\-p: there is a deadlock.\n", stdout);
	if (c && c->bit & (CMD_TRACE | CMD_BRANCHES))
		fputs(".PP\nWith a command behind \\-\\-, its exit status, or 128 and the number of the signal that "
		      "ended it; 127 when it was not found, 126 when it cannot be executed.\n", stdout);
	if (c && c->bit == CMD_RECORD)
		fputs(".PP\nWith a command behind \\-\\-, its exit status, or 128 and the number of the signal that "
		      "ended it; 127 when it "
		      "was not found, 126 when it cannot be executed; 1 when the recording failed, whatever the "
		      "command did.\n", stdout);
}

static void command_page(const struct command_info *c)
{
	char page[64];

	snprintf(page, sizeof(page), "sberf-%s", c->name);
	begin_page(page, 1);
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
	begin_page("sberf", 1);
	fputs(".SH NAME\nsberf \\- show where the time of a running program goes\n"
	      ".SH SYNOPSIS\n\\fBsberf\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n\\fBsberf\\fR \\fICOMMAND\\fR "
	      "\\fB\\-\\-help\\fR\n.br\n"
	      "\\fBsberf \\-\\-version\\fR\n.SH DESCRIPTION\n", stdout);
	line("sberf shows where the time of a program goes, running and waiting, as one call tree. The stacks are "
	     "complete on ordinary optimised binaries without frame pointers. BPF programs sample and follow the "
	     "scheduler in the kernel. They copy the first stacks; sberf unwinds these with the tables that compilers "
	     "emit, and gives the BPF programs the rules that it learned from them. Then the BPF programs unwind "
	     "further stacks themselves.");
	fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++) {
		printf(".TP\n.BR sberf\\-%s (1)\n", command_infos[i].name);
		capitalised(command_infos[i].summary);
		fputs(".\n", stdout);
	}
	fputs(".SH PERMISSIONS\n", stdout);
	line("Capturing needs root, or the four capabilities cap_bpf, cap_perfmon, cap_sys_ptrace and cap_syslog. "
	     "Reading a recording needs no privilege. `sberf doctor` says what is missing.");
	fputs(".PP\n", stdout);
	line("Where sberf may (root, cap_sys_nice), the one thread that answers keys and draws the screen runs before "
	     "other threads (SCHED_FIFO, the lowest priority; see sched(7)). It computes for milliseconds at a time. "
	     "When sberf is started with a niceness above 0, as by nice(1), it does not do this.");
	exit_statuses(NULL);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set and not empty, the terminal view has no colours.\n"
	      ".TP\nSBERF_THEME\nWhether the terminal is \\fBdark\\fR or \\fBlight\\fR. It makes a difference where "
	      "there are fewer than "
	      "256 colours: on a background that is not known to be dark (from here, from COLORFGBG, or because "
	      "it is the Linux "
	      "console) only colours are used that can be read on any.\n"
	      ".TP\nDEBUGINFOD_URLS\nWhere \\-\\-debuginfod looks for debug files.\n"
	      ".SH FILES\n.TP\nsberf.data\nThe recording, when no other name is given.\n.SH SEE ALSO\n", stdout);
	for (size_t i = 0; i < nr_command_infos; i++)
		printf(".BR sberf\\-%s (1),\n", command_infos[i].name);
	fputs(".BR sberf\\-probe (7)\n", stdout);
}

/* Pairs of what is written and what it is; NULL ends the list. */
static void terms(const char *const (*t)[2])
{
	for (; (*t)[0]; t++) {
		fputs(".TP\n", stdout);
		bold((*t)[0]);
		putchar('\n');
		line((*t)[1]);
	}
}

static void probe_kinds(void)
{
	char text[128];

	for (enum probe_kind k = 0; k < PROBE_KINDS; k++) {
		const struct probe_kind_info *info = probe_kind_info(k);

		fputs(".TP\n", stdout);
		snprintf(text, sizeof(text), "%s%s", info->name, info->form);
		bold(text);
		if (info->alias) {
			snprintf(text, sizeof(text), "%s%s", info->alias, info->form);
			fputs(", ", stdout);
			bold(text);
		}
		putchar('\n');
		capitalised(info->about);
		line(".");
	}
}

/* sberf-probe(7): the grammar of src/probe/spec.h, for users. */
static void probe_page(void)
{
	static const char *const places[][2] = {
		{ "malloc, Class::method, ns::f(int)", "The function of this name, as it stands in the source, with "
		  "or without its parameters; or the name of its symbol." },
		{ "ns::*, tcp_send?, f[0-9]", "All functions that the wildcard matches as a whole." },
		{ "/^ns::(a|b)/", "All functions in whose name the extended regular expression is found. It stands "
		  "in the last field alone; a slash in it is written \\/." },
		{ "file.c:123", "Where the code of this line begins: once in each function, and in "
		  "each call that was inlined. The file is known by the end of its path." },
		{ "name+0x10", "The instruction so many bytes behind the begin of the function." },
		{ "0x1234", "The instruction at this offset of the file. TARGET+0x1234 is the same." },
		{ NULL, NULL },
	};
	static const char *const values[][2] = {
		{ "arg0 ... arg5", "The arguments of a function, a system call, a raw tracepoint or a USDT probe." },
		{ "retval", "What a function or a system call returned." },
		{ "latency", "The time from entry to return, or from the begin of a span to its end, in nanoseconds." },
		{ "comm, pid, tid, cpu", "The name of the thread, its process, its number, and the CPU." },
		{ "size, args->size", "A field of a tracepoint, or a parameter of a function whose debug "
		  "information is there. With args-> before it, it may have the name of another value: args->pid." },
		{ "req->head.size[3]", "Members, through pointers or not." },
		{ "4096, 0x1000, 4K, 10ms", "Numbers: sizes in bytes, times in nanoseconds." },
		{ "\"worker\"", "Text. It can be compared by == and != alone. What it is compared with is read as "
		  "text from the memory of the program." },
		{ NULL, NULL },
	};
	static const char *const examples[][2] = {
		{ "sys:openat /retval < 0/", "Calls of openat that failed." },
		{ "sys:%net", "System calls about the network." },
		{ "tracepoint:sched:sched_migrate_task /dest_cpu == 0/", "Threads that move to CPU 0." },
		{ "tracepoint:syscalls:sys_enter_write sum(count)", "How many bytes were to be written." },
		{ "fault:major", "What waits for a disk by touching memory." },
		{ "signal /sig == 9/", "Who kills whom." },
		{ "kprobe:vfs_read /arg2 > 1M/", "Large reads, where the kernel carries them out." },
		{ "kretprobe:vfs_read /retval < 0/", "Reads that failed there." },
		{ "call:./app:Server::handle /latency > 10ms/", "Slow calls of a function." },
		{ "call:libc.so.6:malloc sum(arg0)", "How many bytes were asked for." },
		{ "call:./app:handle /arg1 > 4096 && comm == \"worker\"/ sum(arg1)", "The same, of some calls of "
		  "one thread." },
		{ "usdt:/usr/bin/python3:python:gc__start /arg0 == 2/", "Full garbage collections of Python." },
		{ "span:u:./app:begin~~u:./app:commit /latency > 1ms/", "From one function to another." },
		{ NULL, NULL },
	};

	begin_page("sberf-probe", 7);
	fputs(".SH NAME\nsberf\\-probe \\- how probes are written\n.SH SYNOPSIS\n", stdout);
	line("KIND[:FIELD...] [/CONDITION/] [MEASURE]");
	fputs(".SH DESCRIPTION\n", stdout);
	line("A probe is a place in a program or in the kernel. Whenever a thread comes there, sberf takes note, "
	     "with the stack that led there. This page describes how a probe is written. "
	     "sberf top, sberf record and sberf trace place all of them "
	     "(--probe); sberf list shows what there is.");
	fputs(".SS Kinds\n", stdout);
	probe_kinds();
	fputs(".PP\n", stdout);
	line("TARGET is the name or the path of a program or library, such as libc.so.6 or ./app. It may be left "
	     "out, also with its colon; then the function is probed wherever the observed processes have it.");
	fputs(".SS Functions\n", stdout);
	terms(places);
	fputs(".PP\n", stdout);
	line("Lines need debug information. Where it is in the file itself, or no function has the name, uprobe: of a "
	     "name means the calls of it that the compiler has inlined, too: sberf list shows each place, and the pane "
	     "of probes how many they are. Such a call does not return, so call: leaves them out.");
	line("A single colon separates fields, a double one belongs to a name. A backslash before a character takes "
	     "its meaning: operator\\*, a\\:b. A blank belongs to a name too, unless a condition, a measure or ~~ "
	     "stands behind it.");
	fputs(".SS Calls and returns\n", stdout);
	line("call: takes note of a function when it returns: how long it took, with the stack of the call. Time in "
	     "what it calls belongs to it, also in itself, so the times of a function that calls itself are more than "
	     "passed. uretprobe: counts the same. A function that is left by longjmp(), or whose thread ends in it, "
	     "does not return and is not counted. 48 such calls of a thread can be under way at a time; those above "
	     "are lost, which is counted (lost_open_calls).");
	line("The kernel replaces the return address of a function that is followed to its return, until then. "
	     "sberf puts the true ones into all stacks, also where another tool does so. The program itself must not "
	     "look at its return addresses: exceptions of C++ and panics of Rust that leave such a function would end "
	     "the program. So in files of these languages, and of functions that return twice, such as setjmp(), "
	     "no return address is replaced: sberf probes the instructions that leave the function. Calls "
	     "that are left by an exception or a panic are not counted; how many there were is said at the end. Where "
	     "a function ends by a jump to another one, as compilers make it of a last call, it ends at that jump: "
	     "the time of the other one is not in it, and its result is not known, so retval cannot be used. Such a "
	     "function must be decoded completely: sberf list says why one cannot be followed. Functions of Go are "
	     "not, since goroutines change their threads and their stacks move; uprobe: counts their entries. "
	     "Functions of C are probed like that, too, where exceptions may pass them: in processes that have a "
	     "library for exceptions, or with -a, -n and --cgroup, those that call others; of the C library those "
	     "that call back, such as qsort(). Do not follow functions of C in a program that loads its first "
	     "library of C++ later (dlopen), and throws through them. "
	     "In programs that change stacks themselves (fibers), a call on one stack "
	     "may be taken for one that was left when another stack is used meanwhile. A "
	     "function is followed only where its unwind table says where the return address is.");
	line("A call that is followed costs the program some microseconds, and 20 or more where the kernel has to run "
	     "a copy of the probed instruction, as where functions are left by instructions that are probed: sberf "
	     "list says where. As far as that would count in the time of the call, it is measured at the start, "
	     "on this machine, and taken off (probe_own_cost_ns).");
	fputs(".SS Tracepoints and functions of the kernel\n", stdout);
	line("A hit of a tracepoint, or of a function of the kernel, belongs to the thread that runs then. In an "
	     "interrupt that is whoever was interrupted. All probes of a command can mean 256 tracepoints and "
	     "functions of the kernel together.");
	line("The functions of the kernel are those of /proc/kallsyms, also of modules, by the names of their symbols; "
	     "one that the compiler made a copy of (f.isra.0, f.constprop.0) is named f, too. Of a wildcard those are "
	     "left out which the kernel lets nobody probe. kretprobe: counts returns, with the "
	     "result, and the stack of who called. Where a function was inlined it cannot be seen. A kernel "
	     "that was built without kprobes (CONFIG_KPROBE_EVENTS) refuses all of them, which sberf says.");
	fputs(".SS Page faults and signals\n", stdout);
	line("fault counts each page fault once the kernel has handled it: what getrusage(2) counts, without what "
	     "the kernel touches by itself. Its value is address. The stack is that of the code that "
	     "touched it, or made the system call that did. sberf trace says what is mapped there: a file, heap, "
	     "stack or anon. It looks up the path of the file a little later: of a program that has ended by then it "
	     "has the name without the path (before Linux 5.17, nothing). CPUs that "
	     "come later are not watched, and faults of other processes cost a fraction of a microsecond more.");
	line("signal counts signals that the target sends and signals that it is sent, those that a command is sent "
	     "from outside without a stack. Its values are sig, to_pid, to_tid, code (si_code of sigaction(2)), group "
	     "(1: for the process) and result (0: delivered, 1: ignored, 2: already pending). pid and tid are those of "
	     "the sender. What a timer or another interrupt sends seems to come from the thread that was "
	     "interrupted. A command can have one such probe.");
	fputs(".SS Spans\n", stdout);
	line("A span begins with a hit of its first probe, and ends with a hit of the second one by the same thread. "
	     "It has the stack and the values of its end. Spans may be nested: an end belongs to the begin "
	     "that came last. Ends without a begin, and begins without an end so far, are counted apart, and told when "
	     "the command ends. 32 spans of a thread can be open at a time; then the oldest one is forgotten, which "
	     "is counted (lost_open_calls). Where --budget has probes in place for a part of the time only, a "
	     "span begins and ends within one such part.");
	line("A system call begins a span at its entry and ends one at its return, where it has no values; call: "
	     "begins one at the entry of a function. Returns of functions cannot stand in a span yet.");
	fputs(".SH CONDITIONS\n", stdout);
	line("A condition stands between slashes behind a blank. It is evaluated in the kernel; where it is 0, "
	     "nothing is taken note of. The operators are those of C: || && == != < <= > >= | ^ & << >> + - * ! ~ "
	     "and parentheses. | ^ & bind more strongly than comparisons, so arg1 & 64 == 64 needs no parentheses. "
	     "There is no division. Values are signed numbers of 64 bits.");
	terms(values);
	fputs(".PP\n", stdout);
	line("A condition or a sum can use arg0 to arg5 of functions (of the kernel, too), system calls, raw "
	     "tracepoints and static probes, parameters by name, the values of faults and signals, fields of "
	     "tracepoints, retval, latency, comm, pid, tid, cpu and numbers. retval is a whole register of "
	     "64 bits: of a function that returns int, retval & 0xffffffff is its value.");
	line("The fields of a tracepoint are those of its format, which sberf list shows: prev_pid of sched_switch, "
	     "args[1] of raw_syscalls:sys_enter, count of syscalls:sys_enter_read; those that begin with common_ "
	     "cannot be read. A wildcard may mean tracepoints that have a field at different places. arg0 to arg5 "
	     "of a static probe stand where its note says, which can differ from place to place.");
	line("Arguments of system calls have the names that sberf list shows: fd, count, filename. Of a set of calls, "
	     "such as sys:%file, those are meant that have such an argument. What they point to has the names that the "
	     "kernel's own types (BTF) give it: uservaddr->sa_family of connect, vec[0].iov_len of writev, as it is "
	     "when the call has returned.");
	line("Parameters of functions of the kernel and of raw tracepoints, and what they lead to, have the names of "
	     "these types, too, as sberf list says: file->f_inode->i_ino of kprobe:vfs_read, bprm->filename of "
	     "rawtracepoint:sched_process_exec, retval->f_flags of a function that returns a pointer. There the memory "
	     "is that of the kernel.");
	line("Text in quotes, of up to 63 bytes, can be compared with comm and with strings: of system calls "
	     "(filename == \"/etc/passwd\"), of tracepoints (arrays, char * and __data_loc char[]), of parameters and "
	     "what they lead to (req->path == \"/\", where the type is char * or an array of char), and where arg0 to "
	     "arg5, or the result of a function, point to. At most 64 bytes of a string are read, so one without an "
	     "end is just another one. One probe can compare with 4 texts. A system call's strings are read when it "
	     "has returned, when they are in memory; after execve they are gone.");
	line("retval->field is read when the function returns, arg1->field when it begins: both by debug information.");
	line("Parameters by name are those of uprobe: and call:, in programs whose debug information is in the file "
	     "or beside it: count, req->size, req->head.list[3], through up to 4 pointers to a number or a pointer, "
	     "but not to a field of bits. They are read at the first instruction of the function, also for "
	     "call:, so the probe is not moved to a cheaper one. A parameter that the compiler left out, or that is "
	     "passed in memory, is refused.");
	line("One probe can use 8 names, of kind call 4. A hit of which a value cannot be read is not taken note of, "
	     "but counted (lost_value).");
	line("In a span each of both probes may have a condition; that of the second one knows the latency. Where "
	     "it does not hold the span has ended all the same, and is not counted.");
	fputs(".SH MEASURES\n", stdout);
	line("count() counts hits, time() adds up the time from entry to return or of a span, sum(EXPRESSION) adds "
	     "up a value, as sum(arg1); a value below 0 counts as 0. By default kinds with a return are timed, and "
	     "others are counted.");
	fputs(".SH EXAMPLES\n", stdout);
	terms(examples);
	fputs(".SH SEE ALSO\n.BR sberf (1)\n", stdout);
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
	case OPT_FORMAT:
	case OPT_MEASURES:
		fputs("_sberf_words -W \"", stdout);
		for (unsigned int i = 0; opt_word(opt, i); i++)
			printf("%s%s", i ? " " : "", opt_word(opt, i));
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

static void completion_options(const struct command_info *c)
{
	for (size_t i = 0; i < nr_opts; i++)
		if (opts[i].commands & c->bit)
			printf("--%s ", opts[i].name);
}

static void completion_of(const struct command_info *c)
{
	for (size_t i = 0; i < nr_opts; i++) {
		if (!(opts[i].commands & c->bit) || !opts[i].metavar)
			continue;
		completion_pattern(c, &opts[i]);
		if (opts[i].bare) {
			/* Another option may follow as well. */
			fputs("if [[ $cur == -* ]]; then _sberf_words -W \"", stdout);
			completion_options(c);
			fputs("\"; else ", stdout);
		}
		completion_value(&opts[i]);
		if (opts[i].bare)
			fputs("\t\tfi\n", stdout);
		fputs("\t\t;;\n", stdout);
	}
	printf("\t\"%s \"*)\n\t\tcase $cur in\n\t\t-*) _sberf_words -W \"", c->name);
	completion_options(c);
	fputs(c->bit & CMD_TARGETING ? "--\" ;;\n" : "\" ;;\n", stdout);
	if (c->bit & (CMD_READING | CMD_CHECK | CMD_MERGE | CMD_SERVE))
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
	      "# Does a probe stand at the cursor? Lines are split here by blanks: readline does so at colons, too.\n"
	      "_sberf_at_probe() {\n"
	      "\tlocal line=${COMP_LINE:0:COMP_POINT} before quoted=\"--probe[= ]+([\\\"'])(.*)$\"\n"
	      "\tlocal -a words\n"
	      "\t# A condition stands in quotes, which are open still.\n"
	      "\tif [[ $line =~ $quoted && ${BASH_REMATCH[2]} != *\"${BASH_REMATCH[1]}\"* ]]; then\n"
	      "\t\tcur=${BASH_REMATCH[2]}\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tread -ra words <<<\"$line\"\n"
	      "\tcur=\n"
	      "\t[[ $line == *[[:space:]] ]] || { cur=${words[-1]} && unset 'words[-1]'; }\n"
	      "\t((${#words[@]} > 1)) || return\n"
	      "\tbefore=${words[-1]}\n"
	      "\t[[ $cur == --probe=* ]] && cur=${cur#--probe=} && return\n"
	      "\t[[ $before == --probe ]] && return\n"
	      "\t[[ ${words[1]} == list && $cur != -* && $before != -@(p|n) && $before != --@(pid|name|complete) ]]\n"
	      "}\n\n"
	      "# What can be probed: of the target that the line names, and within a second.\n"
	      "_sberf_probes() {\n"
	      "\tlocal i\n"
	      "\tlocal -a words target=()\n"
	      "\tread -ra words <<<\"${COMP_LINE:0:COMP_POINT}\"\n"
	      "\tfor ((i = 1; i < ${#words[@]}; i++)); do\n"
	      "\t\tcase ${words[i]} in\n"
	      "\t\t-p | -n | --pid | --name) target=(\"${words[i]}\" \"${words[i+1]-}\") ;;\n"
	      "\t\t--pid=* | --name=* | -p?* | -n?*) target=(\"${words[i]}\") ;;\n"
	      "\t\tesac\n"
	      "\tdone\n"
	      "\tcur=${cur#[\\\"\\']}\n"
	      "\tmapfile -t COMPREPLY < <(timeout 1 \"${words[0]}\" list ${target[@]+\"${target[@]}\"} "
	      "--complete \"$cur\" 2>/dev/null)\n"
	      "\t[[ ${COMPREPLY[*]} == *: ]] && compopt -o nospace 2>/dev/null\n"
	      "\t# What stands before the last colon is another word for readline.\n"
	      "\t[[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*:}\"}\"}\")\n"
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
	      "\tif [[ ${COMP_LINE-} ]] && _sberf_at_probe; then\n"
	      "\t\t_sberf_probes\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcur=${COMP_WORDS[COMP_CWORD]}\n"
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
	else if (!strcmp(page, "sberf-probe"))
		probe_page();
	else if (!strcmp(page, "sberf"))
		main_page();
	else
		return 2;
	return fflush(stdout) || ferror(stdout);
}
