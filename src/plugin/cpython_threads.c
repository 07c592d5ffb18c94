/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython_threads.c - dictionaries of CPython, and the three ways in which an object has its attributes.
 *
 * A dictionary has a table of entries, and perhaps an array of values beside it when it shares the table with
 * others (PEP 412). An object has a dictionary (to 3.10), or an array of values until somebody asks for a
 * dictionary: in front of it (3.11 and 3.12) or behind its fields (from 3.13 on); the table is then that of its class.
 */
#include "config.h"

#include "plugin/cpython_threads.h"

#include "plugin/cpython_text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Include/cpython/dictobject.h, Include/internal/pycore_dict.h, Include/cpython/object.h; for 64 bits, with the lock */
#define DICT_KEYS 32u
#define DICT_VALUES 40u
#define MODULE_DICT 16u
#define TYPE_BASICSIZE 32u
#define TYPE_DICTOFFSET 288u
#define INT_DIGITS 24u                   /* behind how many there are */
#define DIGIT_BITS 30u
#define KEYS_GENERAL 0u                  /* dk_kind: keys of any type, with their hash */
#define ENTRIES_MAX 65536u
#define ENTRY_MAX 24u
#define SEARCHED_MAX 250u                /* names of modules that one call looks at: each is a read */
#define KNOWN_MAX 4096u

/* A table of keys, and where their values are. */
struct dict_table {
	uint64_t entries, values;        /* values: an array in the order of the entries; 0 = they are in there */
	uint32_t n, entry, key;          /* entries, bytes of one, where in it the key is; the value is behind that */
};

static int threads_word(const struct cpython_threads *t, uint64_t address, uint64_t *ret)
{
	return t->host->read(t->host, address, ret, sizeof(*ret));
}

static bool is_before(const struct cpython_threads *t, uint16_t minor)
{
	return t->layout->version < CPYTHON_VERSION(3, minor);
}

/* The table at KEYS, with the array at VALUES, 0 = none. */
static int keys_open(const struct cpython_threads *t, uint64_t keys, uint64_t values, struct dict_table *ret)
{
	uint64_t head[5], indices;

	if (!keys || t->host->read(t->host, keys, head, sizeof(head)))
		return -EFAULT;
	*ret = (struct dict_table){ .values = values };
	if (is_before(t, 11)) {
		if (!head[1] || head[1] > 2 * ENTRIES_MAX)
			return -EBADMSG;
		indices = head[1] * (head[1] <= 0xff ? 1 : head[1] <= 0xffff ? 2 : 4);
		ret->entries = keys + sizeof(head) + indices;
		ret->n = head[4] <= ENTRIES_MAX ? (uint32_t)head[4] : 0;
		ret->key = 8;
	} else {
		if ((head[1] >> 8 & 0xff) > 20)
			return -EBADMSG;
		ret->entries = keys + 32 + (1ull << (head[1] >> 8 & 0xff));
		ret->n = head[3] <= ENTRIES_MAX ? (uint32_t)head[3] : 0;
		ret->key = (head[1] >> 16 & 0xff) == KEYS_GENERAL ? 8 : 0;
	}
	ret->entry = ret->key + 16;
	return ret->n ? 0 : -ENOENT;
}

static int dict_open(const struct cpython_threads *t, uint64_t dict, struct dict_table *ret)
{
	uint64_t type, keys, values;

	if (!dict || threads_word(t, dict + t->layout->object_type, &type) || type != t->dict_type ||
	    threads_word(t, dict + DICT_KEYS, &keys) || threads_word(t, dict + DICT_VALUES, &values))
		return -EBADMSG;
	if (values && !is_before(t, 13))
		values += 8;
	return keys_open(t, keys, values, ret);
}

/* Reads the entries of D from *AT on to BUF: how many, which AT goes on by. */
static uint32_t keys_read(const struct cpython_threads *t, const struct dict_table *d, uint32_t *at,
			   uint8_t buf[SBERF_PLUGIN_READ_MAX])
{
	const uint32_t most = SBERF_PLUGIN_READ_MAX / d->entry, left = d->n - *at, n = left < most ? left : most;

	if (!n || t->host->read(t->host, d->entries + (uint64_t)*at * d->entry, buf, (size_t)n * d->entry))
		return 0;
	*at += n;
	return n;
}

