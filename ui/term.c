/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term.c - the only file that knows the terminal library.
 *
 * Cells that did not change since the last term_draw() are not handed to the library, and the
 * library sends no more than it must. Signals come as numbers from term_signals.h, which gives the
 * terminal back when one of them kills the program.
 */
#include "config.h"

#include "ui/term.h"

#include "base/clock.h"
#include "base/parse.h"
#include "ui/keymap.h"
#include "ui/screenout.h"
#include "ui/term_signals.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <wchar.h>

#define ESC_DELAY_MS 15
#define DOUBLE_CLICK_NS (400 * NSEC_PER_MSEC)
#define RGB_BITS_MAX 10u                 /* of one component */
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"

struct terminal {
	FILE *in, *out;
	struct screenout frame;          /* from out to out_fd */
	SCREEN *screen;
	int in_fd, out_fd;
	int signal_fd;                   /* of term_signals.h; -1 = not caught */
	int w, h;
	int colours;
	/* bits of red, green and blue in the number of a colour; 0 = it is one of a palette */
	unsigned int rgb[3];
	bool mouse, lost, skip_cont;
	attr_t attr[STYLE_NR];
	short pair[STYLE_NR];
	struct canvas *shown;            /* what the library was told; NULL = unknown */
	uint64_t click_ns;
	int click_x, click_y;
};

/* Appends what the terminal calls NAME to the N bytes at DST, without its padding; returns how many there are then. */
static size_t put_capability(char dst[TERM_SIGNALS_MAX], size_t n, const char *name)
{
	const char *s = tigetstr((char *)name);

	if (!s || s == (const char *)-1)
		return n;
	while (*s && n < TERM_SIGNALS_MAX) {
		const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;

		if (end)
			s = end + 1;
		else
			dst[n++] = *s++;
	}
	return n;
}

static void prepare_rescue(const struct terminal *t)
{
	static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	char text[TERM_SIGNALS_MAX];
	size_t n = 0;

	if (t->mouse) {
		memcpy(text, MOUSE_OFF, sizeof(MOUSE_OFF) - 1);
		n = sizeof(MOUSE_OFF) - 1;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		n = put_capability(text, n, names[i]);
	term_signals_with(text, n);
}

/* Taking and giving back */

static int check_terminal(const struct term_options *o, const char *type, struct err *e)
{
	const char *title = o->title ? o->title : "the view";
	char more[128] = "";
	int found = 0;

	if (o->otherwise)
		snprintf(more, sizeof(more), "; %s", o->otherwise);
	if (!o->any_file && !isatty(o->out_fd))
		return err_set(e, ENOTTY, "%s draws on a terminal, and standard output is none%s", title, more);
	if (!o->any_file && !isatty(o->in_fd))
		return err_set(e, ENOTTY, "%s takes keys from a terminal, and standard input is none%s", title, more);
	if (!type || !*type)
		return err_set(e, EINVAL, "%s cannot draw: TERM is not set; set it to what the terminal is, such as "
			       "TERM=xterm-256color%s", title, more);
	if (setupterm((char *)type, o->out_fd, &found) != OK)
		return err_set(e, EINVAL, "%s cannot draw: TERM=%s is unknown here; set TERM to another name, such "
			       "as TERM=xterm%s", title, type, more);
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		del_curterm(cur_term);
		return err_set(e, EINVAL, "%s cannot draw on TERM=%s, which cannot place text; set TERM to what the "
			       "terminal is%s", title, type, more);
	}
	del_curterm(cur_term);
	return 0;
}

/*
 * Whether numbers of colours are red, green and blue, as terminfo says by RGB (user_caps(5)): that
 * they are, how many bits each component has, or how many each of them. With 256 colours there is a
 * palette all the same, which is what our colours are of.
 */
