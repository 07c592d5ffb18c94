// SPDX-License-Identifier: BSD-2-Clause
// flame_draw.js - where frames are, and the pictures of those that can be seen.
//
// A view is { zoom, from, to }: the node that is as wide as the page, and which of the nodes below it are spread over its width:
// all of them (from = zoom + 1, to = end), or, when a box of many narrow frames was opened, only these.
//
// All frames of one colour are one path, so that thousands cost little; what is under the pointer is computed, not asked for.

const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const ROW = 18, PAD = 4, SHADES = 6;

function wholeView(m, zoom) {
	return { zoom, from: zoom + 1, to: m.end[zoom] };
}

// The weight that is as wide as the page.
function viewWeight(m, view) {
	let sum = 0;

	if (view.from === view.zoom + 1 && view.to === m.end[view.zoom])
		return m.w[view.zoom];
	for (let c = view.from; c < view.to; c = m.end[c])
		sum += m.w[c];
	return sum;
}

// Rows of boxes { n, to, x, w, count }: node n, or, when count > 0, that many frames from n to to - 1 that are narrower than minWidth.
function layout(m, view, width, minWidth) {
	const weight = viewWeight(m, view), scale = weight > 0 ? width / weight : 0, rows = [];

	for (let i = headOf(m, view.zoom); i >= 0; i = headOf(m, m.parent[i]))
		rows.unshift([{ n: i, to: m.end[i], x: 0, w: width, count: 0 }]);
	for (let below = spread(m, [{ n: view.from - 1, to: view.to, x: 0, count: 0 }], scale, minWidth); below.length;
	     below = spread(m, below, scale, minWidth))
		rows.push(below);
	return rows;
}

// The row under ROW. A box of narrow frames is no wider than it takes to be hit: of ten thousand equal siblings there are several, so that
// opening one always shows more.
function spread(m, row, scale, minWidth) {
	const below = [];

	for (const box of row) {
		let x = box.x, run = null;

		for (let c = tailOf(m, box.n) + 1; c < box.to && !box.count; c = m.end[c]) {
			const w = m.w[c] * scale;

			if (!(w > 0))
				continue;
			if (w >= minWidth) {
				below.push({ n: c, to: m.end[c], x, w, count: 0 });
				run = null;
			} else if (run && run.w < Math.max(60, 4 * minWidth)) {
				run.w += w;
				run.to = m.end[c];
				run.count += m.end[c] - c;
			} else {
				run = { n: c, to: m.end[c], x, w, count: m.end[c] - c };
				below.push(run);
			}
			x += w;
		}
	}
	return below;
}

