/* SPDX-License-Identifier: BSD-2-Clause */
/* rawfile.c - see rawfile.h. */
#include "config.h"

#include "capture/rawfile_private.h"

#include "bpf/wire.h"
#include "capture/wire_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define RAW_MAGIC "SBERFRAW"
#define RAW_VERSION 3u
#define RAW_ORDER 0x01020304u    /* of bytes */
#define RAW_PATH_MAX 4097u       /* PATH_MAX, its end included */
#define ROOM_MIN 65536u          /* bytes that a reader begins with */

/* All of these are multiples of 8 bytes. */
struct file_head {
	char magic[8];
	uint32_t version, order;
	uint32_t size;           /* of this; a newer one may be longer */
	uint32_t freq_hz;
	uint64_t begun_ns;
	uint32_t stack_bytes, nodes;
	uint32_t flags;          /* HEAD_* */
	uint32_t features;
	char event[16];
};

#define HEAD_OFF_CPU 1u
#define HEAD_WAKERS 2u

/* record_head.flags of a REC_WIRE */
#define WIRE_STACK 1u            /* a RAW_WAIT_STACK, with the parts of a RAW_WAIT */
#define WIRE_OUTSIDE 2u          /* raw_sample.outside */
#define WIRE_ANSWER 4u           /* a RAWFILE_STACK */
#define WIRE_FURTHER 8u          /* rawfile_item.further */

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

/* record_head.flags of the side band */
#define SIDE_TOLD 2u             /* rawfile_item.told */
#define COMM_EXEC 1u             /* of a REC_COMM, behind whose head is the name */

/* In their order here. */
#define TURN_FIGURES(X) \
	X(late) X(waits) X(switches) X(summed) X(unsummed) X(inferred) X(not_handed) X(stacks_read) X(stacks_hung) \
	X(stacks_denied) X(kstacks_checked) X(kstacks_different) X(gaps) X(gaps_ns)

#define X(name) + 1
enum { FIGURES_NR = 0 TURN_FIGURES(X) };
#undef X

struct turn_record {
	struct record_head head;
	uint64_t seen_ns, from_ns, now_ns, wait_period_ns, balancing_faults;
	uint32_t cpus_sampled, freq_hz;
	uint64_t figure[FIGURES_NR];
	uint32_t nr, pad;        /* of lost */
	uint64_t lost[LOST_NR];
};

int rawfile_put_bytes(FILE *f, const void *p, size_t n)
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
		.nodes = head->nodes,
		.features = head->features,
		.flags = (head->off_cpu ? HEAD_OFF_CPU : 0) | (head->wakers ? HEAD_WAKERS : 0),
	};

	memcpy(h.event, head->event, sizeof(h.event));
	return rawfile_put_bytes(f, &h, sizeof(h));
}

void rawfile_begun(FILE *f, uint64_t begun_ns)
{
	/* Nobody reads it yet; a pipe has no place to go back to. */
	if (!fflush(f) && pwrite(fileno(f), &begun_ns, sizeof(begun_ns), offsetof(struct file_head, begun_ns)) < 0)
		clearerr(f);
}

/* A wait of no length stands for the stack of one under way: the wire has no record of that. */
static struct raw_event rawfile_as_wait(const struct raw_event *ev)
{
	struct raw_event wait = *ev;

	wait.kind = RAW_WAIT;
	wait.wait = (struct raw_wait){ .id = ev->wait.id, .period_ns = 1, .call = ev->wait.call,
				       .state = ev->wait.state, .seeded = ev->wait.seeded, .lock = ev->wait.lock };
	return wait;
}

