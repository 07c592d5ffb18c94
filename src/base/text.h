/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.h - makes foreign text safe, and makes text fit a number of columns.
 *
 * Every string that comes from outside (comm, symbol, path, cgroup, a recording) passes
 * text_sanitise() before it reaches a terminal or a text file. Valid UTF-8 passes unchanged except:
 * C0 and C1 controls, DEL, bidi controls and other format characters that move or hide text
 * (U+061C, U+200B..U+200F, U+2028..U+202E, U+2060..U+2069, U+FEFF, U+FFF9..U+FFFB), surrogates,
 * non-characters; each of these, and each byte that is not part of a valid UTF-8 sequence, becomes
 * U+FFFD.
 */
#ifndef SBERF_BASE_TEXT_H
#define SBERF_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes the sanitised form of the LEN bytes at S into DST (DST_SIZE bytes, always NUL-terminated
 * when > 0), cutting at a character boundary. Returns the length written, without the NUL. 3 * LEN
 * + 1 bytes always suffice. DST must not overlap S.
 */
size_t text_sanitise(char *dst, size_t dst_size, const char *s, size_t len);

/*
 * As snprintf() into DST (DST_SIZE bytes), but cut at a character boundary. Returns the length
 * written, without the NUL, which is less than DST_SIZE when that is not 0: "at += text_format(dst
 * + at, size - at, ...)" stays inside of DST.
 */
size_t text_format(char *dst, size_t dst_size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
size_t text_vformat(char *dst, size_t dst_size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

/*
 * LEN, or less when the last character of the LEN bytes at S goes on behind them: what may be kept
 * of a text that is cut there.
 */
size_t text_whole(const char *s, size_t len);

/* True when text_sanitise() would change nothing. */
bool text_is_clean(const char *s, size_t len);

/*
 * Decodes the character at S (LEN > 0 bytes left) into *RET_CP. Returns how many bytes it took, 1 to 4; for an invalid
 * sequence 1, with *RET_CP = 0xFFFD.
 */
size_t text_decode(const char *s, size_t len, uint32_t *ret_cp);

/* Writes CP, at most U+10FFFF, as UTF-8 without NUL into DST. Returns how many bytes that took, 1 to 4. */
size_t text_encode(uint32_t cp, char dst[4]);

/* Columns that CP takes in a terminal: 0 (combining), 1, or 2 (wide). Independent of the locale. */
int text_cp_width(uint32_t cp);

/* Columns of sanitised text. */
size_t text_width(const char *s, size_t len);

/*
 * Fits sanitised text into COLS columns by replacing its middle with an ellipsis ("…", or ".." when
 * ASCII), into DST. Short text is copied. Returns the columns used. DST_SIZE >= LEN + 4 always
 * suffices.
 */
size_t text_cut_middle(char *dst, size_t dst_size, const char *s, size_t len, size_t cols, bool ascii);

#endif