/* Is the object at ADDRESS the string TEXT, of ASCII? */
static bool is_ascii_text(const struct cpython_threads *t, uint64_t address, const char *text)
{
	const size_t len = strlen(text), at = t->layout->text_ascii;
	uint8_t buf[96];
	uint64_t type, length;

	if (!address || at + len > sizeof(buf) || t->host->read(t->host, address, buf, at + len))
		return false;
	memcpy(&type, buf + t->layout->object_type, sizeof(type));
	memcpy(&length, buf + t->layout->text_length, sizeof(length));
	return type == t->text_type && length == len && !memcmp(buf + at, text, len);
}

/* The value of TEXT in D, to *RET, of the entries from FROM on, at most MOST of them. -ENOENT: they have none. */
static int keys_find(const struct cpython_threads *t, const struct dict_table *d, const char *text, uint32_t from,
		      uint32_t most, uint64_t *ret)
{
	uint8_t buf[SBERF_PLUGIN_READ_MAX];
	uint32_t at = from, n;

	while (at - from < most && (n = keys_read(t, d, &at, buf)))
		for (uint32_t i = 0; i < n && at - n + i - from < most; i++) {
			uint64_t key, value;

			memcpy(&key, buf + (size_t)i * d->entry + d->key, sizeof(key));
			memcpy(&value, buf + (size_t)i * d->entry + d->key + 8, sizeof(value));
			if (!is_ascii_text(t, key, text))
				continue;
			if (d->values && threads_word(t, d->values + 8ull * (at - n + i), &value))
				return -EFAULT;
			*ret = value;
			return value ? 0 : -ENOENT;
		}
	return -ENOENT;
}

/* Looks for threading._active. */
static int find_active(struct cpython_threads *t)
{
	uint64_t modules, module, variables;
	struct dict_table d;
	int r;

	if (threads_word(t, t->interp + t->layout->interp_modules, &modules) || dict_open(t, modules, &d))
		return -EBADMSG;
	r = keys_find(t, &d, "threading", t->searched, SEARCHED_MAX, &module);
	if (r) {
		t->searched = t->searched + SEARCHED_MAX < d.n ? t->searched + SEARCHED_MAX : 0;
		return r;
	}
	if (threads_word(t, module + MODULE_DICT, &variables) || dict_open(t, variables, &d))
		return -EBADMSG;
	return keys_find(t, &d, "_active", 0, SEARCHED_MAX, &t->active);
}

/* The number in the int object at ADDRESS, an address, which has two digits. */
static bool read_int(const struct cpython_threads *t, uint64_t address, uint64_t *ret)
{
	uint32_t digit[4];

	if (!address || t->host->read(t->host, address + INT_DIGITS - 8, digit, sizeof(digit)))
		return false;
	/* The first word counts them, above three other bits from 3.12 on. */
	if (digit[0] >> (is_before(t, 12) ? 0 : 3) != 2)
		return false;
	*ret = digit[2] | (uint64_t)digit[3] << DIGIT_BITS;
	return true;
}

/* The attributes of OBJECT as a table. */
static int attributes_open(const struct cpython_threads *t, uint64_t object, struct dict_table *ret)
{
	uint64_t type, size, dict, values = 0, keys;

	if (threads_word(t, object + t->layout->object_type, &type))
		return -EFAULT;
	if (is_before(t, 11)) {
		if (threads_word(t, type + TYPE_DICTOFFSET, &size) || size > 4096 ||
		    threads_word(t, object + size, &dict))
			return -EBADMSG;
		return dict_open(t, dict, ret);
	}
	if (threads_word(t, object - 24, &dict))
		return -EFAULT;
	if (is_before(t, 12) && threads_word(t, object - 32, &values))
		return -EFAULT;
	if (!is_before(t, 12) && is_before(t, 13) && dict & 1) {
		values = dict + 1;
		dict = 0;
	}
	if (!is_before(t, 13) && !dict) {
		if (threads_word(t, type + TYPE_BASICSIZE, &size) || size > 4096)
			return -EBADMSG;
		values = object + size + 8;
	}
	if (dict)
		return dict_open(t, dict, ret);
	if (!values || threads_word(t, type + t->layout->type_keys, &keys))
		return -EBADMSG;
	return keys_open(t, keys, values, ret);
}