static void read_rgb(struct terminal *t)
{
	static char name[] = "RGB";
	const char *s = tigetstr(name);
	unsigned int width = 0, bits[3] = { 0 };
	const int each = tigetnum(name);

	while (width < 31 && (1 << width) < COLORS)
		width++;
	if (COLORS <= 256)
		return;
	if (tigetflag(name) > 0) {
		bits[0] = bits[1] = (width + 2) / 3;
		bits[2] = width - 2 * bits[0];
	} else if (each > 0) {
		bits[0] = bits[1] = bits[2] = (unsigned int)each;
	} else if (s && s != (const char *)-1 && sscanf(s, "%2u/%2u/%2u", &bits[0], &bits[1], &bits[2]) != 3) {
		return;
	}
	for (unsigned int i = 0; i < 3; i++)
		if (!bits[i] || bits[i] > RGB_BITS_MAX)
			return;
	memcpy(t->rgb, bits, sizeof(bits));
}

/* What the terminal calls COLOUR, one of 256. */
static int colour_number(const struct terminal *t, int colour)
{
	unsigned char rgb[3];
	unsigned int n = 0;

	if (!t->rgb[0])
		return colour;
	style_rgb(colour, rgb);
	for (unsigned int i = 0; i < 3; i++)
		n = n << t->rgb[i] | (rgb[i] * ((1u << t->rgb[i]) - 1) + 127) / 255;
	return (int)n;
}

static void set_colours(struct terminal *t, bool no_color)
{
	if (no_color || !has_colors() || start_color() != OK)
		return;
	read_rgb(t);
	t->colours = COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
	if (t->colours)
		use_default_colors();
}

/* The number of a colour may be larger than those of curses once were. */
static bool make_pair(int pair, int fg, int bg)
{
#if NCURSES_EXT_FUNCS >= 20170401
	return init_extended_pair(pair, fg, bg) == OK;
#else
	return fg <= SHRT_MAX && init_pair((short)pair, (short)fg, (short)bg) == OK;
#endif
}

static attr_t term_attributes(unsigned int look)
{
	return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_DIM ? A_DIM : 0) |
	       (look & LOOK_UNDERLINE ? A_UNDERLINE : 0) | (look & LOOK_REVERSE ? A_REVERSE : 0);
}

static void set_styles(struct terminal *t, bool dark)
{
	for (unsigned int i = 0; i < STYLE_NR; i++) {
		const int fg = style_colour(i, t->colours, dark);

		t->attr[i] = term_attributes(style_look(i, t->colours, dark));
		t->pair[i] = 0;
		if (fg == COLOUR_NONE)
			continue;
		if (make_pair((int)i + 1, colour_number(t, fg), -1) ||
		    make_pair((int)i + 1, colour_number(t, fg), COLOR_BLACK))
			t->pair[i] = (short)(i + 1);
	}
}

static int term_bounded(uint64_t n)
{
	return n < CANVAS_SIDE_MAX ? (int)n : CANVAS_SIDE_MAX;
}

/* What NAME of the environment says, or else the library. */
static int side_of_environment(const char *name, int otherwise)
{
	const char *s = getenv(name);
	uint64_t n;

	return s && !parse_u64(s, name, 1, UINT64_MAX, &n, NULL) ? term_bounded(n) : term_bounded((uint64_t)otherwise);
}

/*
 * The terminal knows best. LINES and COLUMNS are for one that does not, and our part: the library
 * fails where they are large.
 */
