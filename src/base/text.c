/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c - one decoder, one table of what must not pass, one table of widths.
 *
 * The decoder accepts exactly the well-formed sequences of Unicode 15, table 3-7: no overlong
 * forms, no surrogates, nothing above U+10FFFF.
 */
#include "config.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

struct range {
	uint32_t first, last;
};

/* Controls, and format characters that move or hide text. */
static const struct range unsafe[] = {
	{ 0x0000, 0x001F }, { 0x007F, 0x009F }, { 0x061C, 0x061C }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
	  { 0x2060, 0x2069 },
	{ 0xD800, 0xDFFF }, { 0xFDD0, 0xFDEF }, { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB },
};

/*
 * Combining marks and other characters of no width (general categories Mn and Me, conjoining
 * Hangul, variation selectors).
 */
static const struct range zero_width[] = {
	{ 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x05BF, 0x05BF }, { 0x05C1, 0x05C2 },
	  { 0x05C4, 0x05C5 },
	{ 0x05C7, 0x05C7 }, { 0x0610, 0x061A }, { 0x064B, 0x065F }, { 0x0670, 0x0670 }, { 0x06D6, 0x06DC },
	  { 0x06DF, 0x06E4 },
	{ 0x06E7, 0x06E8 }, { 0x06EA, 0x06ED }, { 0x0711, 0x0711 }, { 0x0730, 0x074A }, { 0x07A6, 0x07B0 },
	  { 0x07EB, 0x07F3 },
	{ 0x0816, 0x0819 }, { 0x081B, 0x0823 }, { 0x0825, 0x0827 }, { 0x0829, 0x082D }, { 0x0859, 0x085B },
	  { 0x0898, 0x089F },
	{ 0x08CA, 0x08E1 }, { 0x08E3, 0x0902 }, { 0x093A, 0x093A }, { 0x093C, 0x093C }, { 0x0941, 0x0948 },
	  { 0x094D, 0x094D },
	{ 0x0951, 0x0957 }, { 0x0962, 0x0963 }, { 0x0981, 0x0981 }, { 0x09BC, 0x09BC }, { 0x09C1, 0x09C4 },
	  { 0x09CD, 0x09CD },
	{ 0x0A01, 0x0A02 }, { 0x0A3C, 0x0A3C }, { 0x0A41, 0x0A51 }, { 0x0A70, 0x0A71 }, { 0x0A81, 0x0A82 },
	  { 0x0ABC, 0x0ABC },
	{ 0x0AC1, 0x0AC8 }, { 0x0ACD, 0x0ACD }, { 0x0B01, 0x0B01 }, { 0x0B3C, 0x0B3C }, { 0x0B4D, 0x0B4D },
	  { 0x0BCD, 0x0BCD },
	{ 0x0C4D, 0x0C4D }, { 0x0CCC, 0x0CCD }, { 0x0D4D, 0x0D4D }, { 0x0E31, 0x0E31 }, { 0x0E34, 0x0E3A },
	  { 0x0E47, 0x0E4E },
	{ 0x0EB1, 0x0EB1 }, { 0x0EB4, 0x0EBC }, { 0x0EC8, 0x0ECE }, { 0x0F71, 0x0F7E }, { 0x0F80, 0x0F84 },
	  { 0x102D, 0x1030 },
	{ 0x1032, 0x1037 }, { 0x1039, 0x103A }, { 0x1160, 0x11FF }, { 0x135D, 0x135F }, { 0x17B4, 0x17B5 },
	  { 0x17B7, 0x17BD },
	{ 0x17C9, 0x17D3 }, { 0x180B, 0x180F }, { 0x1AB0, 0x1ACE }, { 0x1DC0, 0x1DFF }, { 0x20D0, 0x20F0 },
	  { 0x302A, 0x302D },
	{ 0x3099, 0x309A }, { 0xA66F, 0xA672 }, { 0xA8E0, 0xA8F1 }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F },
	{ 0x1D167, 0x1D169 }, { 0x1D173, 0x1D182 }, { 0x1E000, 0x1E02A }, { 0x1E8D0, 0x1E8D6 }, { 0x1E944, 0x1E94A },
	{ 0xE0001, 0xE007F }, { 0xE0100, 0xE01EF },
};

