/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_impl.h - the inside of an image, for the files of the unwinder alone.
 *
 * An image holds a small ELF file of its own making: the section headers and the bytes of the
 * call-frame sections of the real one, at their real virtual addresses. libdw is pointed at that
 * copy, so a 200 MB library costs only its CFI, and libdw never sees a file. Beside it are the
 * *marks*: places that mean something for unwinding and have no CFI.
 */
#ifndef SBERF_UNWIND_IMAGE_IMPL_H
#define SBERF_UNWIND_IMAGE_IMPL_H

#include "base/vec.h"
#include "symbol/elffile.h"
#include "unwind/image.h"
#include "unwind/rules.h"

#include <elfutils/libdw.h>

struct image_load {
	uint64_t offset, filesz, vaddr, memsz;
	bool exec;
};

/* Half-open range of virtual addresses. */
struct image_range {
	uint64_t start, end;
};

enum mark_kind {
	MARK_SIGRETURN,          /* the code that a signal handler returns to, at its first instruction */
	MARK_ROOT,               /* return addresses in it have no caller: thread entry of a libc, Go runtime root */
	MARK_CONTEXT,            /* the first byte of what a coroutine's first function returns to */
	MARK_FP,                 /* code that keeps frame pointers and has no CFI */
	MARK_CLONE,              /* behind clone's system call: a thread entry in the child, a leaf in the parent */
	/*
	 * return addresses in it, and what runs before them, have their caller on another stack:
	 * RULE, whatever tables say
	 */
	MARK_SWITCH,
};

struct mark {
	enum mark_kind kind;
	struct image_range range;
	struct rule rule;        /* of MARK_SWITCH */
};

/* Code without call-frame information of a function that keeps frame pointers: RULE holds between these addresses. */
struct frames {
	struct image_range range;
	struct rule rule;
};

typedef VEC(struct mark) mark_vec;
typedef VEC(struct frames) frames_vec;
typedef VEC(struct image_range) range_vec;

struct go_table;
struct image_remote;

/* A small ELF file, and libdw on it. */
struct image_copy {
	uint8_t *bytes;
	size_t size;
	Elf *elf;                /* on BYTES */
	Dwarf_CFI *eh;           /* .eh_frame; owned */
};

struct unwind_arch;

struct image {
	uint16_t machine;        /* ELF e_machine */
	const struct unwind_arch *arch;  /* NULL = nothing is known of that machine: no place has a rule */
	bool go;                 /* compiled by Go's own compiler: frame pointers where there is no CFI */
	bool no_needed;          /* needs no shared library: a static program or a libc */
	bool too_slow;           /* some rows of it took so long that no more are asked for (rows.c) */
	uint64_t asked, asked_ns;        /* by walks: how often, and how long it took (walk_may_ask()) */
	uint8_t build_id_len;
	uint8_t build_id[BUILD_ID_MAX];
	unsigned int renew_at;   /* calls of image_renew() */
	uint64_t entry;          /* virtual address, 0 = none */
	uint64_t entry_end;      /* of the code there that has no caller */
	uint32_t nr_loads;
	struct image_load *loads;
	struct go_table *go_table;
	struct image_range plt;  /* .plt, when section headers name it */
	mark_vec marks;
	frames_vec frames;       /* by address */
	struct image_copy copy;
	range_vec split;         /* functions with many rows, which PARTS has in parts; by address */
	struct image_copy parts;
	Dwarf *dwarf;            /* on COPY, only for .debug_frame */
	Dwarf_CFI *debug;        /* .debug_frame; owned by DWARF */
	struct err lacks;        /* image_lacks() */
	/* NULL = all that this says is here; else sberf-worker has what follows from call-frame information and code */
	struct image_remote *remote;
};

/* A section of the real file that goes into the copy. */
struct image_section {
	const char *name;        /* static string */
	uint64_t addr, size, flags;
	uint8_t *bytes;          /* malloc()ed; NULL = absent */
};

/*
 * image_copy.c: builds im->copy from N sections and opens libdw's handles on it, and im->parts from
 * what is long in them.
 */
int image_build_copy(struct image *im, uint16_t type, const struct image_section *sec, size_t n, struct err *e);
/*
 * The same of one file for MACHINE, of ELF type TYPE, with .eh_frame alone. What *C has afterwards
 * image_copy_free() takes, also after an error.
 */
int image_copy_make(struct image_copy *c, uint16_t machine, uint16_t type, const struct image_section *sec,
		    size_t n, struct err *e);