static void read_size(struct terminal *t)
{
	struct winsize ws;

	if (ioctl(t->out_fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col && ws.ws_row) {
		t->w = term_bounded(ws.ws_col);
		t->h = term_bounded(ws.ws_row);
	} else {
		t->w = side_of_environment("COLUMNS", COLS);
		t->h = side_of_environment("LINES", LINES);
	}
	if (t->w != COLS || t->h != LINES)
		resizeterm(t->h, t->w);
}

static int open_files(struct terminal *t, struct err *e)
{
	const int in = fcntl(t->in_fd, F_DUPFD_CLOEXEC, 3), out = fcntl(t->out_fd, F_DUPFD_CLOEXEC, 3);

	t->in = in < 0 ? NULL : fdopen(in, "r");
	t->out = out < 0 ? NULL : fdopen(out, "w");
	if (in >= 0 && !t->in)
		close(in);
	if (out >= 0 && !t->out)
		close(out);
	return t->in && t->out ? 0 : err_set(e, errno, "cannot open the terminal: %s", strerror(errno));
}

static void term_enter(struct terminal *t, bool no_color, bool dark)
{
	set_term(t->screen);
	set_escdelay(ESC_DELAY_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	scrollok(stdscr, FALSE);
	curs_set(0);
	mouseinterval(0);
	t->mouse = mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED,
			     NULL) != 0;
	set_colours(t, no_color);
	set_styles(t, dark);
	read_size(t);
	prepare_rescue(t);
}

/* Why the library does not take the terminal, as far as one can see: it counts rows and columns in 15 bits. */
static int term_refused(const struct terminal *t, const char *type, struct err *e)
{
	struct winsize ws;

	if (ioctl(t->out_fd, TIOCGWINSZ, &ws) == 0 && (ws.ws_col > SHRT_MAX || ws.ws_row > SHRT_MAX))
		return err_set(e, EINVAL, "cannot draw on a terminal of %u columns and %u rows; make it smaller (stty "
			       "cols 80 rows 24)", ws.ws_col, ws.ws_row);
	return err_set(e, EINVAL, "cannot drive the terminal TERM=%s", type);
}

int term_open(const struct term_options *o, struct terminal **ret, struct err *e)
{
	AUTO(term_close) struct terminal *t = NULL;
	const char *type = o->type ? o->type : getenv("TERM");
	int r = check_terminal(o, type, e);

	if (r)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_nomem(e, "the terminal");
	t->in_fd = o->in_fd;
	t->out_fd = o->out_fd;
	t->signal_fd = -1;
	t->frame.mem = -1;
	/* Who comes to the rescue writes to the terminal itself, whatever the library writes to in that moment. */
	if ((r = open_files(t, e)) || (r = term_signals_open(t->out_fd, &t->signal_fd, e)))
		return r;
	screenout_open(&t->frame, fileno(t->out), t->out_fd);
	/* Of the size only what the terminal says: read_size() does the rest. */
	use_env(FALSE);
	use_tioctl(TRUE);
	t->screen = newterm((char *)type, t->out, t->in);
	if (!t->screen)
		return term_refused(t, type, e);
	term_enter(t, o->no_color, o->dark);
	*ret = take_ptr(t);
	return 0;
}

/* Where there is no screen to go back to, what is shown stays, and the shell goes on below. */
static void term_leave(void)
{
	if (!exit_ca_mode) {
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
	}
	endwin();
}

void term_close(struct terminal *t)
{
	if (!t)
		return;
	if (t->screen) {
		set_term(t->screen);
		mousemask(0, NULL);
		term_leave();
		term_signals_hold();
		delscreen(t->screen);
	}
	if (t->signal_fd >= 0)
		term_signals_close();
	screenout_close(&t->frame);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	canvas_free(t->shown);
	free(t);
}

int term_input_fd(const struct terminal *t)
{
	return t->in_fd;
}

int term_signal_fd(const struct terminal *t)
{
	return t->signal_fd;
}

int term_colours(const struct terminal *t)
{
	return t->colours;
}

void term_size(const struct terminal *t, int *ret_w, int *ret_h)
{
	*ret_w = t->w;
	*ret_h = t->h;
}

void term_forget(struct terminal *t)
{
	canvas_free(take_ptr(t->shown));
	clearok(curscr, TRUE);
}

/* Leaves the screen to the shell until the process is continued. */
static void term_suspend(struct terminal *t)
{
	term_leave();
	term_signals_stop();
	t->skip_cont = true;
}

/* Enters the screen anew: the line settings and what is shown may be anything. */
static void term_resume(struct terminal *t)
{
	reset_prog_mode();
	refresh();
	curs_set(0);
	read_size(t);
	term_forget(t);
}

static enum term_event_type on_signal(struct terminal *t, int sig)
{
	switch (sig) {
	case SIGTSTP:
		term_suspend(t);
		term_resume(t);
		return TERM_REDRAW;
	case SIGCONT:
		if (t->skip_cont) {
			t->skip_cont = false;
			return TERM_NONE;
		}
		endwin();
		term_resume(t);
		return TERM_REDRAW;
	case SIGWINCH:
		read_size(t);
		return TERM_REDRAW;
	default:
		return TERM_QUIT;
	}
}

/* Input */

static uint32_t special_key(wint_t code)
{
	static const struct {
		wint_t curses;
		uint32_t key;
	} map[] = { { KEY_UP, UI_KEY_UP }, { KEY_DOWN, UI_KEY_DOWN }, { KEY_LEFT, UI_KEY_LEFT },
		    { KEY_RIGHT, UI_KEY_RIGHT },
		    { KEY_PPAGE, UI_KEY_PGUP }, { KEY_NPAGE, UI_KEY_PGDN }, { KEY_HOME, UI_KEY_HOME },
		      { KEY_END, UI_KEY_END },
		    { KEY_A1, UI_KEY_HOME }, { KEY_C1, UI_KEY_END }, { KEY_ENTER, UI_KEY_ENTER },
		    { KEY_BTAB, UI_KEY_BACKTAB }, { KEY_BACKSPACE, UI_KEY_BACKSPACE }, { KEY_DC, UI_KEY_DELETE } };

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].curses == code)
			return map[i].key;
	}
	return code >= KEY_F(1) && code <= KEY_F(12) ? UI_KEY_F1 + (code - KEY_F(1)) : UI_KEY_UNKNOWN;
}

