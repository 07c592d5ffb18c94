/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spec.h - a probe as a person writes it, `--probe SPEC`, read into a value of bounded size and
 * written back.
 *
 *	PROBE      = POINT [ " /" CONDITION "/" ] [ " " MEASURE ]
 *	           | "span:" POINT [ " /" CONDITION "/" ] "~~" POINT [ " /" CONDITION "/" ] [ " " MEASURE ]
 *	POINT      = KIND [ ":" FIELD ]...                       kinds and their fields: kinds.h
 *	FUNCTION   = name | wildcard | "/" regex "/" | FILE ":" LINE | name "+" OFFSET | name "+branches"
 *	           | OFFSET | "[" MODULE "]" [ name | wildcard ] | ":" SOURCE     the last two of the kernel
 *	MEASURE    = "count()" | "time()" | "sum(" EXPRESSION ")"
 *	CONDITION  = EXPRESSION
 *
 * A target is separated from a function by the first single colon, so that Class::method is one
 * name. "TARGET+0x1234" without a function is a place in the file, as stack traces print it. The
 * characters *, ? and [...] make a name a wildcard, but for "[abi:...]", which belongs to names of
 * C++. A backslash takes its meaning from any character of a name: "operator\*", "a\:b". A name
 * ends where a blank is followed by "/" or by a measure; other blanks belong to it ("operator new").
 *
 * Expressions have the operators of C: || && | ^ & == != < <= > >= << >> + - * ! ~ - and
 * parentheses, without assignments, without division (the slash ends a condition), and with the
 * precedence of C, except that & ^ | bind more strongly than comparisons, as in Go and Rust: so
 * "arg1 & 64 == 64" means what it says. Values are signed 64-bit integers. Numbers are decimal or
 * hexadecimal, with a unit of time (ns us ms s) or of size (K M G, 1024-based). Text stands in
 * double quotes and can be compared by == and != alone. Variables:
 *
 *	arg0 ... arg5   arguments as they stand in registers (or where a USDT note says)
 *	retval          what the function or system call returned
 *	latency         ns from entry to return, or from the begin of a span to its end
 *	comm            name of the thread (text); pid, tid, cpu: its process, itself, where it runs
 *	NAME            a parameter (DWARF), a field of a tracepoint's format, a parameter by BTF;
 *	                "args->NAME" and "args.NAME" are the same, as bpftrace writes them
 *	A->B, A.B, A[3] a member, through a pointer or not, of a NAME, an argN or retval
 *
 * What a name or a member means is not known here: whoever places the probe looks it up, and knows
 * then whether it is a number or text. A value of text that is compared with text in quotes is read
 * from memory at the pointer.
 *
 * All structs are values without pointers; what is not used in them is zero, so that equal probes
 * are equal bytes.
 */
#ifndef SBERF_PROBE_SPEC_H
#define SBERF_PROBE_SPEC_H

#include "base/err.h"
#include "probe/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPEC_BRANCHES_TEXT "+branches"
#define SPEC_GRAPH_TEXT "+graph"
#define SPEC_POINTS_MAX 2u
#define SPEC_NAME_MAX 256u /* bytes of a target, function or event, with the NUL */
#define SPEC_PROVIDER_MAX 64u /* of a provider or category */
#define SPEC_CODE_MAX 32u /* steps of an expression */
#define SPEC_DEPTH_MAX 8u /* values that are on the stack at a time, and nested parentheses */
#define SPEC_POOL_MAX 192u /* bytes of texts and paths of an expression, with their NULs */
#define SPEC_PATH_STEPS_MAX 6u /* members of a path behind its first name */
#define SPEC_WORD_MAX 64u /* of one name in a path, with the NUL */
#define SPEC_TEXT_MAX 8192u /* suffices for every text that spec_text() writes, and limits what is read */

