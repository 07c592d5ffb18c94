/* SPDX-License-Identifier: BSD-2-Clause */
/* rawfile.c - see rawfile.h. */
#include "config.h"

#include "capture/rawfile.h"

#include "capture/wire_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RAW_MAGIC "SBERFRAW"
#define RAW_VERSION 1u
#define RAW_ORDER 0x01020304u    /* of bytes */
#define RAW_PATH_MAX 4097u       /* PATH_MAX, its end included */

/* All of these are multiples of 8 bytes. */
struct file_head {
	char magic[8];
	uint32_t version, order;
	uint32_t size;           /* of this; a newer one may be longer */
	uint32_t freq_hz;
	uint64_t begun_ns;
	uint32_t stack_bytes, pad;
	char event[16];
};

enum record_type { REC_WIRE = 1, REC_MMAP, REC_COMM, REC_FORK, REC_EXIT, REC_TURN };

struct record_head {
	uint32_t size;           /* this included */
	uint16_t type;           /* enum record_type */
	uint16_t flags;
};

/* With it, a wire record: what the source knew beside. */
struct wire_record {
	struct record_head head;
	uint64_t weight;
	uint32_t context;        /* of a waker */
	uint32_t pad;
};

/* The side band. */
struct side_head {
	struct record_head head;
	uint64_t time_ns;
	uint32_t cpu, node;
	uint32_t pid, tid;
};

struct mmap_record {
	struct side_head side;
	uint64_t start, len, pgoff, ino, generation;
	uint32_t prot, flags, maj, min;
	uint32_t build_id_len;
	uint8_t build_id[BUILD_ID_MAX];
	/* path and its end, padded */
};

struct fork_record {
	struct side_head side;
	uint32_t ppid, ptid;
};

#define COMM_EXEC 1u             /* record_head.flags of a REC_COMM, behind whose head is the name */

struct turn_record {
	struct record_head head;
	uint64_t seen_ns;
	uint32_t nr, pad;        /* of lost */
	uint64_t lost[LOST_NR];
};

static int rawfile_put_bytes(FILE *f, const void *p, size_t n)
{
	return fwrite(p, 1, n, f) == n ? 0 : errno ? -errno : -EIO;
}

int rawfile_begin(FILE *f, const struct rawfile_head *head)
{
	struct file_head h = {
		.magic = { 'S', 'B', 'E', 'R', 'F', 'R', 'A', 'W' },
		.version = RAW_VERSION,
		.order = RAW_ORDER,
		.size = sizeof(h),
		.freq_hz = head->freq_hz,
		.begun_ns = head->begun_ns,
		.stack_bytes = head->stack_bytes,
	};

	memcpy(h.event, head->event, sizeof(h.event));
	return rawfile_put_bytes(f, &h, sizeof(h));
}

static int rawfile_put_wire(FILE *f, const struct raw_event *ev, void *buf)
{
	struct wire_record *w = buf;
	const size_t n = wire_encode_record(ev, w + 1, RAWFILE_RECORD_MAX - sizeof(*w));

	if (!n)
		return -EMSGSIZE;
	*w = (struct wire_record){ .head = { .size = (uint32_t)(sizeof(*w) + n), .type = REC_WIRE },
				   .weight = ev->sample.weight,
				   .context = ev->kind == RAW_WAKE ? ev->wake.context : 0 };
	return rawfile_put_bytes(f, w, w->head.size);
}

/* R, of BYTES, with TEXT behind it. */
static int rawfile_put_side(FILE *f, struct side_head *r, size_t bytes, uint16_t type, const struct raw_event *ev,
			    const char *text)
{
	static const char zeros[8];
	const size_t len = text ? strnlen(text, RAW_PATH_MAX - 1) : 0, behind = text ? len + 1 : 0,
		     pad = -(bytes + behind) & 7;
	int error;

	r->head =
		(struct record_head){ .size = (uint32_t)(bytes + behind + pad), .type = type, .flags = r->head.flags };
	r->time_ns = ev->time_ns;
	r->cpu = ev->cpu;
	r->node = ev->node;
	r->pid = (uint32_t)ev->pid;
	r->tid = (uint32_t)ev->tid;
	error = rawfile_put_bytes(f, r, bytes);
	error = error || !text ? error : rawfile_put_bytes(f, text, len);
	return error ? error : rawfile_put_bytes(f, zeros, (text ? 1 : 0) + pad);
}