static int rawfile_put_wire(FILE *f, const struct rawfile_item *item, void *buf)
{
	const struct raw_event *ev = &item->event;
	const bool stack = ev->kind == RAW_WAIT_STACK;
	const struct raw_event wait = stack ? rawfile_as_wait(ev) : (struct raw_event){ 0 };
	struct wire_record *w = buf;
	const size_t n = wire_encode_record(stack ? &wait : ev, w + 1, RAWFILE_RECORD_MAX - sizeof(*w));
	const unsigned int flags = (stack ? WIRE_STACK : 0) | (ev->sample.outside ? WIRE_OUTSIDE : 0) |
				   (item->what == RAWFILE_STACK ? WIRE_ANSWER : 0) |
				   (item->further ? WIRE_FURTHER : 0);

	if (!n)
		return -EMSGSIZE;
	*w = (struct wire_record){ .head = { .size = (uint32_t)(sizeof(*w) + n), .type = REC_WIRE,
					     .flags = (uint16_t)flags },
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

static int rawfile_put_mmap(FILE *f, const struct raw_event *ev, uint16_t flags)
{
	const struct raw_mmap *m = &ev->mmap;
	struct mmap_record r = {
		.side.head.flags = flags,
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

static int rawfile_put_comm(FILE *f, const struct raw_event *ev, uint16_t flags)
{
	struct side_head r = { .head.flags = (uint16_t)(flags | (ev->comm.exec ? COMM_EXEC : 0)) };

	return rawfile_put_side(f, &r, sizeof(r), REC_COMM, ev, ev->comm.comm);
}

static int rawfile_put_fork(FILE *f, const struct raw_event *ev)
{
	struct fork_record r = { .ppid = (uint32_t)ev->fork.ppid, .ptid = (uint32_t)ev->fork.ptid };

	return rawfile_put_side(f, &r.side, sizeof(r), REC_FORK, ev, NULL);
}

static int rawfile_put_event(FILE *f, const struct rawfile_item *item, void *buf)
{
	const struct raw_event *ev = &item->event;
	const uint16_t flags = item->told ? SIDE_TOLD : 0;
	struct side_head bare = { 0 };

	switch (ev->kind) {
	case RAW_MMAP:
		return rawfile_put_mmap(f, ev, flags);
	case RAW_COMM:
		return rawfile_put_comm(f, ev, flags);
	case RAW_FORK:
		return rawfile_put_fork(f, ev);
	case RAW_EXIT:
		return rawfile_put_side(f, &bare, sizeof(bare), REC_EXIT, ev, NULL);
	default:
		return rawfile_put_wire(f, item, buf);
	}
}

static int rawfile_put_turn(FILE *f, const struct rawfile_turn *t)
{
	const struct source_stats *st = &t->stats;
	struct turn_record r = {
		.head = { .size = sizeof(r), .type = REC_TURN }, .seen_ns = t->seen_ns, .from_ns = t->from_ns,
		.now_ns = t->now_ns, .wait_period_ns = t->wait_period_ns, .balancing_faults = t->balancing_faults,
		.cpus_sampled = st->cpus_sampled, .freq_hz = st->freq_hz, .nr = LOST_NR,
#define X(name) st->name,
		.figure = { TURN_FIGURES(X) },
#undef X
	};

	memcpy(r.lost, st->lost.n, sizeof(r.lost));
	return rawfile_put_bytes(f, &r, sizeof(r));
}

int rawfile_put(FILE *f, const struct rawfile_item *item, void *buf)
{
	switch (item->what) {
	case RAWFILE_EVENT:
	case RAWFILE_STACK:
		return rawfile_put_event(f, item, buf);
	case RAWFILE_TURN:
		return rawfile_put_turn(f, &item->turn);
	default:
		return rawanswers_put(f, item, buf);
	}
}

/* ---- reading ---- */

struct rawfile {
	FILE *f;
	uint64_t at;             /* of the record at hand, in the file */
	bool cut;
	bool again;              /* the record in buf is read once more */
	uint64_t *buf;
	size_t room;             /* bytes of buf */
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
				       .stack_bytes = h.stack_bytes,
				       .nodes = h.nodes,
				       .features = h.features,
				       .off_cpu = h.flags & HEAD_OFF_CPU,
				       .wakers = h.flags & HEAD_WAKERS };
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
	free(r->buf);
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

/* Most records are small, and the largest one is larger than most files. */
static int rawfile_reserve(struct rawfile *r, size_t bytes, struct err *e)
{
	const size_t room = bytes < ROOM_MIN ? ROOM_MIN : bytes;
	uint64_t *larger = r->room < bytes ? realloc(r->buf, room) : r->buf;

	if (!larger)
		return err_nomem(e, "the raw capture");
	r->room = r->room < bytes ? room : r->room;
	r->buf = larger;
	return 0;
}

/* The next record to R->buf: 1, 0 at the end, or a negative errno. */
static int rawfile_fetch_record(struct rawfile *r, struct err *e)
{
	struct record_head h;
	size_t got, rest;
	int error;

	if (r->again) {
		r->again = false;
		return 1;
	}
	got = fread(&h, 1, sizeof(h), r->f);
	if (got != sizeof(h)) {
		r->cut = got > 0;
		return 0;
	}
	if (h.size < sizeof(h) || h.size % 8 || h.size > RAWFILE_RECORD_MAX)
		return rawfile_bad_record(r, e);
	error = rawfile_reserve(r, h.size, e);
	if (error)
		return error;
	memcpy(r->buf, &h, sizeof(h));
	rest = h.size - sizeof(h);
	if (fread((char *)r->buf + sizeof(h), 1, rest, r->f) != rest) {
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

/* What rawfile_as_wait() has made of the stack of a wait under way. */
static bool rawfile_to_stack(struct raw_event *ev)
{
	if (ev->kind != RAW_WAIT || ev->wait.no_stack)
		return false;
	ev->kind = RAW_WAIT_STACK;
	ev->wait = (struct raw_wait){ .id = ev->wait.id, .call = ev->wait.call, .state = ev->wait.state,
				      .seeded = ev->wait.seeded, .lock = ev->wait.lock };
	return true;
}

static bool rawfile_read_wire(const struct record_head *h, struct raw_event *ev)
{
	const struct wire_record *w = (const void *)h;
	const bool stack = h->flags & WIRE_STACK;

	if (h->size < sizeof(*w) || wire_decode_record(w + 1, h->size - sizeof(*w), ev) != 1)
		return false;
	ev->sample.weight = w->weight;
	ev->sample.outside = stack && h->flags & WIRE_OUTSIDE;
	if (ev->kind == RAW_WAKE)
		ev->wake.context = (uint8_t)w->context;
	return !stack || rawfile_to_stack(ev);
}

static bool rawfile_read_turn(const struct record_head *h, struct rawfile_turn *ret)
{
	const struct turn_record *t = (const void *)h;
	const uint64_t *figure = t->figure;

	/* An older capture knows fewer kinds of losses. */
	if (h->size < offsetof(struct turn_record, lost) || t->nr > LOST_NR ||
	    h->size < offsetof(struct turn_record, lost) + t->nr * sizeof(*t->lost))
		return false;
	*ret = (struct rawfile_turn){
		.seen_ns = t->seen_ns, .from_ns = t->from_ns, .now_ns = t->now_ns,
		.wait_period_ns = t->wait_period_ns, .balancing_faults = t->balancing_faults,
		.stats = { .cpus_sampled = t->cpus_sampled, .freq_hz = t->freq_hz },
	};
#define X(name) ret->stats.name = *figure++;
	TURN_FIGURES(X)
#undef X
	memcpy(ret->stats.lost.n, t->lost, t->nr * sizeof(*t->lost));
	return true;
}

/* What the record H says, into *ITEM; false when it is damaged. ITEM.what stays RAWFILE_END when H is skipped. */
static bool rawfile_read(const struct record_head *h, struct rawfile_item *item)
{
	item->what = RAWFILE_END;
	item->told = item->further = false;
	switch (h->type) {
	case REC_WIRE:
		item->what = h->flags & WIRE_ANSWER ? RAWFILE_STACK : RAWFILE_EVENT;
		item->further = h->flags & WIRE_FURTHER;
		return rawfile_read_wire(h, &item->event) &&
		       (item->what == RAWFILE_EVENT || item->event.kind == RAW_WAIT_STACK);
	case REC_MMAP:
	case REC_COMM:
	case REC_FORK:
	case REC_EXIT:
		item->what = RAWFILE_EVENT;
		item->told = h->flags & SIDE_TOLD;
		return rawfile_read_side(h, &item->event);
	case REC_TURN:
		item->what = RAWFILE_TURN;
		return rawfile_read_turn(h, &item->turn);
	default:
		return rawanswers_read(h, item);
	}
}

int rawfile_next(struct rawfile *r, struct rawfile_item *item, struct err *e)
{
	int got;

	while ((got = rawfile_fetch_record(r, e)) > 0) {
		const struct record_head *h = (const void *)r->buf;

		if (!rawfile_read(h, item))
			return rawfile_bad_record(r, e);
		r->at += h->size;
		if (item->what != RAWFILE_END)
			return item->what;
	}
	item->what = RAWFILE_END;
	return got < 0 ? got : RAWFILE_END;
}

void rawfile_unread(struct rawfile *r)
{
	const struct record_head *h = (const void *)r->buf;

	r->again = true;
	r->at -= h->size;
}

void *rawfile_keep(const struct rawfile *r, size_t *ret_bytes)
{
	const struct record_head *h = (const void *)r->buf;
	void *copy = malloc(h->size);

	if (copy)
		memcpy(copy, h, h->size);
	*ret_bytes = h->size;
	return copy;
}

bool rawfile_kept(const void *record, struct raw_event *ret)
{
	return rawfile_read_wire(record, ret);
}
