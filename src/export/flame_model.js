// SPDX-License-Identifier: BSD-2-Clause
// flame_model.js - the tree out of the text that flame_data.c wrote, and every question about it. Knows nothing of the page.
//
// Nodes are in pre-order: those below node i are i + 1 to end[i] - 1, and siblings go by falling weight. Weights of kinds of time
// ("parts") are apart; w is what is shown now: the sum of the parts that are chosen, or, in a comparison, the mean of both shares.
//
// Where no names are known there are runs of a hundred frames "[unknown]", each of which is all that the one before it called. They
// are drawn as one box, "[unknown] ×100": the *head* of a run is its first frame, the *tail* its last one. Everything else is about
// single frames; row is depth without what is drawn with the frame above.

const KIND_NAMES = ["all", "group", "NUMA node", "user", "inlined", "kernel", "JIT", "no name", "note", "idle"];
const KIND_NUMA = 2, KIND_IDLE = 9;
const UNKNOWN = "[unknown]";
const PART_NAMES = ["running", "runnable", "blocked"];

// Numbers are digits of five bits, lowest first; those but the last have the sixth bit set.
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function reader(text) {
	const value = new Uint8Array(128);
	let at = 0;

	for (let i = 0; i < 64; i++)
		value[DIGITS.charCodeAt(i)] = i;
	return {
		number() {
			let v = 0, scale = 1, digit;

			do {
				digit = value[text.charCodeAt(at++)];
				v += (digit & 31) * scale;
				scale *= 32;
			} while (digit & 32);
			return v;
		},
		// The rest of the line.
		line() {
			const end = text.indexOf("\n", at), s = text.slice(at, end);

			at = end + 1;
			return s;
		},
	};
}

// Each line: how much it has in common with the one before, its kind, the rest.
function readLabels(d) {
	const r = reader(d.labels), text = new Array(d.nrLabels), kind = new Uint8Array(d.nrLabels);

	for (let i = 0, last = ""; i < d.nrLabels; i++) {
		const common = r.number();

		kind[i] = r.number();
		text[i] = last = last.slice(0, common) + r.line();
	}
	return { text, kind };
}

// The nodes of D in pre-order, with what ends in each of them, by column.
function readTree(d) {
	const n = d.nrNodes, r = reader(d.tree), weights = d.parts.length * (d.compared ? 2 : 1), columns = weights + (d.compared ? 1 : 0);
	const masks = 2 ** columns, labels = readLabels(d), path = [];
	const t = {
		n, text: labels.text, kind: labels.kind, parent: new Int32Array(n), label: new Int32Array(n),
		self: Array.from({ length: weights }, () => new Float64Array(n)), error: d.compared ? new Float64Array(n) : null,
	};

	for (let i = 0, depth = 0; i < n; i++) {
		const head = r.number(), mask = head % masks;

		depth = i ? depth + 1 - (head - mask) / masks : 0;
		t.parent[i] = i ? path[depth - 1] : -1;
		path[depth] = i;
		t.label[i] = r.number();
		for (let c = 0; c < columns; c++)
			if (mask >> c & 1)
				(t.self[c] || t.error)[i] = r.number();
	}
	return t;
}

// The model of D, whose nodes are TREE.
function makeModel(d, tree = readTree(d)) {
	const { n, text, kind, parent, label, self, error } = tree;
	const m = {
		d, n, text, kind, parts: d.parts, compared: d.compared, parent, label, end: new Int32Array(n), row: new Int32Array(n),
		follows: new Uint8Array(n),
		idle: -1, idleOf: [], idleCounts: true, self, error, total: [], w: new Float64Array(n), chosen: d.parts.map(() => true), numa: null,
	};
	const files = d.sides.map(side => side.replace(/^.*\/(?=[^/])/, ""));

	// What is compared is most often two files: where they lie is in the title.
	m.sides = files[0] === files[1] ? d.sides : files;
	for (let i = n - 1; i >= 0; i--) {
		m.end[i] = Math.max(m.end[i], i + 1);
		if (i)
			m.end[m.parent[i]] = Math.max(m.end[m.parent[i]], m.end[i]);
	}
	for (const values of m.self)
		m.total.push(sumUp(m, values));
	m.idle = idleNode(m);
	m.idleOf = m.self.map(values => m.idle < 0 ? 0 : values[m.idle]);
	foldRuns(m);
	choose(m, m.chosen);
	return m;
}

// Fills m.follows (1 = not the head of its run) and m.row.
function foldRuns(m) {
	const { parent, label, end, row, follows } = m, unknown = m.text.map(text => text === UNKNOWN);

	for (let i = 1; i < m.n; i++) {
		const p = i - 1;

		if (end[i] === end[p] && label[i] === label[p] && unknown[label[i]] && m.self.every(self => !self[p]))
			follows[i] = 1;
		row[i] = row[parent[i]] + 1 - follows[i];
	}
}