static int rawfile_put_mmap(FILE *f, const struct raw_event *ev)
{
	const struct raw_mmap *m = &ev->mmap;
	struct mmap_record r = {
		.start = m->start,
		.len = m->len,
		.pgoff = m->pgoff,
		.ino = m->ino,
		.generation = m->ino_generation,
		.prot = m->prot,
		.flags = m->flags,
		.maj = m->maj,
		.min = m->min,
		.build_id_len = m->build_id_len,
	};

	memcpy(r.build_id, m->build_id, sizeof(r.build_id));
	return rawfile_put_side(f, &r.side, sizeof(r), REC_MMAP, ev, m->path);
}

static int rawfile_put_comm(FILE *f, const struct raw_event *ev)
{
	struct side_head r = { .head.flags = ev->comm.exec ? COMM_EXEC : 0 };

	return rawfile_put_side(f, &r, sizeof(r), REC_COMM, ev, ev->comm.comm);
}

static int rawfile_put_fork(FILE *f, const struct raw_event *ev)
{
	struct fork_record r = { .ppid = (uint32_t)ev->fork.ppid, .ptid = (uint32_t)ev->fork.ptid };

	return rawfile_put_side(f, &r.side, sizeof(r), REC_FORK, ev, NULL);
}

int rawfile_put(FILE *f, const struct raw_event *ev, void *buf)
{
	struct side_head bare = { 0 };

	switch (ev->kind) {
	case RAW_MMAP:
		return rawfile_put_mmap(f, ev);
	case RAW_COMM:
		return rawfile_put_comm(f, ev);
	case RAW_FORK:
		return rawfile_put_fork(f, ev);
	case RAW_EXIT:
		return rawfile_put_side(f, &bare, sizeof(bare), REC_EXIT, ev, NULL);
	default:
		return wire_encode_can(ev) ? rawfile_put_wire(f, ev, buf) : 0;
	}
}

int rawfile_put_turn(FILE *f, uint64_t seen_ns, const struct losses *lost)
{
	struct turn_record r = { .head = { .size = sizeof(r), .type = REC_TURN }, .seen_ns = seen_ns, .nr = LOST_NR };

	memcpy(r.lost, lost->n, sizeof(r.lost));
	return rawfile_put_bytes(f, &r, sizeof(r));
}

/* ---- reading ---- */

struct rawfile {
	FILE *f;
	uint64_t at;             /* of the record at hand, in the file */
	bool cut;
	uint64_t buf[RAWFILE_RECORD_MAX / 8];
};

int rawfile_open(FILE *f, struct rawfile_head *head, struct rawfile **ret, struct err *e)
{
	AUTO(rawfile_close) struct rawfile *r = calloc(1, sizeof(*r));
	struct file_head h;

	if (!r) {
		fclose(f);
		return err_nomem(e, "the raw capture");
	}
	r->f = f;
	r->at = sizeof(h);
	if (fread(&h, 1, sizeof(h), f) != sizeof(h) || memcmp(h.magic, RAW_MAGIC, sizeof(h.magic)))
		return err_set(e, EBADMSG, "it is no raw capture");
	if (h.order != RAW_ORDER || h.version != RAW_VERSION || h.size != sizeof(h))
		return err_set(e, EBADMSG,
			       "it is a raw capture of another version of sberf, or of another kind of machine: only "
			       "the sberf that wrote it reads it");
	*head = (struct rawfile_head){ .begun_ns = h.begun_ns,
				       .freq_hz = h.freq_hz ? h.freq_hz : 1,
				       .stack_bytes = h.stack_bytes };
	memcpy(head->event, h.event, sizeof(head->event));
	head->event[sizeof(head->event) - 1] = '\0';
	*ret = take_ptr(r);
	return 0;
}

void rawfile_close(struct rawfile *r)
{
	if (!r)
		return;
	fclose(r->f);
	free(r);
}

bool rawfile_cut(const struct rawfile *r)
{
	return r->cut;
}

static int rawfile_bad_record(const struct rawfile *r, struct err *e)
{
	return err_set(e, EBADMSG, "the record of the raw capture at byte %llu is damaged", (unsigned long long)r->at);
}

/* The next record to R->buf: 1, 0 at the end, or -EBADMSG. */
static int rawfile_fetch_record(struct rawfile *r, struct err *e)
{
	struct record_head *h = (void *)r->buf;
	const size_t got = fread(h, 1, sizeof(*h), r->f);
	size_t rest;

	if (got != sizeof(*h)) {
		r->cut = got > 0;
		return 0;
	}
	if (h->size < sizeof(*h) || h->size % 8 || h->size > sizeof(r->buf))
		return rawfile_bad_record(r, e);
	rest = h->size - sizeof(*h);
	if (fread(h + 1, 1, rest, r->f) != rest) {
		r->cut = true;
		return 0;
	}
	return 1;
}

