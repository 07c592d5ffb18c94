// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel_excerpt.c - makes of a kernel's vmlinux with debug information a small one that has a few of its functions:
 * with their symbols, inlined calls, files and lines, and the build-id, and without code. Writes it as assembly:
 *
 *	kernel_excerpt VMLINUX FUNCTION... >excerpt.s
 *	gcc -nostdlib -static -Wl,--build-id=none,--section-start=.kernel=0xffffffff81000000,-e0 -o excerpt excerpt.s
 *
 * tests/data/symbol/vmlinux-6.1.0-57-amd64 is that of ksys_dup3, do_dup2, do_sys_openat2 and do_filp_open of Debian's
 * linux-image-6.1.0-57-amd64-dbg 6.1.192-3.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 1024u
#define TEXT_BASE 0xffffffff81000000ull

static char *file_name[FILES_MAX];
static unsigned int files;
static unsigned int ranges;      /* lists so far */
static char all_ranges[1 << 20];
static size_t ranges_len;
static char all_lines[1 << 20];
static size_t lines_len;
static char symbols[1 << 16];
static size_t symbols_len;
static char all_units[1 << 14];  /* the ranges of each */
static size_t units_len;
static unsigned int units;

static void die(const char *what)
{
	fprintf(stderr, "kernel_excerpt: %s\n", what);
	exit(1);
}

/* The number of the file NAME, without the folder COMP_DIR before it. */
static unsigned int file_number(const char *name, const char *comp_dir)
{
	const size_t len = strlen(comp_dir);

	if (!strncmp(name, comp_dir, len) && name[len] == '/')
		name += len + 1;
	for (unsigned int i = 0; i < files; i++)
		if (!strcmp(file_name[i], name))
			return i + 1;
	if (files == FILES_MAX)
		die("too many files");
	file_name[files++] = strdup(name);
	return files;
}

static const char *comp_dir_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;

	return dir ? dir : "";
}

/* The ranges of DIE as a list; returns its offset. */
static unsigned int put_ranges(Dwarf_Die *die)
{
	const unsigned int at = ranges;
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		ranges_len += (size_t)snprintf(all_ranges + ranges_len, sizeof(all_ranges) - ranges_len,
					       ".quad 0x%llx, 0x%llx\n", (unsigned long long)start,
					       (unsigned long long)end);
		ranges += 16;
	}
	ranges_len += (size_t)snprintf(all_ranges + ranges_len, sizeof(all_ranges) - ranges_len, ".quad 0, 0\n");
	ranges += 16;
	return at;
}

static unsigned int udata(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? (unsigned int)value : 0;
}

/* The inlined calls below DIE, each with those below it. */
static void put_inlined(Dwarf_Die *cu, Dwarf_Die *die)
{
	Dwarf_Files *in;
	Dwarf_Die child;
	size_t n;

	if (dwarf_child(die, &child) || dwarf_getsrcfiles(cu, &in, &n))
		return;
	do {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block)
			put_inlined(cu, &child);
		if (tag != DW_TAG_inlined_subroutine)
			continue;
		printf(".uleb128 3\n.asciz \"%s\"\n.long 0x%x\n.uleb128 %u\n.uleb128 %u\n", dwarf_diename(&child),
		       put_ranges(&child),
		       file_number(dwarf_filesrc(in, udata(&child, DW_AT_call_file), NULL, NULL), comp_dir_of(cu)),
		       udata(&child, DW_AT_call_line));
		put_inlined(cu, &child);
		printf(".uleb128 0\n");
	} while (!dwarf_siblingof(&child, &child));
}

/* The rows of CU from LOW to HIGH, as a sequence. */
static void put_lines(Dwarf_Die *cu, Dwarf_Addr low, Dwarf_Addr high)
{
	Dwarf_Lines *lines;
	size_t n;
	long line = 1;

#define LINES(...) (lines_len += (size_t)snprintf(all_lines + lines_len, sizeof(all_lines) - lines_len, __VA_ARGS__))
	if (dwarf_getsrclines(cu, &lines, &n))
		die("no lines");
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		Dwarf_Addr at;
		int nr;

		if (dwarf_lineaddr(l, &at) || at < low || at >= high || dwarf_lineno(l, &nr))
			continue;
		LINES(".byte 0, 9, 2\n.quad 0x%llx\n.byte 4\n.uleb128 %u\n.byte 3\n.sleb128 %ld\n.byte 1\n",
		      (unsigned long long)at, file_number(dwarf_linesrc(l, NULL, NULL), comp_dir_of(cu)), nr - line);
		line = nr;
	}
	LINES(".byte 0, 9, 2\n.quad 0x%llx\n.byte 0, 1, 1\n", (unsigned long long)high);
}

