/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython_layout.h - where CPython keeps what its frames are made of, by version.
 *
 * From 3.13 on each process has a table of that itself (struct _Py_DebugOffsets, at the begin of
 * _PyRuntime); for versions before there are tables of ours, made of the headers of CPython
 * (Include/internal/). Neither is believed before what it leads to makes sense: cpython.c.
 */
#ifndef SBERF_PLUGIN_CPYTHON_LAYOUT_H
#define SBERF_PLUGIN_CPYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPYTHON_VERSION(major, minor) ((major) << 8 | (minor))

/* Where the line of an instruction is. */
enum cpython_lines {
	CPYTHON_LNOTAB,          /* co_lnotab: pairs of differences of bytes and lines */
	CPYTHON_RANGES,          /* 3.10: pairs as well, each of a range that may have no line (PEP 626) */
	CPYTHON_LOCATIONS,       /* from 3.11 on: entries of variable length (PEP 657) */
};

/* What tells the frames of one call of the interpreter's loop from those of the next. */
enum cpython_entry {
	CPYTHON_EACH,            /* each has its own */
	CPYTHON_IS_ENTRY,        /* 3.11: the outermost one has a mark */
	CPYTHON_SHIM,            /* from 3.12 on: behind it is one on the stack of C, which is no frame of Python */
};

#define CPYTHON_NONE UINT16_MAX

/* Offsets in bytes; CPYTHON_NONE = there is no such thing. */
struct cpython_layout {
	uint16_t version;        /* CPYTHON_VERSION() */
	uint8_t lines;           /* enum cpython_lines */
	uint8_t entry;           /* enum cpython_entry */
	uint8_t instr_scale;     /* of a number that counts instructions: bytes of one; 0 = it is an address */
	uint8_t code_tag;        /* low bits of the pointer to the code object that are no address */
	bool free_threaded;      /* a build without the lock: what a string says of itself is elsewhere */
	uint16_t object_type;    /* of every object: its type */
	uint16_t runtime_interpreters;           /* _PyRuntimeState.interpreters.head */
	uint16_t interp_next, interp_threads;    /* PyInterpreterState */
	uint16_t thread_next, thread_interp, thread_id;  /* PyThreadState */
	uint16_t thread_frame;   /* the frame, or from where it is reached ... */
	uint16_t cframe_frame;   /* ... which is in there (3.11 and 3.12) */
	/*
	 * Before 3.12 a thread keeps the state of its first interpreter alone; that of the one it is in is here, in
	 * _PyRuntimeState, while it has the lock. CPYTHON_NONE from then on
	 */
	uint16_t runtime_current;
	uint16_t runtime_gil;    /* the lock of the interpreter, in _PyRuntimeState ... */
	uint16_t interp_modules; /* sys.modules, in PyInterpreterState */
	uint16_t type_keys;      /* the keys that instances of a class share, in PyHeapTypeObject; or CPYTHON_NONE */
	uint16_t interp_gil;     /* ... or a pointer to it in PyInterpreterState; one of them is CPYTHON_NONE */
	uint16_t frame_code, frame_back, frame_instr;
	uint16_t frame_entry;    /* the byte that says so: is_entry, owner */
	uint16_t code_filename, code_name, code_qualname, code_firstline, code_lines;
	uint16_t code_instr;     /* of an address of an instruction: the first one, in the code object */
	/*
	 * Threads may have copies of the instructions of a function (3.14 without the lock): the number of the copy, 4
	 * bytes of the frame, 0 = none; and in the code object the address of an array of their addresses. Or
	 * CPYTHON_NONE
	 */
	uint16_t frame_copy, code_copies;
	uint16_t bytes_size, bytes_data;
	uint16_t text_length, text_state, text_ascii, text_compact;      /* PyUnicode */
};

/* The layout of VERSION from our tables; NULL = there is none. */
const struct cpython_layout *cpython_layout_of(uint16_t version);

/* As many bytes as cpython_layout_read() looks at. */
#define CPYTHON_OFFSETS_BYTES 1024u

/*
 * What the LENGTH bytes at TABLE, which are the begin of _PyRuntime of a process, say, to *RET. -ENOENT: it is no such
 * table; -ENOTSUP: of a version whose table is not known; -EBADMSG: what it says makes no sense.
 */
int cpython_layout_read(const void *table, size_t length, struct cpython_layout *ret);

#endif
