#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""screens.py TITLE <SCREEN >PICTURE: a screen as `tmux capture-pane -e -N` prints it becomes an SVG.

Every character stands in its cell whatever font there is, and what bars and rules are made of is drawn and not written, so that
nothing depends on fonts. Foreground and background are dark or light as the reader has it: the colours of sberf are for both.
"""
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

W, H, SIZE, PAD = 8.4, 18, 14, 10
LOW = ("000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
       "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff").split()
STEP = [0, 0x5F, 0x87, 0xAF, 0xD7, 0xFF]
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{w:g}" height="{h:g}" viewBox="0 0 {w:g} {h:g}" role="img">
<title>{title}</title>
<style>
text {{ font: {size}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace; white-space: pre; dominant-baseline: central }}
.f {{ fill: #d8dee4 }} .g {{ fill: #0d1117 }} .b {{ font-weight: bold }} .d {{ opacity: .6 }} .u {{ text-decoration: underline }}
@media (prefers-color-scheme: light) {{ .f {{ fill: #24292f }} .g {{ fill: #ffffff }} }}
</style>
<rect class="g" width="100%" height="100%" rx="6"/>"""


def colour(n):
    if n < 16:
        return "#" + LOW[n]
    if n >= 232:
        return "#" + 3 * f"{8 + 10 * (n - 232):02x}"
    n -= 16
    return f"#{STEP[n // 36]:02x}{STEP[n // 6 % 6]:02x}{STEP[n % 6]:02x}"


