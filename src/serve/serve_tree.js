// SPDX-License-Identifier: BSD-2-Clause
// serve_tree.js - the call tree of a stream, of which each event has only what has changed (flame_growth.h).

const KINDS_OF_TIME = 3;

// An array of numbers of TYPE with room for N, and what was in OLD.
function grownArray(type, old, n) {
	if (old.length >= n)
		return old;
	const wide = new type(Math.max(n, 2 * old.length));

	wide.set(old);
	return wide;
}

function makeGrowth() {
	const text = [], kind = [];
	let epoch = 0, version = 0, n = 0, parent = new Int32Array(0), label = parent;
	let self = Array.from({ length: KINDS_OF_TIME }, () => new Float64Array(0));

	function add(d) {
		const labels = readLabels(d), r = reader(d.tree);

		labels.text.forEach((words, i) => (text.push(words), kind.push(labels.kind[i])));
		parent = grownArray(Int32Array, parent, n + d.nrNodes);
		label = grownArray(Int32Array, label, n + d.nrNodes);
		self = self.map(old => grownArray(Float64Array, old, n + d.nrNodes));
		for (const end = n + d.nrNodes; n < end; n++) {
			parent[n] = n - r.number();
			label[n] = r.number();
		}
	}

	function change(d) {
		const r = reader(d.values);

		for (let k = 0, i = 0; k < d.nrValues; k++) {
			const head = r.number(), mask = head % 2 ** KINDS_OF_TIME;

			i += (head - mask) / 2 ** KINDS_OF_TIME;
			self.forEach((values, c) => values[i] = mask >> c & 1 ? r.number() : 0);
		}
	}

	// Which kinds of time there are; what is not time is the first.
	function parts() {
		const there = [...self.keys()].filter(c => self[c].some(v => v > 0));

		return there.length ? there : [0];
	}

	function weigh() {
		const weight = new Float64Array(n), [a, b, c] = self;

		for (let i = n - 1; i > 0; i--) {
			weight[i] += a[i] + b[i] + c[i];
			weight[parent[i]] += weight[i];
		}
		return weight;
	}

	// Those below each node that weigh something: of node i family[first[i]] to family[first[i + 1] - 1], the heaviest first.
	function families(weight) {
		const first = new Int32Array(n + 2), family = new Int32Array(n);
		const order = (a, b) => weight[b] - weight[a] || (text[label[a]] < text[label[b]] ? -1 : text[label[a]] > text[label[b]] ? 1 : a - b);

		for (let i = 1; i < n; i++)
			first[parent[i] + 2] += weight[i] > 0 ? 1 : 0;
		for (let i = 2; i < n + 2; i++)
			first[i] += first[i - 1];
		for (let i = 1; i < n; i++)
			if (weight[i] > 0)
				family[first[parent[i] + 1]++] = i;
		for (let i = 0; i < n; i++)
			if (first[i + 1] - first[i] > 1)
				family.subarray(first[i], first[i + 1]).sort(order);
		return { first, family };
	}

	// Nodes in pre-order, as readTree() has them: without those that are there no more.
	function tree(kinds) {
		const { first, family } = families(weigh()), there = 1 + first[n + 1], place = new Int32Array(n), stack = [0];
		const t = { n: there, text, kind, parent: new Int32Array(there), label: new Int32Array(there), self: kinds.map(() => new Float64Array(there)) };

		for (let at = 0; stack.length; at++) {
			const i = stack.pop();

			place[i] = at;
			t.parent[at] = i ? place[parent[i]] : -1;
			t.label[at] = label[i];
			for (let k = 0; k < kinds.length; k++)
				t.self[k][at] = self[kinds[k]][i];
			for (let c = first[i + 1]; c > first[i]; c--)
				stack.push(family[c - 1]);
		}
		return t;
	}

	// Takes what an event says; the model of the graph as it is then.
	return d => {
		if (!d.from) {
			text.length = kind.length = n = 0;
			self.forEach(values => values.fill(0));
		} else if (d.epoch !== epoch || d.from !== version) {
			throw new Error("an event is missing");
		}
		epoch = d.epoch;
		version = d.to;
		add(d);
		change(d);
		const kinds = parts();

		return makeModel({ title: d.title, facts: d.facts, unit: d.unit, parts: kinds, compared: false, whole: [0, 0], sides: ["before", "after"], upwards: false,
			minWidth: 0.5 }, tree(kinds));
	};
}