/*
 * After an Esc that came with more behind it: Alt with a key, or a sequence that the terminal
 * description does not know. It is read to its end (ECMA-48: parameters, then one final byte), so
 * that its letters are not taken for keys.
 */
static uint32_t after_escape(void)
{
	wint_t ch;
	bool params = false;

	if (get_wch(&ch) == ERR)
		return UI_KEY_ESC;
	if (ch != '[' && ch != 'O')
		return UI_KEY_UNKNOWN;
	while (get_wch(&ch) == OK && ch >= 0x20 && ch < 0x40)
		params = true;
	for (int i = 0; i < 3 && ch == 'M' && !params; i++)      /* the old form of a mouse event: three bytes more */
		get_wch(&ch);
	return UI_KEY_UNKNOWN;
}

static uint32_t plain_key(wint_t ch)
{
	switch (ch) {
	case '\r':
	case '\n':
		return UI_KEY_ENTER;
	case '\t':
		return UI_KEY_TAB;
	case 0x7F:
	case 0x08:
		return UI_KEY_BACKSPACE;
	case UI_KEY_ESC:
		return after_escape();
	default:
		return ch <= 0x10FFFF ? ch : UI_KEY_UNKNOWN;
	}
}

static void read_mouse(struct terminal *t, struct term_event *ret)
{
	const uint64_t now = clock_mono_ns();
	MEVENT m;

	ret->type = TERM_KEY;
	ret->key = UI_KEY_UNKNOWN;
	if (getmouse(&m) != OK)
		return;
	*ret = (struct term_event){ .type = TERM_MOUSE, .x = m.x, .y = m.y };
	if (m.bstate & BUTTON4_PRESSED) {
		ret->mouse = MOUSE_WHEEL_UP;
	} else if (m.bstate & BUTTON5_PRESSED) {
		ret->mouse = MOUSE_WHEEL_DOWN;
	} else if (m.bstate & BUTTON1_RELEASED) {
		ret->mouse = MOUSE_RELEASE;
	} else {
		const bool again = now - t->click_ns < DOUBLE_CLICK_NS && m.x == t->click_x && m.y == t->click_y;

		ret->mouse = again ? MOUSE_DOUBLE : MOUSE_CLICK;
		t->click_ns = again ? 0 : now;
		t->click_x = m.x;
		t->click_y = m.y;
	}
}

/* True when the terminal was hung up, or reads as an ended file. */
static bool is_lost(const struct terminal *t)
{
	struct pollfd p = { .fd = t->in_fd, .events = POLLIN };
	int bytes = 0;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return (p.revents & POLLIN) && (ioctl(t->in_fd, FIONREAD, &bytes) < 0 || bytes == 0);
}