class Look:
    def __init__(self):
        self.fg = self.bg = None
        self.flags = frozenset()

    def apply(self, codes):
        flags = set(self.flags)
        codes = [int(c) if c.isdigit() else 0 for c in codes]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.fg = self.bg = None
                flags.clear()
            elif c in (1, 2, 4, 7):
                flags.add(c)
            elif c in (22, 24, 27):
                flags -= {22: {1, 2}, 24: {4}, 27: {7}}[c]
            elif c in (38, 48) and codes[:1] == [5]:
                self.put(c - 8, colour(codes[1]))
                codes = codes[2:]
            elif c in (38, 48) and codes[:1] == [2]:
                self.put(c - 8, "#%02x%02x%02x" % tuple(codes[1:4]))
                codes = codes[4:]
            elif c in (39, 49):
                self.put(c - 9, None)
            elif 30 <= c <= 37 or 40 <= c <= 47:
                self.put(c // 10 * 10, colour(c % 10))
            elif 90 <= c <= 97 or 100 <= c <= 107:
                self.put(c // 10 * 10 - 60, colour(c % 10 + 8))
        self.flags = frozenset(flags)

    def put(self, which, value):
        if which == 30:
            self.fg = value
        else:
            self.bg = value

    def paint(self):
        """What letters and what is behind them are filled with."""
        fg = f'fill="{self.fg}"' if self.fg else 'class="f"'
        bg = f'fill="{self.bg}"' if self.bg else None
        return (bg or 'class="g"', fg) if 7 in self.flags else (fg, bg)


def cells(line, look):
    """
    (column, columns, character, look) of one line; marks stand with the character before them. LOOK is what the line before
    ended with: tmux tells changes only.
    """
    x, out = 0, []
    for part in re.finditer(r"\x1b\[([0-9;:]*)m|\x1b[()]?.|[\x0e\x0f]|(.)", line):
        if part.group(1) is not None:
            look.apply(re.split("[;:]", part.group(1) or "0"))
        elif part.group(2):
            c = part.group(2)
            if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Cf"):
                if out:
                    out[-1][2] += c
                continue
            cols = 2 if unicodedata.east_asian_width(c) in "WF" else 1
            now = Look()
            now.fg, now.bg, now.flags = look.fg, look.bg, look.flags
            out.append([x, cols, c, now])
            x += cols
    return out, x


def shape(c):
    """The parts of a cell that C fills: (x, y, w, h) from 0 to 1, and how dense; None = a letter."""
    n = ord(c[0])
    thin, thick = 1 / H, 2.5 / H
    if n == 0x2500 or n == 0x2501:
        t = thin if n == 0x2500 else thick
        return [(0, 0.5 - t / 2, 1, t)], 1
    if n == 0x2502 or n == 0x2503:
        t = (1 if n == 0x2502 else 2.5) / W
        return [(0.5 - t / 2, 0, t, 1)], 1
    if n == 0x2580:
        return [(0, 0, 1, 0.5)], 1
    if 0x2581 <= n <= 0x2588:
        e = (n - 0x2580) / 8
        return [(0, 1 - e, 1, e)], 1
    if 0x2589 <= n <= 0x258F:
        return [(0, 0, (0x2590 - n) / 8, 1)], 1
    if n == 0x2590:
        return [(0.5, 0, 0.5, 1)], 1
    if 0x2591 <= n <= 0x2593:
        return [(0, 0, 1, 1)], (n - 0x2590) / 4
    if n == 0x2594 or n == 0x2595:
        return [(0, 0, 1, 1 / 8) if n == 0x2594 else (7 / 8, 0, 1 / 8, 1)], 1
    if 0x2596 <= n <= 0x259F:
        mask = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14][n - 0x2596]     # upper left 1, upper right 2, lower left 4, lower right 8
        return [((i % 2) / 2, i // 2 / 2, 0.5, 0.5) for i in range(4) if mask >> i & 1], 1
    return None


def rect(x, y, w, h, paint, density=1):
    more = f' opacity="{density:g}"' if density < 1 else ""
    return f'<rect x="{x:.4g}" y="{y:.4g}" width="{w:.4g}" height="{h:.4g}" {paint}{more}/>'


def classes(paint, flags):
    names = [name for code, name in ((1, "b"), (2, "d"), (4, "u")) if code in flags]
    if paint.startswith("class"):
        return f'class="{" ".join([paint[7:-1]] + names)}"'
    return paint + (f' class="{" ".join(names)}"' if names else "")


def text(run, y, paint):
    x, cols = run[0][0], sum(c[1] for c in run)
    words = "".join(c[2] for c in run)
    length = f' textLength="{cols * W:.4g}" lengthAdjust="spacingAndGlyphs"' if len(run) > 1 else ""
    return f'<text x="{PAD + x * W:.5g}" y="{y + H / 2:g}"{length} {paint}>{escape(words)}</text>'


def draw_line(line, row, look, out):
    row_cells, columns = cells(line, look)
    y = PAD + row * H
    letters, run, run_paint, bars = [], [], None, []

    def end_run():
        nonlocal run
        if run:
            letters.append(text(run, y, run_paint))
        run = []

    def bar(x, at, w, h, paint, density):
        """Neighbours become one."""
        if bars and bars[-1][1:] == [at, h, paint, density] and abs(bars[-1][0][1] - x) < 1e-6:
            bars[-1][0][1] = x + w
        else:
            bars.append([[x, x + w], at, h, paint, density])

    for x, cols, c, look in row_cells:
        fg, bg = look.paint()
        if bg:
            bar(x, 0, cols, 1, bg, 1)
    for x, cols, c, look in row_cells:
        fg, _ = look.paint()
        form = shape(c)
        paint = classes(fg, look.flags)
        if form:
            end_run()
            for fx, fy, fw, fh in form[0]:
                bar(x + fx, fy, fw, fh, fg, form[1])
        elif c == " ":
            if run and (4 in look.flags or run[-1][2] == " "):
                end_run()
            elif run and paint == run_paint:
                run.append((x, cols, c))
        else:
            # One font for all of a run: what other fonts may have stands by itself.
            if run and (paint != run_paint or not c.isascii() or run[-1][0] + run[-1][1] != x):
                end_run()
            run_paint = paint
            run.append((x, cols, c))
            if not c.isascii():
                end_run()
        if run and run[-1][2] == " " and len(run) > 1 and run[-2][2] == " ":
            end_run()
    end_run()
    for (x0, x1), fy, fh, paint, density in bars:
        out.append(rect(PAD + x0 * W, y + fy * H, (x1 - x0) * W, fh * H, paint, density))
    out += letters
    return columns


def main():
    lines = sys.stdin.buffer.read().decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    out = []
    look = Look()
    columns = max(draw_line(line, row, look, out) for row, line in enumerate(lines))
    print(HEAD.format(w=columns * W + 2 * PAD, h=len(lines) * H + 2 * PAD, title=escape(sys.argv[1]), size=SIZE))
    print("\n".join(out))
    print("</svg>")


main()