/* Says the name of the Thread at OBJECT, which is the I-th of those asked for. */
static int say_name(const struct cpython_threads *t, uint64_t object, size_t i, struct sberf_sink *sink)
{
	char name[4 * SBERF_PLUGIN_TEXT_MAX + 1];
	const struct sberf_said said = { .size = sizeof(said), .kind = SBERF_SAID_RUNTIME, .function = name };
	struct dict_table d;
	uint64_t text;

	if (attributes_open(t, object, &d) || keys_find(t, &d, "_name", 0, 64, &text) ||
	    cpython_text(t->host, t->layout, t->text_type, text, name, sizeof(name)) || !*name)
		return 0;
	return sink->say(sink, i, &said);
}

/* The number of the thread with the identifier KEY, an object; 0 = it cannot be read. */
static uint32_t read_thread_number(const struct cpython_threads *t, uint64_t key)
{
	uint64_t identifier;
	uint32_t number;

	return read_int(t, key, &identifier) &&
	       !t->host->read(t->host, identifier + t->number, &number, sizeof(number)) ? number : 0;
}

/* The same for the entry at PLACE, which is read once. */
static uint32_t thread_number_of(struct cpython_threads *t, uint32_t place, uint64_t key, uint64_t value)
{
	struct cpython_thread *known = t->known && place < KNOWN_MAX ? &t->known[place] : NULL;

	if (!known)
		return read_thread_number(t, key);
	if (known->key != key || known->value != value || !known->number)
		*known = (struct cpython_thread){ key, value, read_thread_number(t, key) };
	return known->number;
}

/* What the entry at PLACE of threading._active says: KEY and THREAD. *SAID counts names. */
static int say_entry(struct cpython_threads *t, uint32_t place, uint64_t key, uint64_t thread, const uint64_t *tid,
		     size_t n, struct sberf_sink *sink, size_t *said)
{
	const uint32_t number = key && thread ? thread_number_of(t, place, key, thread) : 0;

	for (size_t i = 0; number && i < n; i++) {
		/* Another thread's objects may stand where those of one that has ended were. */
		if (tid[i] != number || read_thread_number(t, key) != number)
			continue;
		++*said;
		return say_name(t, thread, i, sink);
	}
	return 0;
}

int cpython_threads_name(struct cpython_threads *t, const uint64_t *tid, size_t n, struct sberf_sink *sink)
{
	uint8_t buf[SBERF_PLUGIN_READ_MAX];
	struct dict_table d;
	uint32_t at = 0, some;
	size_t said = 0;
	int r = 0;

	if (t->layout->type_keys == CPYTHON_NONE || t->layout->interp_modules == CPYTHON_NONE || !t->dict_type)
		return -ENOTSUP;
	if (!t->active) {
		r = find_active(t);
		if (r)
			return r == -ENOENT ? 0 : r;
		if (!t->known && t->host->allocate)
			t->known = t->host->allocate(t->host, KNOWN_MAX * sizeof(*t->known));
	}
	if (dict_open(t, t->active, &d)) {
		t->active = 0;
		return 0;
	}
	while (!r && (some = keys_read(t, &d, &at, buf)))
		for (uint32_t i = 0; !r && i < some; i++) {
			uint64_t key, value;

			memcpy(&key, buf + (size_t)i * d.entry + d.key, sizeof(key));
			memcpy(&value, buf + (size_t)i * d.entry + d.key + 8, sizeof(value));
			r = say_entry(t, at - some + i, key, value, tid, n, sink, &said);
		}
	/* Who was not found may be where another one is known to have been. */
	if (said < n && t->known)
		memset(t->known, 0, KNOWN_MAX * sizeof(*t->known));
	return r;
}