/* The text behind the first BYTES of a record; NULL when it has no end in there. */
static const char *rawfile_text_behind(const struct record_head *h, size_t bytes)
{
	const char *text = (const char *)h + bytes;

	return h->size > bytes && memchr(text, '\0', h->size - bytes) ? text : NULL;
}

static bool rawfile_read_mmap(const struct record_head *h, struct raw_event *ev)
{
	const struct mmap_record *m = (const void *)h;
	const char *path = h->size > sizeof(*m) ? rawfile_text_behind(h, sizeof(*m)) : NULL;

	if (!path || m->build_id_len > BUILD_ID_MAX)
		return false;
	ev->kind = RAW_MMAP;
	ev->mmap = (struct raw_mmap){
		.start = m->start,
		.len = m->len,
		.pgoff = m->pgoff,
		.prot = m->prot,
		.flags = m->flags,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.ino_generation = m->generation,
		.build_id_len = (uint8_t)m->build_id_len,
		.path = path,
	};
	memcpy(ev->mmap.build_id, m->build_id, sizeof(ev->mmap.build_id));
	return true;
}

static bool rawfile_read_comm(const struct record_head *h, struct raw_event *ev)
{
	const char *comm = rawfile_text_behind(h, sizeof(struct side_head));

	ev->kind = RAW_COMM;
	ev->comm = (struct raw_comm){ .exec = h->flags & COMM_EXEC, .comm = comm };
	return comm;
}

static bool rawfile_read_fork(const struct record_head *h, struct raw_event *ev)
{
	const struct fork_record *f = (const void *)h;

	if (h->size < sizeof(*f))
		return false;
	ev->kind = RAW_FORK;
	ev->fork = (struct raw_fork){ .ppid = (pid_t)f->ppid, .ptid = (pid_t)f->ptid };
	return true;
}

static bool rawfile_read_side(const struct record_head *h, struct raw_event *ev)
{
	const struct side_head *s = (const void *)h;

	if (h->size < sizeof(*s))
		return false;
	ev->time_ns = s->time_ns;
	ev->cpu = s->cpu;
	ev->node = s->node;
	ev->pid = (pid_t)s->pid;
	ev->tid = (pid_t)s->tid;
	ev->kind = RAW_EXIT;
	return h->type == REC_EXIT || (h->type == REC_MMAP   ? rawfile_read_mmap(h, ev)
				       : h->type == REC_COMM ? rawfile_read_comm(h, ev)
							     : rawfile_read_fork(h, ev));
}

static bool rawfile_read_wire(const struct record_head *h, struct raw_event *ev)
{
	const struct wire_record *w = (const void *)h;

	if (h->size < sizeof(*w) || wire_decode_record(w + 1, h->size - sizeof(*w), ev) != 1)
		return false;
	ev->sample.weight = w->weight;
	if (ev->kind == RAW_WAKE)
		ev->wake.context = (uint8_t)w->context;
	return true;
}

static bool rawfile_read_turn(const struct record_head *h, uint64_t *seen_ns, struct losses *lost)
{
	const struct turn_record *t = (const void *)h;
	const size_t head = sizeof(*t) - sizeof(t->lost);

	if (h->size < head || t->nr > (h->size - head) / sizeof(*t->lost))
		return false;
	*seen_ns = t->seen_ns;
	memset(lost, 0, sizeof(*lost));
	memcpy(lost->n, t->lost, (t->nr < LOST_NR ? t->nr : LOST_NR) * sizeof(*t->lost));
	return true;
}

int rawfile_next(struct rawfile *r, struct raw_event *ev, uint64_t *seen_ns, struct losses *lost, struct err *e)
{
	const struct record_head *h = (const void *)r->buf;
	int got;

	while ((got = rawfile_fetch_record(r, e)) > 0) {
		bool fine = true;
		int what = RAWFILE_END;

		switch (h->type) {
		case REC_WIRE:
			fine = rawfile_read_wire(h, ev);
			what = RAWFILE_EVENT;
			break;
		case REC_MMAP:
		case REC_COMM:
		case REC_FORK:
		case REC_EXIT:
			fine = rawfile_read_side(h, ev);
			what = RAWFILE_EVENT;
			break;
		case REC_TURN:
			fine = rawfile_read_turn(h, seen_ns, lost);
			what = RAWFILE_TURN;
			break;
		default:
			break;
		}
		if (!fine)
			return rawfile_bad_record(r, e);
		r->at += h->size;
		if (what != RAWFILE_END)
			return what;
	}
	return got < 0 ? got : RAWFILE_END;
}