void image_copy_free(struct image_copy *c);

/* image_marks.c: fills im->marks by looking through the code, where that is worth it. */
void image_find_marks(struct image *im, const struct elf_file *f);
/* Adds a mark for the addresses START to END; beyond some thousand, or out of memory, nothing. */
void image_add_mark(struct image *im, enum mark_kind kind, uint64_t start, uint64_t end);
/* The same of MARK_SWITCH, where RULE holds. */
void image_add_switch(struct image *im, uint64_t start, uint64_t end, struct rule rule);
/*
 * Adds marks for the code from START to END, which handlers return to. In the system call, the
 * place is END already, behind the function, and there is one as long as the kernel is at it. No
 * table knows that, and Go's tell of a function like others.
 */
void image_add_sigreturn(struct image *im, uint64_t start, uint64_t end);
/*
 * The rule behind VADDR where stacks change, or Go's runtime has roots, which counts more than a
 * row; false when there is none.
 */
bool image_go_rule(const struct image *im, uint64_t vaddr, struct rule *ret);

/* The search table of .eh_frame_hdr. */
struct eh_entry {
	uint64_t start, fde;             /* virtual addresses of the code and of its FDE */
};

/* How many entries the table has; 0 when it is absent or not encoded in the usual way. */
size_t eh_table_entries(const struct image_section *hdr);
struct eh_entry eh_table_entry(const struct image_section *hdr, size_t i);

#define IMAGE_ENTRY_MAX (256u << 10)     /* bytes of one CIE or FDE */

/* image_check.c: drops EH, or HDR, when it is not fit for libdw. HDR may be NULL. */
void image_check_cfi(struct image_section *eh, struct image_section *hdr);

struct cfi_splitter;

/*
 * image_ops.c: may libdw run the instructions in DATA, a section of an ELF file that begins with
 * IDENT: .eh_frame when EH, else .debug_frame? False as well when out of memory. Long functions of
 * it go to S, unless that is NULL.
 */
bool image_ops_fit(const unsigned char *ident, Elf_Data *data, bool eh, struct cfi_splitter *s);

/* cfi_split.c: is VADDR in one of im->split? */
bool image_is_split(const struct image *im, uint64_t vaddr);

/*
 * cfi_gaps.c: finds code without CFI that keeps frame pointers: adds marks for blocks of another
 * compiler's, and fills im->frames. HDR is .eh_frame_hdr, EH .eh_frame; either may be absent.
 */
void image_find_gaps(struct image *im, const struct elf_file *f, const struct image_section *hdr,
		     const struct image_section *eh);
/* Adds to im->frames, in ascending order; beyond some 100,000, or out of memory, nothing. */
void image_add_frames(struct image *im, uint64_t start, uint64_t end, struct rule rule);
/* Those that hold VADDR; NULL when none do, and then *RET_NEXT is where the next ones begin (UINT64_MAX = nowhere). */
const struct frames *image_frames(const struct image *im, uint64_t vaddr, uint64_t *ret_next);
/* The mark of KIND that holds VADDR, NULL when none does. */
const struct mark *image_mark(const struct image *im, enum mark_kind kind, uint64_t vaddr);

/*
 * go_frames.c: adds marks for the runtime roots of a Go program, and keeps its table when it has no
 * .debug_frame. PCLNTAB is the section's place in the file, TEXT the virtual address of its code.
 */
void image_read_go(struct image *im, const struct elf_file *f, uint64_t pclntab, uint64_t size, uint64_t text);
/*
 * Looks for that section among the SIZE bytes at OFFSET of the file, where it has no name of its
 * own. *RET is its place in the file.
 */
bool image_find_go(const struct elf_file *f, uint64_t offset, uint64_t size, uint64_t *ret);
/* Bytes from sp to the return address at VADDR, the same up to *RET_END; false when T does not know. T may be NULL. */
bool go_frame_size(const struct go_table *t, uint64_t vaddr, uint32_t *ret, uint64_t *ret_end);
size_t go_table_bytes(const struct go_table *t);
void go_table_free(struct go_table *t);          /* NULL is fine */

/*
 * The row for VADDR, to be freed with free(); NULL when no call-frame information covers it. Asks .eh_frame, then
 * .debug_frame.
 */
Dwarf_Frame *image_row(struct image *im, uint64_t vaddr);
/*
 * Now and then makes libdw forget what it was asked. To be called for each page of rows; no row is
 * used afterwards that was had before.
 */
void image_renew(struct image *im);

#endif
