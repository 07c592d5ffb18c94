/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaves.h - finds the instructions by which a function is left: those that return, and those that
 * jump to another function instead of calling it at the end (tail calls).
 *
 * A return probe of the kernel replaces a return address, which exceptions of C++ and panics of Rust
 * do not survive (unreturning.h). Plain probes at these instructions replace nothing. At each of
 * them the stack pointer is where it was at the entry, so a call is known by it.
 *
 * The whole body is decoded for this, its unlikely part (".cold") too, which compilers put elsewhere
 * and name by a symbol; where a file has lost that, the unwind table tells of a piece of code that is
 * jumped to from where no function could be. A probe that is placed inside of an instruction would
 * end the program, and one that is missing a call, so a function is taken only if all of this holds:
 * - every byte belongs to an instruction, and every jump inside leads to the begin of one;
 * - the unwind table says that the return address is at the stack pointer where it is left;
 * - each jump out of it is one that is always taken, to where a function begins, or may begin;
 * - each indirect jump is known to stay inside, or to go to another function: where the return
 *   address is not at the stack pointer it stays inside; elsewhere by how its target was made.
 */
#ifndef SBERF_PROBE_LEAVES_H
#define SBERF_PROBE_LEAVES_H

#include "base/err.h"
#include "base/vec.h"
#include "model/probecode.h"
#include "probe/functions.h"
#include "symbol/ehframe.h"
#include "symbol/elffile.h"
#include "unwind/image.h"

#include <stdbool.h>
#include <stdint.h>

struct leave {
	uint64_t offset;         /* in the file */
	bool jumps;              /* to another function: there is no result there */
};

typedef VEC(struct leave) leaves;

/*
 * Appends to RET where the function F of FILE is left, which find_functions() gave of ALL; CFI are
 * the unwind tables of FILE, PIECES the pieces of code that they are about (NULL = not known). Free
 * RET with vec_free(). 0; -EOPNOTSUPP with a clause that says why the function cannot be followed,
 * "it ...", and RET as it was; -ENOMEM.
 */
int leaves_find(const struct elf_file *file, const struct functions *all, const struct found_function *f,
		struct image *cfi, const struct fde_starts *pieces, leaves *ret, struct err *e);

/*
 * Appends the basic blocks of the same function to RET, that at which it begins as the first one; each instruction of
 * leaves_find() is a block of its own. A block begins where the function does, where a direct jump of it leads, and
 * behind each jump. What a table of jumps alone leads to, and does not stand behind a jump, belongs to the block before
 * it, as does the code that catches an exception. The same results; -E2BIG for more than CODE_BLOCKS_MAX.
 */
int leaves_blocks(const struct elf_file *file, const struct functions *all, const struct found_function *f,
		  struct image *cfi, const struct fde_starts *pieces, code_blocks *ret, struct err *e);

/* Where code of the running kernel is read, and what is there. */
struct leaves_kernel {
	bool (*read)(void *ctx, uint64_t address, void *to, size_t size);
	/* The function that covers ADDRESS: its name, where it begins, and how long it is; false = none does. */
	bool (*find)(void *ctx, uint64_t address, const char **ret_name, uint64_t *ret_start, uint64_t *ret_size);
	void *ctx;
};

/*
 * The same for the function of the kernel that begins at ADDRESS; vaddr of the blocks are addresses. What is in front
 * of a trap that the kernel goes on behind (WARN_ON) goes on there. Jumps to the code with which a kernel returns,
 * where processors are not to guess (return thunks), return; those to other functions, also by registers, are tail
 * calls. The same results, and -EBUSY when a probe of somebody else stands in the code, in place of what is there.
 */
int leaves_kernel_blocks(const struct leaves_kernel *kernel, uint64_t address, code_blocks *ret, struct err *e);

/* Who is told of the calls of a function; CTX is for both. */
struct leaves_calls {
	/* of a call of, or a jump at the end to, what begins at TARGET */
	void (*each)(void *ctx, uint64_t target);
	/* the instruction at ADDRESS calls, or jumps to, where register REG, by DWARF number, says; may be NULL */
	void (*pointer)(void *ctx, uint64_t address, uint8_t reg);
	void *ctx;
};

/*
 * Tells TO of the functions that the function of the kernel at ADDRESS calls, or jumps to at its end: once for each
 * such instruction. Calls of what calls where a register says (indirect thunks) are by that register. What cannot be
 * decoded is left out.
 */
void leaves_kernel_calls(const struct leaves_kernel *kernel, uint64_t address, const struct leaves_calls *to);

/*
 * Whether the function F of FILE, which find_functions() gave, may call another one, or jumps to one; also when its
 * code is not understood. What calls none is passed by no exception.
 */
bool leaves_calls(const struct elf_file *file, const struct found_function *f);

#endif
