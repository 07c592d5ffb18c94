/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vec.h - a growable array of one type.
 *
 *	VEC(struct mapping) maps = { 0 };
 *	struct mapping *m = vec_push(&maps);    // NULL when out of memory, array unchanged
 *	vec_free(&maps);
 *
 * Growing moves the elements: keep indices, not pointers, across a push.
 */
#ifndef SBERF_BASE_VEC_H
#define SBERF_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define VEC(type) \
	struct { \
		type *v;       /* the elements, NULL while cap == 0 */ \
		size_t n;      /* how many are in use */ \
		size_t cap;    /* how many fit */ \
	}

/* Makes room in *V for MORE elements of SIZE bytes behind N. False (nothing changed) on overflow or lack of memory. */
bool vec_grow_(void **v, size_t *cap, size_t n, size_t more, size_t size);

/* Makes room for MORE further elements; false when out of memory, array unchanged. */
#define vec_reserve(vec, more) \
	((size_t)(more) <= (vec)->cap - (vec)->n || \
	 vec_grow_((void **)&(vec)->v, &(vec)->cap, (vec)->n, (more), sizeof(*(vec)->v)))

/* Appends one uninitialised element and returns its address, NULL when out of memory. */
#define vec_push(vec) (vec_reserve((vec), 1) ? &(vec)->v[(vec)->n++] : NULL)

/* Frees the elements and leaves an empty, usable array. */
#define vec_free(vec) \
	do { \
		free((vec)->v); \
		(vec)->v = NULL; \
		(vec)->n = (vec)->cap = 0; \
	} while (0)

#endif