// The box of ROW at X, undefined when there is none.
function boxAt(row, x) {
	let low = 0, high = row.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (row[middle].x + row[middle].w <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < row.length && row[low].x <= x ? row[low] : undefined;
}

// The box that shows node I, or that it is one of many in; undefined when it is not in the picture.
function boxOf(m, rows, i) {
	const row = rows[m.row[i]] || [];

	return row.find(box => box.n <= i && i < box.to);
}

function element(ns, name, attributes, parent, text) {
	const e = document.createElementNS(ns, name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	if (parent)
		parent.appendChild(e);
	return e;
}

// Columns of a monospaced font that S takes.
function columns(s) {
	let n = 0;

	for (const c of s)
		n += c.codePointAt(0) >= 0x1100 ? 2 : 1;
	return n;
}

// S in at most ROOM columns, without its middle when it is wider; "" when nothing useful fits.
function cutMiddle(s, room) {
	if (s.length <= room && columns(s) <= room)
		return s;
	if (room < 2)
		return "";
	// No more than ROOM characters of either end can matter, however long the name.
	const head = Array.from(s.slice(0, 2 * room)), tail = Array.from(s.slice(-2 * room));
	let left = "", right = "", used = 1;

	for (let i = 0; ; i++) {
		const c = head[i], d = tail[tail.length - 1 - i];

		if (!c || used + columns(c) > room)
			break;
		left += c;
		used += columns(c);
		if (!d || used + columns(d) > room)
			break;
		right = d + right;
		used += columns(d);
	}
	return left + "…" + right;
}

// Colours: each mode gives a box its parts, as [class, share] that add up to 1.

// Of a label, plus one, once it has been asked for.
function shade(m, l) {
	m.shades = m.shades || new Uint8Array(m.text.length);
	m.shades[l] = m.shades[l] || hashText(m.text[l], 7) % SHADES + 1;
	return m.shades[l] - 1;
}

const MODES = {
	kind(m, i) {
		return [["k" + m.kind[m.label[i]] + " s" + shade(m, m.label[i]), 1]];
	},
	state(m, i) {
		const of = m.w[i] || 1;

		return m.parts.map((part, c) => ["t" + part, m.chosen[c] ? m.total[c][i] / of : 0]);
	},
	node(m, i) {
		const node = numaOf(m)[i];

		return [[node < 0 ? "n s0" : "n" + node % 8 + " s" + shade(m, m.label[i]), 1]];
	},
	change(m, i) {
		return [["c" + changeStep(m, i), 1]];
	},
};

// From 0 (vanished) over 4 (the same) to 8 (appeared).
function changeStep(m, i) {
	const after = afterOf(m, i) / whole(m, false), before = beforeOf(m, i) / whole(m, true);
	const change = after + before > 0 ? (after - before) / (after + before) : 0;

	if (!before)
		return 8;
	if (!after)
		return 0;
	return 4 + Math.sign(change) * Math.min(3, Math.round(Math.abs(change) * 6));
}

// The picture of o.rows that lies between the heights o.top and o.bottom, into the SVG group G.
function draw(g, m, o) {
	const paths = new Map(), texts = [];
	const last = o.rows.length - 1, first = Math.max(0, Math.floor(o.top / ROW) - 2), until = Math.ceil(o.bottom / ROW) + 2;

	for (let line = first; line <= Math.min(until, last); line++) {
		const depth = o.upwards ? last - line : line;

		for (const box of o.rows[depth])
			addBox(paths, texts, m, o, box, line * ROW, depth);
	}
	g.replaceChildren(...Array.from(paths, ([name, d]) => element(SVG, "path", { class: name, d: d.join("") })), ...texts);
}

function addRect(paths, name, x, y, w) {
	let d = paths.get(name);

	if (!d)
		paths.set(name, d = []);
	d.push("M", x.toFixed(2), " ", y, "h", w.toFixed(2), "v", ROW - 1, "h-", w.toFixed(2), "z");
}

// A number without its middle would be another one.
function countLabel(count, room) {
	const number = thousands(count), whole = number + (count > 1 ? " frames" : " frame");

	return whole.length <= room ? whole : number.length <= room ? number : "";
}

// Two letters and an ellipsis tell nothing.
function nameLabel(name, room) {
	const label = cutMiddle(name, room);

	return label === name || room >= 5 ? label : "";
}

function addBox(paths, texts, m, o, box, y, depth) {
	const shown = Math.max(0.4, box.w - (box.w > 3 ? 1 : box.w > 1.5 ? 0.4 : 0));
	const dim = depth < m.row[o.view.zoom] ? " dim" : "";
	const room = Math.floor((box.w - 2 * PAD) / o.charWidth);

	if (box.count) {
		addRect(paths, "f many", box.x, y, shown);
	} else if (o.found && !o.found.error && o.found.label[m.label[box.n]]) {
		addRect(paths, "f hit" + dim, box.x, y, shown);
	} else {
		let x = box.x;

		for (const [name, share] of MODES[o.mode](m, box.n)) {
			if (share > 0)
				addRect(paths, "f " + name + dim, x, y, shown * share);
			x += shown * share;
		}
	}
	if (room >= 1)
		addText(texts, m, o, box, y, room, dim);
}

function addText(texts, m, o, box, y, room, dim) {
	const label = box.count ? countLabel(box.count, room) : nameLabel(nameOf(m, box.n), room);

	if (label)
		texts.push(element(SVG, "text", {
			x: (box.x + PAD).toFixed(2), y: y + 13, class: (box.count ? "few" : "name") + dim, role: "treeitem",
			"aria-label": o.describe(box), "aria-level": m.row[box.n] + 1,
		}, null, label));
}
