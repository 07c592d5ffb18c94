/* SPDX-License-Identifier: BSD-2-Clause */
/* find_usdt.c - reads .note.stapsdt. See usdt.h. */
#include "config.h"

#include "probe/usdt.h"

#include "base/cleanup.h"
#include "probe/find_match.h"
#include "probe/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NOTE_STAPSDT 3u /* type of the notes */
#define NOTES_MAX (16u << 20) /* bytes of them */

struct usdt_search {
	const struct elf_file *file;
	int64_t moved; /* addresses in the notes are so much lower than those of the file: prelinked since */
	struct find_match provider, name;
	struct nearest near;
	usdt_sites *found;
	size_t before;
	uint32_t all, damaged;
};

/* The string at *P, which moves behind it; NULL when it has no end before END, or is longer than MAX with its NUL. */
static const char *note_string(const char **p, const char *end, size_t max)
{
	const char *s = *p, *nul = s < end ? memchr(s, '\0', (size_t)(end - s)) : NULL;

	if (!nul || (size_t)(nul - s) >= max)
		return NULL;
	*p = nul + 1;
	return s;
}

/* Whether VADDR is in an executable segment of F. */
static bool is_code(const struct elf_file *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->nr_ph; i++)
		if (f->ph[i].p_type == PT_LOAD && (f->ph[i].p_flags & PF_X) && vaddr >= f->ph[i].p_vaddr &&
		    vaddr - f->ph[i].p_vaddr < f->ph[i].p_filesz)
			return true;
	return false;
}

/* Makes a place of the note; false when it makes no sense. */
static bool usdt_site_of(const struct usdt_search *s, const struct elf_note *n, struct usdt_site *ret)
{
	const char *p = (const char *)n->desc, *const end = p + n->desc_len, *provider, *name, *args;
	uint64_t at[3]; /* place, base, semaphore */

	if (n->desc_len < sizeof(at))
		return false;
	memcpy(at, p, sizeof(at));
	p += sizeof(at);
	provider = note_string(&p, end, USDT_NAME_MAX);
	name = provider ? note_string(&p, end, USDT_NAME_MAX) : NULL;
	args = name ? note_string(&p, end, SIZE_MAX) : NULL;
	if (!args || !*name)
		return false;
	*ret = (struct usdt_site){ .vaddr = at[0] + (uint64_t)s->moved };
	if (!is_code(s->file, ret->vaddr) || !elf_file_offset(s->file, ret->vaddr, &ret->offset))
		return false;
	if (at[2] && !elf_file_offset(s->file, at[2] + (uint64_t)s->moved, &ret->semaphore))
		return false;
	snprintf(ret->provider, sizeof(ret->provider), "%s", provider);
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	snprintf(ret->text, sizeof(ret->text), "%s", args);
	ret->nr_args = usdt_args_parse(args, s->file->eh.e_machine, ret->arg);
	return true;
}

static int usdt_take(struct usdt_search *s, const struct elf_note *n, struct err *e)
{
	struct usdt_site site, *slot;

	if (n->type != NOTE_STAPSDT || n->name_len < 7 || memcmp(n->name, "stapsdt", 7))
		return 0;
	if (s->all == USDT_SITES_MAX || !usdt_site_of(s, n, &site)) {
		s->damaged++;
		return 0;
	}
	s->all++;
	if (!find_match_is(&s->provider, site.provider))
		return 0;
	if (!find_match_is(&s->name, site.name)) {
		nearest_offer(&s->near, site.name);
		return 0;
	}
	slot = vec_push(s->found);
	if (!slot)
		return err_nomem(e, "static probes");
	*slot = site;
	return 0;
}

/* How much lower addresses in the notes are than in the file: the first note says where it believes .stapsdt.base. */
static int64_t usdt_moved(const struct elf_file *f, const uint8_t *notes, size_t len)
{
	const Elf64_Shdr *base = elf_file_section(f, ".stapsdt.base");
	struct elf_note n;
	uint64_t believed;

	if (!base || !elf_note_next(&notes, &len, &n) || n.desc_len < 2 * sizeof(believed))
		return 0;
	memcpy(&believed, n.desc + sizeof(believed), sizeof(believed));
	return believed ? (int64_t)(base->sh_addr - believed) : 0;
}

static int usdt_notes(struct usdt_search *s, struct err *e)
{
	const Elf64_Shdr *sh = elf_file_section(s->file, ".note.stapsdt");
	AUTO_FREE uint8_t *owned = NULL;
	struct elf_bytes bytes;
	struct elf_note note;
	const uint8_t *p;
	int rc = 0;

	if (!sh)
		return 0;
	if (!elf_file_bytes(s->file, sh, NOTES_MAX, &bytes)) {
		s->damaged++;
		return 0;
	}
	p = owned = bytes.data;
	s->moved = usdt_moved(s->file, p, bytes.len);
	while (!rc && elf_note_next(&p, &bytes.len, &note))
		rc = usdt_take(s, &note, e);
	return rc;
}

int find_usdt(const struct elf_file *f, const struct spec_point *p, usdt_sites *ret, uint32_t *ret_damaged,
	      struct err *e)
{
	static const struct spec_point all = { .kind = PROBE_USDT, .match = SPEC_ANY };
	struct usdt_search s = { .file = f, .found = ret, .before = ret->n };
	int rc;

	p = p ? p : &all;
	s.near = nearest_begin(p->name, p->match == SPEC_EXACT ? strlen(p->name) : 0);
	rc = find_match_init(&s.provider, p->provider_match, p->provider, e);
	if (!rc)
		rc = find_match_init(&s.name, p->match, p->name, e);
	if (!rc)
		rc = usdt_notes(&s, e);
	find_match_free(&s.name);
	find_match_free(&s.provider);
	if (ret_damaged)
		*ret_damaged = s.damaged;
	if (rc < 0 || ret->n > s.before || !s.all)
		return rc < 0 ? rc : (int)(ret->n - s.before);
	return err_set(e, ENOENT, "there is no static probe '%s%s%s' in it: %s%s%s", p->provider,
		       *p->provider ? ":" : "", p->name, *s.near.best ? "did you mean '" : "it has others", s.near.best,
		       *s.near.best ? "'?" : "");
}