function headOf(m, i) {
	while (m.follows[i])
		i--;
	return i;
}

function tailOf(m, i) {
	while (i + 1 < m.n && m.follows[i + 1])
		i++;
	return i;
}

// What frame I is called where its run is shown.
function nameOf(m, i) {
	const frames = tailOf(m, i) - headOf(m, i) + 1;

	return m.text[m.label[i]] + (frames > 1 ? " ×" + thousands(frames) : "");
}

function sumUp(m, self) {
	const total = Float64Array.from(self);

	for (let i = m.n - 1; i > 0; i--)
		total[m.parent[i]] += total[i];
	return total;
}

// What 100 % is on the side BEFORE (1) or after (0) of a comparison.
function whole(m, before) {
	const given = m.d.whole[before ? 0 : 1];

	return given || (before ? beforeOf(m, 0) : afterOf(m, 0)) || 1;
}

function afterOf(m, i) {
	let sum = 0;

	for (let c = 0; c < m.parts.length; c++)
		if (m.chosen[c])
			sum += m.total[c][i];
	return sum;
}

function beforeOf(m, i) {
	let sum = 0;

	for (let c = m.parts.length; c < m.total.length; c++)
		sum += m.total[c][i];
	return sum;
}

function selfBeforeOf(m, i) {
	let sum = 0;

	for (let c = m.parts.length; c < m.self.length; c++)
		sum += m.self[c][i];
	return sum;
}

function selfOf(m, i) {
	let sum = 0;

	for (let c = 0; c < m.parts.length; c++)
		if (m.chosen[c])
			sum += m.self[c][i];
	return sum;
}

// Counts the parts for which CHOSEN is true from now on. Comparisons always count all.
function choose(m, chosen) {
	m.chosen = m.compared ? m.parts.map(() => true) : chosen;
	if (m.compared) {
		const before = whole(m, true), after = whole(m, false);

		for (let i = 0; i < m.n; i++)
			m.w[i] = (afterOf(m, i) / after + beforeOf(m, i) / before) / 2;
		return;
	}
	m.w.fill(0);
	for (let c = 0; c < m.parts.length; c++)
		for (let i = 0; m.chosen[c] && i < m.n; i++)
			m.w[i] += m.total[c][i];
}

// Waits of threads that have nothing to do, which are one node under the root; -1 = there is none.
function idleNode(m) {
	for (let c = 1; c < m.n && !m.compared; c = m.end[c])
		if (m.kind[m.label[c]] === KIND_IDLE)
			return c;
	return -1;
}

// Counts them from now on, or leaves them out: they can be most of all that there is.
function countIdle(m, on) {
	if (m.idle < 0 || on === m.idleCounts)
		return;
	m.idleCounts = on;
	m.total.forEach((total, c) => {
		total[0] += on ? m.idleOf[c] : -m.idleOf[c];
		total[m.idle] = m.self[c][m.idle] = on ? m.idleOf[c] : 0;
	});
	choose(m, m.chosen);
}

// Which NUMA node each frame is on, -1 = not said. Made once.
function numaOf(m) {
	if (m.numa)
		return m.numa;
	m.numa = new Int32Array(m.n).fill(-1);
	for (let i = 1; i < m.n; i++) {
		const digits = m.kind[m.label[i]] === KIND_NUMA && /\d+/.exec(m.text[m.label[i]]);

		m.numa[i] = digits ? Number(digits[0]) : m.numa[m.parent[i]];
	}
	return m.numa;
}