/* East Asian Wide and Fullwidth, and emoji that terminals draw in two columns. */
static const struct range wide[] = {
	{ 0x1100, 0x115F }, { 0x231A, 0x231B }, { 0x2329, 0x232A }, { 0x23E9, 0x23EC }, { 0x23F0, 0x23F0 },
	  { 0x23F3, 0x23F3 },
	{ 0x25FD, 0x25FE }, { 0x2614, 0x2615 }, { 0x2648, 0x2653 }, { 0x267F, 0x267F }, { 0x2693, 0x2693 },
	  { 0x26A1, 0x26A1 },
	{ 0x26AA, 0x26AB }, { 0x26BD, 0x26BE }, { 0x26C4, 0x26C5 }, { 0x26CE, 0x26CE }, { 0x26D4, 0x26D4 },
	  { 0x26EA, 0x26EA },
	{ 0x26F2, 0x26F3 }, { 0x26F5, 0x26F5 }, { 0x26FA, 0x26FA }, { 0x26FD, 0x26FD }, { 0x2705, 0x2705 },
	  { 0x270A, 0x270B },
	{ 0x2728, 0x2728 }, { 0x274C, 0x274C }, { 0x274E, 0x274E }, { 0x2753, 0x2755 }, { 0x2757, 0x2757 },
	  { 0x2795, 0x2797 },
	{ 0x27B0, 0x27B0 }, { 0x27BF, 0x27BF }, { 0x2B1B, 0x2B1C }, { 0x2B50, 0x2B50 }, { 0x2B55, 0x2B55 },
	  { 0x2E80, 0x303E },
	{ 0x3041, 0x33FF }, { 0x3400, 0x4DBF }, { 0x4E00, 0xA4CF }, { 0xA960, 0xA97C }, { 0xAC00, 0xD7A3 },
	  { 0xF900, 0xFAFF },
	{ 0xFE10, 0xFE19 }, { 0xFE30, 0xFE6B }, { 0xFF01, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x16FE0, 0x18CFF },
	{ 0x1AFF0, 0x1B2FF }, { 0x1F004, 0x1F004 }, { 0x1F0CF, 0x1F0CF }, { 0x1F18E, 0x1F18E }, { 0x1F191, 0x1F19A },
	{ 0x1F200, 0x1F320 }, { 0x1F32D, 0x1F335 }, { 0x1F337, 0x1F37C }, { 0x1F37E, 0x1F393 }, { 0x1F3A0, 0x1F3CA },
	{ 0x1F3CF, 0x1F3D3 }, { 0x1F3E0, 0x1F3F0 }, { 0x1F3F4, 0x1F3F4 }, { 0x1F3F8, 0x1F43E }, { 0x1F440, 0x1F440 },
	{ 0x1F442, 0x1F4FC }, { 0x1F4FF, 0x1F53D }, { 0x1F54B, 0x1F54E }, { 0x1F550, 0x1F567 }, { 0x1F57A, 0x1F57A },
	{ 0x1F595, 0x1F596 }, { 0x1F5A4, 0x1F5A4 }, { 0x1F5FB, 0x1F64F }, { 0x1F680, 0x1F6C5 }, { 0x1F6CC, 0x1F6CC },
	{ 0x1F6D0, 0x1F6D2 }, { 0x1F6D5, 0x1F6D7 }, { 0x1F6DC, 0x1F6DF }, { 0x1F6EB, 0x1F6EC }, { 0x1F6F4, 0x1F6FC },
	{ 0x1F7E0, 0x1F7EB }, { 0x1F7F0, 0x1F7F0 }, { 0x1F90C, 0x1F93A }, { 0x1F93C, 0x1F945 }, { 0x1F947, 0x1F9FF },
	{ 0x1FA70, 0x1FAFF }, { 0x20000, 0x2FFFD }, { 0x30000, 0x3FFFD },
};

static bool text_within(const struct range *r, size_t n, uint32_t cp)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (cp > r[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && cp >= r[lo].first;
}

#define WITHIN(table, cp) text_within(table, sizeof(table) / sizeof((table)[0]), cp)

static bool safe_cp(uint32_t cp)
{
	return (cp >= 0x20 && cp < 0x7F) || ((cp & 0xFFFE) != 0xFFFE && !WITHIN(unsafe, cp));
}

/* How long the sequence is that starts with LEAD, and the least value it may encode; 0 when LEAD starts none. */
static size_t sequence_length(unsigned char lead, uint32_t *ret_least)
{
	const size_t n = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	*ret_least = least[n];
	return n;
}

size_t text_decode(const char *s, size_t len, uint32_t *ret_cp)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t least;
	const size_t n = sequence_length(p[0], &least);
	uint32_t cp = n < 2 ? p[0] : p[0] & (0x7Fu >> n);

	*ret_cp = REPLACEMENT;
	if (!n || n > len)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 1;
		cp = cp << 6 | (p[i] & 0x3F);
	}
	if (cp < least || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return 1;
	*ret_cp = cp;
	return n;
}

/* Decodes as text_decode() and says whether these bytes may pass as they are. */
static size_t text_next(const char *s, size_t len, bool *ret_safe)
{
	uint32_t cp;
	const size_t n = text_decode(s, len, &cp);

	*ret_safe = safe_cp(cp) && (n > 1 || (unsigned char)s[0] < 0x80);
	return n;
}

#define EACH_BYTE 0x0101010101010101ull