/* How a name is meant. */
enum spec_match {
	SPEC_ANY, /* the kind has no name ("signal"), or it was left out */
	SPEC_EXACT, /* NAME itself */
	/*
	 * base/wildcard.h; escapes of other characters stand in it too. Of the kernel's functions one that begins
	 * with ':' is about the paths of source files: ":net/core/" and a name or wildcard
	 */
	SPEC_WILDCARD,
	SPEC_REGEX, /* extended, found anywhere (base/pattern.h, which has checked it) */
	SPEC_GROUP, /* of system calls: NAME is "file", "net", "memory" or "process" */
	SPEC_LINE, /* NAME is a source file, NUMBER its line */
	SPEC_FUNCTION_OFFSET, /* NUMBER bytes behind the begin of function NAME (exact) */
	SPEC_BRANCHES, /* each basic block of the functions called NAME (exact): "name+branches" */
	/*
	 * the kernel's function called NAME (exact), and what it calls, NUMBER (1 to 9) calls deep: "name+graph3".
	 * NUMBER 0: all that NAME means, as with SPEC_WILDCARD, and nothing else, each called by whichever of them:
	 * "tcp_*+graph0"
	 */
	SPEC_GRAPH,
	SPEC_FILE_OFFSET, /* NUMBER is a file offset of the target; NAME is "" */
};

/* Steps of an expression, in postfix order: operands are pushed, operators replace what they take. */
enum spec_op {
	SPEC_END = 0, /* no step */
	/* push */
	SPEC_NUMBER, /* value */
	SPEC_STRING, /* text: pool + value */
	SPEC_ARG, /* argument number value, 0 to 5 */
	SPEC_RETVAL,
	SPEC_LATENCY,
	SPEC_COMM, /* text */
	SPEC_PID,
	SPEC_TID,
	SPEC_CPU,
	SPEC_PATH, /* what pool + value names; see spec_path_next() */
	/* take one, push one */
	SPEC_NOT, /* ! : 0 or 1 */
	SPEC_COMPLEMENT, /* ~ */
	SPEC_NEGATE, /* - */
	/*
	 * Take two, push one. Arithmetic wraps around; shifts by more than 63 or less than 0 give 0.
	 * AND and OR give 0 or 1; both sides are evaluated, which no one can observe.
	 */
	SPEC_OR,
	SPEC_AND,
	SPEC_EQUAL, /* also of two texts */
	SPEC_UNEQUAL, /* also of two texts */
	SPEC_LESS,
	SPEC_LESS_EQUAL,
	SPEC_GREATER,
	SPEC_GREATER_EQUAL,
	SPEC_BIT_OR,
	SPEC_BIT_XOR,
	SPEC_BIT_AND,
	SPEC_SHIFT_LEFT,
	SPEC_SHIFT_RIGHT, /* arithmetic */
	SPEC_ADD,
	SPEC_SUBTRACT,
	SPEC_MULTIPLY,
	SPEC_OPS
};

struct spec_step {
	uint32_t op; /* enum spec_op */
	/*
	 * 1: this value is text (a STRING, COMM, or an ARG, RETVAL or PATH that is compared with one),
	 * or this EQUAL or UNEQUAL compares texts
	 */
	uint32_t text;
	int64_t value;
};

/* An expression. n == 0: there is none, which is true. Otherwise running all steps leaves exactly one number. */
struct spec_expr {
	uint32_t n; /* steps */
	uint32_t depth; /* how many values are on the stack at most: up to SPEC_DEPTH_MAX */
	struct spec_step step[SPEC_CODE_MAX];
	char pool[SPEC_POOL_MAX]; /* NUL-terminated texts and paths one after another */
};

/* One place, or a set of places by pattern, where a program runs. */
struct spec_point {
	uint8_t kind; /* enum probe_kind; never PROBE_SPAN */
	uint8_t match; /* enum spec_match, of name */
	uint8_t major; /* PROBE_FAULT: 1 = major faults alone */
	uint8_t provider_match; /* of provider: SPEC_ANY (left out), SPEC_EXACT or SPEC_WILDCARD */
	uint32_t reserved; /* 0 */
	/*
	 * Name or path of the file, as it is written but without escapes: "libc.so.6", "./app",
	 * "/usr/bin/python3". "" = wherever the observed processes have the function.
	 */
	char target[SPEC_NAME_MAX];
	/* PROBE_USDT: provider; PROBE_TRACEPOINT: category; PROBE_KPROBE, PROBE_KRETPROBE: module; else "" */
	char provider[SPEC_PROVIDER_MAX];
	char name[SPEC_NAME_MAX]; /* per match; without escapes unless SPEC_WILDCARD */
	uint64_t number; /* per match: a line, or an offset in bytes */
	struct spec_expr when; /* evaluated when the point is hit, before anything is copied */
};

