/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cleanup.h - lets local variables clean up after themselves, and makes the hand-over of an owned
 * thing visible.
 *
 *	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
 *	...
 *	*ret_fd = take_fd(&fd);
 *
 * AUTO(type_free) works for every destructor `void type_free(struct type *)`, provided
 * DEFINE_AUTO(type_free, struct type) stands once in the header that declares it. Destructors
 * accept NULL.
 */
#ifndef SBERF_BASE_CLEANUP_H
#define SBERF_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void auto_free_p(void *p)
{
	free(*(void **)p);
}

static inline void auto_close_p(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void auto_fclose_p(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void auto_closedir_p(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define AUTO_FREE __attribute__((cleanup(auto_free_p)))
#define AUTO_FD __attribute__((cleanup(auto_close_p)))
#define AUTO_FILE __attribute__((cleanup(auto_fclose_p)))
#define AUTO_DIR __attribute__((cleanup(auto_closedir_p)))

#define DEFINE_AUTO(fn, type) \
	static inline void fn##_auto(type **p) \
	{ \
		fn(*p); \
	} \
	struct fn##_auto_needs_semicolon
#define AUTO(fn) __attribute__((cleanup(fn##_auto)))

/* Hands over what *FD holds and leaves -1 behind, so that AUTO_FD does nothing. */
static inline int take_fd(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

/* The same for a pointer variable; evaluates to its old value. */
#define take_ptr(p) \
	({ \
		__typeof__(p) taken_ = (p); \
		(p) = NULL; \
		taken_; \
	})

#endif