/* Bytes at the beginning of S that are printable ASCII, as nearly all text is: some of them, eight at a time. */
static size_t text_plain(const char *s, size_t len)
{
	size_t at = 0;

	for (; len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		uint64_t w;

		memcpy(&w, s + at, sizeof(w));
		/* The top bit of a byte is set when it is in W, or when the byte is less than 0x20, or 0x7F. */
		if ((w | (w - 0x20 * EACH_BYTE) | (w + EACH_BYTE)) & 0x80 * EACH_BYTE)
			break;
	}
	return at;
}

size_t text_sanitise(char *dst, size_t dst_size, const char *s, size_t len)
{
	const size_t room = dst_size ? dst_size - 1 : 0;
	size_t out = text_plain(s, len < room ? len : room);

	if (!dst_size)
		return 0;
	memcpy(dst, s, out);
	for (size_t at = out; at < len;) {
		bool safe;
		const size_t n = text_next(s + at, len - at, &safe);
		const size_t put = safe ? n : 3;

		if (put > dst_size - 1 - out)
			break;
		memcpy(dst + out, safe ? s + at : "\xEF\xBF\xBD", put);
		out += put;
		at += n;
	}
	dst[out] = '\0';
	return out;
}

size_t text_whole(const char *s, size_t len)
{
	size_t last = len;
	uint32_t least;

	/* A character is a byte that leads and at most three that follow. */
	do {
		if (!last)
			return len;
		last--;
	} while (((unsigned char)s[last] & 0xC0) == 0x80 && len - last < 4);
	return sequence_length((unsigned char)s[last], &least) > len - last ? last : len;
}

size_t text_vformat(char *dst, size_t dst_size, const char *fmt, va_list ap)
{
	const int n = vsnprintf(dst, dst_size, fmt, ap);
	size_t len;

	if (!dst_size)
		return 0;
	if (n >= 0 && (size_t)n < dst_size)
		return (size_t)n;
	len = n < 0 ? 0 : text_whole(dst, dst_size - 1);
	dst[len] = '\0';
	return len;
}

size_t text_format(char *dst, size_t dst_size, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	len = text_vformat(dst, dst_size, fmt, ap);
	va_end(ap);
	return len;
}

bool text_is_clean(const char *s, size_t len)
{
	bool safe = true;

	for (size_t at = text_plain(s, len); at < len && safe;)
		at += text_next(s + at, len - at, &safe);
	return safe;
}

int text_cp_width(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	return WITHIN(zero_width, cp) ? 0 : WITHIN(wide, cp) ? 2 : 1;
}

size_t text_width(const char *s, size_t len)
{
	size_t cols = 0;

	for (size_t at = 0; at < len;) {
		uint32_t cp;

		at += text_decode(s + at, len - at, &cp);
		cols += (size_t)text_cp_width(cp);
	}
	return cols;
}

/*
 * Bytes of the longest prefix of S that takes at most COLS columns, with the marks that belong to
 * its last character.
 */
static size_t text_prefix(const char *s, size_t len, size_t cols)
{
	size_t at = 0;

	while (at < len) {
		uint32_t cp;
		const size_t n = text_decode(s + at, len - at, &cp);
		const size_t w = (size_t)text_cp_width(cp);

		if (w > cols)
			break;
		cols -= w;
		at += n;
	}
	return at;
}

/* Where the longest suffix of S begins that takes at most COLS columns and does not begin with a combining mark. */
static size_t text_suffix(const char *s, size_t len, size_t cols)
{
	size_t total = text_width(s, len), at = 0;

	while (at < len) {
		uint32_t cp;
		const size_t n = text_decode(s + at, len - at, &cp);
		const size_t w = (size_t)text_cp_width(cp);

		if (total <= cols && w)
			break;
		total -= w;
		at += n;
	}
	return at;
}

size_t text_cut_middle(char *dst, size_t dst_size, const char *s, size_t len, size_t cols, bool ascii)
{
	const char *dots = ascii ? ".." : "\xE2\x80\xA6";
	const size_t dots_len = strlen(dots), dots_cols = ascii ? 2 : 1;
	size_t head, tail;

	if (!dst_size)
		return 0;
	dst[0] = '\0';
	if (text_width(s, len) <= cols) {
		head = len, tail = len;
	} else if (cols < dots_cols) {
		head = 0, tail = len;
	} else {
		head = text_prefix(s, len, (cols - dots_cols + 1) / 2);
		tail = text_suffix(s, len, (cols - dots_cols) / 2);
	}
	if (head + (head < len && cols >= dots_cols ? dots_len : 0) + (len - tail) >= dst_size)
		return 0;
	memcpy(dst, s, head);
	if (head < len && cols >= dots_cols) {
		memcpy(dst + head, dots, dots_len);
		head += dots_len;
	}
	memcpy(dst + head, s + tail, len - tail);
	head += len - tail;
	dst[head] = '\0';
	return text_width(dst, head);
}

size_t text_encode(uint32_t cp, char dst[4])
{
	const size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	for (size_t i = n; i-- > 1; cp >>= 6)
		dst[i] = (char)(0x80 | (cp & 0x3F));
	dst[0] = (char)(lead[n] | cp);
	return n;
}