/* What is added up. */
enum spec_measure {
	SPEC_DEFAULT, /* time where the kind has a return, number otherwise */
	SPEC_COUNT,
	SPEC_TIME,
	SPEC_SUM, /* of an expression */
};

struct spec {
	uint8_t span; /* 1: from point[0] to point[1] of the same thread */
	uint8_t points; /* 1, or 2 for a span */
	uint8_t measure; /* enum spec_measure */
	uint8_t reserved[5]; /* 0 */
	struct spec_point point[SPEC_POINTS_MAX];
	/* SPEC_SUM: what; in a span it is evaluated at the second point, which knows the latency */
	struct spec_expr sum;
};

/*
 * Reads TEXT, a whole probe. 0, or -EINVAL or -E2BIG with one sentence in E that says at which
 * character, what is wrong and what would be right; *RET is untouched then. Control characters and
 * more than SPEC_TEXT_MAX - 1 bytes are refused. Pure: nothing is looked up.
 */
int spec_parse(const char *text, struct spec *ret, struct err *e);

/*
 * Writes S, as spec_parse() gave it, in canonical form to DST: long names of kinds, one blank
 * between parts, numbers in decimal, offsets in hexadecimal, only the parentheses that are needed.
 * Reading that gives an equal value. Raw text: sanitise it on output. Returns DST.
 */
char *spec_text(const struct spec *s, char dst[SPEC_TEXT_MAX]);

/* Whether the name of P, a point in the kernel's functions, may mean several. */
static inline bool spec_is_pattern(const struct spec_point *p)
{
	return p->match == SPEC_WILDCARD || p->match == SPEC_REGEX || (p->match == SPEC_GRAPH && !p->number);
}

/* Whether P is about calls that are followed, SPEC_BRANCHES or SPEC_GRAPH. */
static inline bool spec_is_followed(const struct spec_point *p)
{
	return p->match == SPEC_BRANCHES || p->match == SPEC_GRAPH;
}

/* Whether the probe measures a time: its kind has a return, or it is a span. */
bool spec_has_latency(const struct spec *s);

/* How many values step OP takes off the stack: 0, 1 or 2. */
unsigned int spec_op_takes(enum spec_op op);

/* What stands between a name of a path and the one before it. */
enum spec_path_join {
	SPEC_PATH_FIRST, /* the first name: an argument ("arg0"), "retval", or a name to look up */
	SPEC_PATH_MEMBER, /* ".name" */
	SPEC_PATH_POINTER, /* "->name" */
	SPEC_PATH_INDEX, /* "[number]" */
};

struct spec_path_step {
	enum spec_path_join join;
	char name[SPEC_WORD_MAX]; /* "" for an index */
	uint32_t index;
};

/*
 * Takes the next step off the path at *AT (at first pool + value of a SPEC_PATH): true with *RET
 * filled, false at the end of the path.
 */
bool spec_path_next(const char **at, struct spec_path_step *ret);

/*
 * Evaluates EXPR with the values that LOOK gives: a reference for the kernel's evaluation, and for
 * what is decided outside of it. LOOK is called for ARG to PATH steps (not for NUMBER and STRING);
 * when TEXT it has to set *RET_TEXT (NUL-terminated, valid until the end of the evaluation), else
 * *RET_NUMBER; false = not known. Returns false when something that was needed is not known, or
 * EXPR is not sound (of another origin than spec_parse()).
 */
typedef bool spec_look_fn(void *ctx, const struct spec_expr *expr, const struct spec_step *step, bool text,
			  int64_t *ret_number, const char **ret_text);
bool spec_eval(const struct spec_expr *expr, spec_look_fn *look, void *ctx, int64_t *ret);

/*
 * The name of value NR of those that conditions know beside arguments: "comm"; NULL behind the last one. *RET_KNOWS:
 * what a kind has to know for it (enum probe_knows), 0 = every kind has it.
 */
const char *spec_variable(unsigned int nr, unsigned int *ret_knows);

#endif