static void put_function(Dwarf_Die *cu, Dwarf_Die *function, const char *name)
{
	Dwarf_Addr base, low, high;

	/* What is seldom run stands elsewhere, in the ranges behind the first. */
	if (dwarf_ranges(function, 0, &base, &low, &high) <= 0)
		die("a function without code");
	printf(".uleb128 2\n.asciz \"%s\"\n.quad 0x%llx\n.quad 0x%llx\n", name, (unsigned long long)low,
	       (unsigned long long)(high - low));
	put_inlined(cu, function);
	printf(".uleb128 0\n");
	put_lines(cu, low, high);
	symbols_len += (size_t)snprintf(symbols + symbols_len, sizeof(symbols) - symbols_len, ".globl %s\n"
					".type %s, @function\n.set %s, .Ltext+0x%llx\n.size %s, %llu\n", name, name,
					name, (unsigned long long)(low - TEXT_BASE), name,
					(unsigned long long)(high - low));
}

struct wanted {
	char **name;
	int n, found;
	Dwarf_Die *cu;
	bool begun;              /* the unit has begun, as it has such a function */
};

static void begin_unit(struct wanted *w)
{
	w->begun = true;
	printf(".long .Lend%u-.Lunit%u\n.Lunit%u: .value 4\n.long 0\n.byte 8\n"
	       ".uleb128 1\n.asciz \"%s\"\n.long 0\n.quad 0\n.long .Lranges%u-.Lranges\n", units, units, units,
	       dwarf_diename(w->cu), units);
	units_len += (size_t)snprintf(all_units + units_len, sizeof(all_units) - units_len, ".Lranges%u:\n", units);
}

static void end_unit(struct wanted *w)
{
	if (!w->begun)
		return;
	printf(".uleb128 0\n.Lend%u:\n", units++);
	units_len += (size_t)snprintf(all_units + units_len, sizeof(all_units) - units_len, ".quad 0, 0\n");
	w->begun = false;
}

static int on_function(Dwarf_Die *die, void *ctx)
{
	struct wanted *w = ctx;
	const char *name = dwarf_diename(die);
	Dwarf_Addr base, low, high;

	for (int i = 0; i < w->n && name; i++)
		if (!strcmp(name, w->name[i]) && dwarf_ranges(die, 0, &base, &low, &high) > 0) {
			if (!w->begun)
				begin_unit(w);
			units_len += (size_t)snprintf(all_units + units_len, sizeof(all_units) - units_len,
						      ".quad 0x%llx, 0x%llx\n", (unsigned long long)low,
						      (unsigned long long)high);
			put_function(w->cu, die, name);
			w->found++;
		}
	return DWARF_CB_OK;
}

static void put_head(Elf *elf)
{
	const unsigned char *id;
	const ssize_t len = dwelf_elf_gnu_build_id(elf, (const void **)&id);

	if (len <= 0)
		die("no build-id");
	printf(".section .note.kernel,\"a\",@note\n.long 4, %zd, 3\n.asciz \"GNU\"\n.byte ", len);
	for (ssize_t i = 0; i < len; i++)
		printf("%s%u", i ? ", " : "", id[i]);
	printf("\n.section .debug_abbrev\n"
	       /* unit: name, stmt_list, low_pc, ranges */
	       ".uleb128 1, 0x11\n.byte 1\n.uleb128 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x55, 0x17, 0, 0\n"
	       /* function: name, low_pc, high_pc */
	       ".uleb128 2, 0x2e\n.byte 1\n.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0\n"
	       /* inlined: name, ranges, call_file, call_line */
	       ".uleb128 3, 0x1d\n.byte 1\n.uleb128 0x03, 0x08, 0x55, 0x17, 0x58, 0x0f, 0x59, 0x0f, 0, 0\n"
	       ".uleb128 0\n"
	       ".section .debug_info\n");
}

static void put_tail(void)
{
	printf(".section .debug_ranges\n.Lranges:\n%s%s", all_ranges, all_units);
	printf(".section .debug_line\n.long .Lline_end-.Lline\n.Lline: .value 4\n.long .Lprogram-.Lhead\n"
	       ".Lhead: .byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n.byte 0\n");
	for (unsigned int i = 0; i < files; i++)
		printf(".asciz \"%s\"\n.uleb128 0, 0, 0\n", file_name[i]);
	printf(".byte 0\n.Lprogram:\n%s.Lline_end:\n", all_lines);
	printf(".section .kernel,\"ax\",@nobits\n.Ltext: .skip 0xc00000\n.globl _text\n.set _text, .Ltext\n%s",
	       symbols);
}

int main(int argc, char **argv)
{
	Dwarf_CU *unit = NULL, *next;
	struct wanted w = { .name = argv + 2, .n = argc - 2 };
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	Dwarf_Die cu;
	uint8_t type;
	Dwarf *dw;

	elf_version(EV_CURRENT);
	dw = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	if (!dw)
		die("give a vmlinux with debug information, and functions");
	put_head(dwarf_getelf(dw));
	while (!dwarf_get_units(dw, unit, &next, NULL, &type, &cu, NULL)) {
		unit = next;
		w.cu = &cu;
		dwarf_getfuncs(&cu, on_function, &w, 0);
		end_unit(&w);
	}
	put_tail();
	return w.found == w.n ? 0 : 1;
}
