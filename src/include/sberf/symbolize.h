/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf/symbolize.h - libsberf: names, inlined calls, files and lines for places in code.
 *
 * Places are struct sberf_frame, from sberf_unwind(), sberf_locate(), or made of a module of
 * sberf_file_add() and an offset. Names come from symbol tables (.symtab, .dynsym,
 * .gnu_debugdata), debug information (in the file, beside it by build-id or .gnu_debuglink, dwz,
 * split, compressed), perf maps and jitdump files of run-time compilers, and /proc/kallsyms for the
 * kernel and BPF programs. The rules of sberf/unwind.h hold.
 */
#ifndef SBERF_SYMBOLIZE_H
#define SBERF_SYMBOLIZE_H

#include <sberf/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a place has no name. */
enum sberf_why {
	SBERF_KNOWN = 0,
	SBERF_NO_MODULE = 1,     /* it is in nothing that was mapped */
	SBERF_NO_FILE = 2,       /* the file could not be opened, is another one by now, or is no ELF file */
	SBERF_NO_SYMBOLS = 3,    /* the file has no symbols, and no debug file was found */
	SBERF_NO_FUNCTION = 4,   /* the file has symbols; none covers the place */
	SBERF_NO_MAP = 5,        /* no run-time compiler has told of it (perf map, jitdump) */
	SBERF_HIDDEN = 6,        /* the kernel hides its symbols from this user: CAP_SYSLOG, kernel.kptr_restrict */
	SBERF_NO_MEMORY = 7,
	SBERF_CANCELLED = 8,
};

struct sberf_function {
	const char *name;        /* demangled; raw bytes of a foreign file: sanitise before printing */
	const char *file;        /* "" = unknown; raw bytes, too */
	const char *directory;   /* where the compiler ran, which a relative FILE is relative to; "" = unknown */
	uint32_t line;           /* 0 = unknown */
	uint32_t flags;          /* SBERF_FUNCTION_* */
};

#define SBERF_FUNCTION_INLINED 0x1u      /* into the next one */
/* it has lost its name and is called by its file and the place where it starts, "dash+0x4700" */
#define SBERF_FUNCTION_BY_PLACE 0x2u

/* What a place is called. */
struct sberf_name {
	const struct sberf_function *functions;  /* innermost first; the last one is not inlined */
	uint32_t nr_functions;   /* 0 = none is known: WHY says why */
	uint32_t why;            /* enum sberf_why */
	uint64_t start;          /* of the last function, an offset like that of the frame ... */
	uint64_t size_bytes;     /* ... and its length; 0 = unknown */
};

struct sberf_names {
	size_t n;                /* as many as frames were asked for, in their order */
	const struct sberf_name *name;
};

/* Symbol tables alone: no inlined calls, files and lines. Much faster. */
#define SBERF_FUNCTIONS_ONLY 0x1u

/*
 * Names the N FRAMES of S to *RET, which is freed by sberf_names_free(). A place that has no name is
 * no error. May wait for files and, with SBERF_DEBUGINFOD, for servers. -ENOMEM, -EINVAL for FLAGS
 * that are not known, -ECANCELED after sberf_cancel(): then *RET has what was found until then.
 */
SBERF_API int sberf_symbolize(struct sberf *s, const struct sberf_frame *frames, size_t n, uint32_t flags,
			      struct sberf_names **ret);
SBERF_API void sberf_names_free(struct sberf_names *names);      /* NULL is fine; also after sberf_close() */

/* Ends the sberf_symbolize() of S that is running, as soon as it can. Any thread, and signal handlers, may call it. */
SBERF_API void sberf_cancel(struct sberf *s);

/* A sentence for WHY; never NULL. Static. */
SBERF_API const char *sberf_why_text(uint32_t why);

/*
 * A module for the ELF file at PATH, or for the file with the build-id ID of LENGTH bytes, for naming
 * places without a process. A build-id is looked for among the files that were added before, in the
 * folders of sberf_folder_add(), and where debug files are (PREFIX/.build-id/xx/yyyy.debug). -ENOENT,
 * -EACCES, -ENOEXEC: it is no ELF file, or of another byte order or word length.
 */
SBERF_API int sberf_file_add(struct sberf *s, const char *path, uint32_t *ret);
SBERF_API int sberf_build_id_add(struct sberf *s, const uint8_t *id, size_t length, uint32_t *ret);

/*
 * Looks for build-ids among the ELF files below PATH, too, or of the one file there. Reads their headers
 * now, and each of them when it is asked for; does not follow links but PATH itself. Returns how many
 * files with a build-id came; -ENOENT, -EACCES, -ENOMEM.
 */
SBERF_API int sberf_folder_add(struct sberf *s, const char *path);

/*
 * The place of the virtual ADDRESS of the file of MODULE, of sberf_file_add() or sberf_build_id_add(), as
 * nm(1) and addr2line(1) have them. -ENOENT when no part of the file is loaded there.
 */
SBERF_API int sberf_file_place(struct sberf *s, uint32_t module, uint64_t address, struct sberf_frame *ret);

/* Runs the plug-in inside of the calling process, with all that this may do, and without any protection. */
#define SBERF_PLUGIN_IN_PROCESS 0x1u

/*
 * Has the plug-in in the file PATH (sberf/plugin.h) name code that no file holds: before those that were
 * added earlier, and before perf maps and jitdump files. Plans for interpreters are not carried out. The
 * plug-in runs in a process without privileges, sberf-worker, which this starts, and sberf_close() ends; it
 * is not asked any more after its third fault. To be called before the first sberf_symbolize() of S.
 * -EBUSY after it; -EINVAL for FLAGS that are not known; -ENOENT, -EACCES: there is no such file, or no
 * sberf-worker; -ENOEXEC: it is no plug-in, or for another version of the interface.
 */
SBERF_API int sberf_plugin_add(struct sberf *s, const char *path, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