static bool next_signal(struct terminal *t, struct term_event *ret)
{
	int sig;

	while ((sig = term_signals_signal())) {
		ret->type = on_signal(t, sig);
		if (ret->type != TERM_NONE)
			return true;
	}
	return false;
}

void term_next(struct terminal *t, struct term_event *ret)
{
	wint_t ch;
	int kind;

	*ret = (struct term_event){ .type = TERM_NONE };
	if (next_signal(t, ret))
		return;
	if (is_lost(t)) {
		ret->type = TERM_LOST;
		return;
	}
	kind = get_wch(&ch);
	if (kind == ERR)
		return;
	if (kind == KEY_CODE_YES && ch == KEY_MOUSE) {
		read_mouse(t, ret);
	} else if (kind == KEY_CODE_YES && ch == KEY_RESIZE) {
		read_size(t);
		ret->type = TERM_REDRAW;
	} else {
		ret->type = TERM_KEY;
		ret->key = kind == KEY_CODE_YES ? special_key(ch) : plain_key(ch);
	}
}

/* Output */

static void term_put_cell(const struct terminal *t, int x, int y, const struct cell *c)
{
	wchar_t text[2 + CELL_MARKS] = { (wchar_t)c->ch };
	cchar_t cc;

	if (!c->width)
		return;
	/* Where the C library thinks otherwise about a width, the library and the terminal would go out of step. */
	if (wcwidth(text[0]) != c->width)
		text[0] = c->ch < 0x7F || c->width == 1 ? L'?' : L' ';
	for (unsigned int i = 0; i < CELL_MARKS && c->mark[i]; i++) {
		if (wcwidth((wchar_t)c->mark[i]) == 0)
			text[wcslen(text)] = (wchar_t)c->mark[i];
	}
	if (setcchar(&cc, text, t->attr[c->style], t->pair[c->style], NULL) == OK)
		mvadd_wch(y, x, &cc);
}

void term_draw(struct terminal *t, const struct canvas *cv)
{
	const bool all = !t->shown || t->shown->w != cv->w || t->shown->h != cv->h;

	if (all) {
		canvas_free(t->shown);
		t->shown = canvas_new(cv->w, cv->h, cv->ascii);
		erase();
	}
	for (int y = 0; y < cv->h && y < LINES; y++) {
		for (int x = 0; x < cv->w && x < COLS; x++) {
			const struct cell *c = canvas_at(cv, x, y);

			if (all || !t->shown || !cell_same(c, canvas_at(t->shown, x, y)))
				term_put_cell(t, x, y, c);
		}
	}
	if (t->shown)
		memcpy(t->shown->cell, cv->cell, (size_t)cv->w * (size_t)cv->h * sizeof(*cv->cell));
	screenout_begin(&t->frame);
	refresh();
	screenout_end(&t->frame);
}

static char look_letter(attr_t a)
{
	return a & A_REVERSE ? 'r' : a & A_UNDERLINE ? 'u' : a & A_BOLD ? 'b' : a & A_DIM ? 'd' : ' ';
}

void term_read_back(const struct terminal *t, int y, char *text, size_t text_size, char *looks, size_t looks_size)
{
	size_t n = 0, l = 0;

	for (int x = 0; x < t->w; x++) {
		wchar_t wide[CCHARW_MAX + 1] = { 0 };
		char bytes[CCHARW_MAX * MB_LEN_MAX + 1];
		cchar_t cc;
		attr_t attr = 0;
		short pair = 0;
		size_t len;

		if (mvin_wch(y, x, &cc) != OK || getcchar(&cc, wide, &attr, &pair, NULL) != OK)
			continue;
		len = wcstombs(bytes, wide, sizeof(bytes));
		if (len != (size_t)-1 && n + len < text_size) {
			memcpy(text + n, bytes, len);
			n += len;
		}
		if (l + 1 < looks_size)
			looks[l++] = pair ? (char)('A' + pair) : look_letter(attr);
	}
	text[n] = '\0';
	looks[l] = '\0';
}