// FNV-1a over UTF-16, for colours and links: what a name gives must never change.
function hashText(s, seed) {
	let h = (seed ^ 0x811c9dc5) >>> 0;

	for (let i = 0; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
	return h >>> 0;
}

// Two hashes for each label, and from these for each path from the root: links outlive a change of weights.
function pathHashes(m) {
	if (m.paths)
		return m.paths;
	const lanes = [0, 0x5bd1e995].map(seed => m.text.map(s => hashText(s, seed)));

	m.paths = lanes.map(label => {
		const h = new Uint32Array(m.n);

		for (let i = 1; i < m.n; i++)
			h[i] = Math.imul(Math.imul(h[m.parent[i]] ^ label[m.label[i]], 0x85ebca6b) ^ 0x2545f491, 0xc2b2ae35) + 1;
		return h;
	});
	return m.paths;
}

// A name for node I that survives a new file: the hash of its path, and which of several equal ones it is.
function linkTo(m, i) {
	const [a, b] = pathHashes(m);
	let nth = 0;

	for (let k = 0; k < i; k++)
		nth += a[k] === a[i] && b[k] === b[i];
	return a[i].toString(16).padStart(8, "0") + b[i].toString(16).padStart(8, "0") + (nth ? "." + nth : "");
}

// The node that LINK names, or the first of its equals; -1 = there is none.
function nodeOfLink(m, link) {
	const parsed = /^([0-9a-f]{8})([0-9a-f]{8})(?:\.(\d{1,9}))?$/.exec(link);

	if (!parsed)
		return -1;
	const [a, b] = pathHashes(m), wantA = parseInt(parsed[1], 16), wantB = parseInt(parsed[2], 16);
	let left = Number(parsed[3] || 0), first = -1;

	for (let i = 0; i < m.n; i++)
		if (a[i] === wantA && b[i] === wantB) {
			if (first < 0)
				first = i;
			if (!left--)
				return i;
		}
	return first;
}

// Of a node of WAS that is asked for: the node of M with the same names on the way from the root; -1 = there is none. Remembers.
function follower(was, m) {
	const known = new Map([[0, 0], [-1, -1]]);

	return function follow(i) {
		if (!known.has(i)) {
			const p = follow(was.parent[i]), l = was.label[i];
			let to = -1;

			for (let c = p + 1; p >= 0 && c < m.end[p] && to < 0; c = m.end[c])
				if (m.text[m.label[c]] === was.text[l] && m.kind[m.label[c]] === was.kind[l])
					to = c;
			known.set(i, to);
		}
		return known.get(i);
	};
}

// The same, or the nearest caller that is still there.
function followUp(was, follow, i) {
	while (follow(i) < 0)
		i = was.parent[i];
	return follow(i);
}

// Tests the regular expression once for each label. { error } when it is none; null for "".
function search(m, pattern, anyCase) {
	let re;

	if (!pattern)
		return null;
	try {
		re = new RegExp(pattern, anyCase ? "i" : "");
	} catch (e) {
		return { error: e.message };
	}
	const label = new Uint8Array(m.text.length), nodes = [];

	for (let l = 0; l < label.length; l++)
		label[l] = re.test(m.text[l]) ? 1 : 0;
	for (let i = 0; i < m.n; i++)
		if (label[m.label[i]] && m.w[i] > 0)
			nodes.push(i);
	return { label, nodes };
}

// The exact weight of what matches among the nodes FROM to TO - 1: matches below a match are in it already.
function matched(m, found, from, to) {
	let sum = 0;

	for (let i = from; i < to;) {
		if (!found.label[m.label[i]]) {
			i++;
			continue;
		}
		sum += m.w[i];
		i = m.end[i];
	}
	return sum;
}

// Siblings: those with the parent of I's run that have weight. DIRECTION is 1 or -1; -1 when there is none.
function sibling(m, i, direction) {
	const p = m.parent[i = headOf(m, i)];
	let last = -1;

	if (p < 0)
		return -1;
	for (let c = p + 1; c < m.end[p]; c = m.end[c]) {
		if (!(m.w[c] > 0))
			continue;
		if (direction < 0 && c === i)
			return last;
		if (direction > 0 && last === i)
			return c;
		last = c;
	}
	return -1;
}

// Of what the run of I called.
function heaviestChild(m, i) {
	let best = -1;

	for (let c = (i = tailOf(m, i)) + 1; c < m.end[i]; c = m.end[c])
		if (m.w[c] > 0 && (best < 0 || m.w[c] > m.w[best]))
			best = c;
	return best;
}

// Words.

function thousands(v) {
	return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function percent(share) {
	const p = share * 100;

	if (!(p >= 0))
		return "? %";
	if (p === 0 || p === 100)
		return p + " %";
	if (p < 0.01)
		return "<0.01 %";
	return Math.min(p, 99.99).toFixed(2) + " %";
}

const TIMES = [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];

function scaled(v, units, smallest) {
	for (const [size, name] of units)
		if (v >= size) {
			const x = v / size;

			return (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2)) + " " + name;
		}
	return thousands(v) + " " + smallest;
}

// V of the unit of the graph, for people.
function amount(m, v) {
	if (m.d.unit === "ns")
		return scaled(v, TIMES, "ns");
	if (m.d.unit === "bytes")
		return scaled(v, BYTES, "B");
	return thousands(v);
}

// The same, to the last digit.
function exact(m, v) {
	return thousands(v) + (m.d.unit === "count" ? "" : m.d.unit === "ns" ? " ns" : " bytes");
}

// By how much the change of frame I may be off by chance, 95 times of 100.
function error(m, i) {
	return "±" + (m.error[i] / 100).toFixed(2);
}

function change(m, i, share) {
	return signed(share) + " points" + (share ? " " + error(m, i) : "");
}

// What one share has more than another, in points: percent would be of the other one.
function signed(share) {
	return (share > 0 ? "+" : share < 0 ? "−" : "±") + Math.abs(share * 100).toFixed(2);
}
