// SPDX-License-Identifier: BSD-2-Clause
// flame_app.js - the page around the picture: bar, legend, details, keys, and the address, which says what is shown.
//
// What is shown is one value, `at`: whoever changes it calls show(). Foreign text gets into the page as text only.

const MODE_NAMES = { kind: "by kind", state: "by state", node: "by node", change: "by change" };

const KEYS = [
	["← →", "the frame beside"], ["↑ ↓", "caller or callee, as drawn"], ["Enter", "zoom to the frame"], ["Backspace", "zoom out to its caller"],
	["Esc", "everything again"], ["Home", "the root"], ["/", "search by regular expression"], ["n N", "next, previous match"],
	["i", "root on top or at the bottom"], ["c", "next colouring"], ["d", "dark or light"], ["?", "this help"],
];

// The colourings that there are for M, the best first.
function modesOf(m) {
	const modes = ["kind"];

	if (!m.compared && (m.parts.length > 1 || m.parts[0]))
		modes.unshift("state");
	if (m.kind.includes(KIND_NUMA))
		modes.unshift("node");
	if (m.compared)
		modes.unshift("change");
	return modes;
}

// Builds the page inside HOST, an XHTML element, for model M; ROOT is the element that carries the theme.
function makeApp(m, host, root) {
	const html = (name, attributes, parent, text) => element(HTML, name, attributes, parent, text);
	let modes = modesOf(m);
	const at = {
		view: wholeView(m, 0), selected: 0, pattern: "", anyCase: false, found: null, upwards: Boolean(m.d.upwards), mode: modes[0],
		idle: m.idleCounts,
	};
	const ui = makePage(m, html, host, modes);
	const listeners = [], followers = [];
	let rows = [], hovered = null, pointer = null, charWidth = 7.2, width = 0, height = 0, drawn = null;

	// Sizes.

	function measure() {
		const probe = element(SVG, "text", { x: 0, y: 0 }, ui.frames, "m".repeat(64));

		charWidth = probe.getComputedTextLength() / 64 || charWidth;
		probe.remove();
	}

	function place(box) {
		const row = m.row[box.n];

		return { x: box.x, y: (at.upwards ? rows.length - 1 - row : row) * ROW, w: box.w };
	}

	function outline(e, box) {
		if (!box) {
			e.setAttribute("visibility", "hidden");
			return;
		}
		const p = place(box), w = Math.max(2, p.w - 1);

		for (const [key, v] of [["x", Math.min(p.x, width - w)], ["y", p.y], ["width", w], ["height", ROW - 1], ["visibility", "visible"]])
			e.setAttribute(key, v);
	}

	// Draws what can be seen, again only when that is something else.
	function paint(force) {
		const top = ui.chart.scrollTop, bottom = top + ui.chart.clientHeight;

		if (force || !drawn || Math.abs(drawn - top) > ROW) {
			drawn = top;
			draw(ui.frames, m, { ...at, rows, top, bottom, width, charWidth, describe });
		}
		outline(ui.over, hovered);
		outline(ui.chosen, boxOf(m, rows, at.selected));
	}

	function arrange() {
		width = ui.chart.clientWidth;
		rows = layout(m, at.view, width, m.d.minWidth);
	}

	// The picture, in the height that all else leaves.
	function redraw() {
		height = ui.chart.clientHeight;
		ui.svg.setAttribute("width", width);
		ui.svg.setAttribute("height", rows.length * ROW);
		ui.svg.style.marginTop = at.upwards ? Math.max(0, height - rows.length * ROW) + "px" : "0";
		hovered = null;
		paint(true);
	}

	function reveal() {
		const box = boxOf(m, rows, at.selected);
		const y = box ? place(box).y : 0, high = ui.chart.clientHeight;

		if (box && (y < ui.chart.scrollTop || y + ROW > ui.chart.scrollTop + high))
			ui.chart.scrollTop = Math.max(0, y - high / 2);
	}

	// Words.

	const share = i => m.w[0] > 0 ? m.w[i] / m.w[0] : 0;
	const kindName = i => KIND_NAMES[m.kind[m.label[i]]];

	function describe(box) {
		if (box.count)
			return thousands(box.count) + " frames too narrow to draw, " + percent(boxWeight(box) / (m.w[0] || 1));
		return [nameOf(m, box.n), kindName(box.n), ...figures(box.n).map(f => f.join(" "))].join(", ");
	}

	function boxWeight(box) {
		let sum = 0;

		for (let c = box.n; c < box.to; c = m.end[c])
			sum += m.w[c];
		return sum;
	}

	function figures(i) {
		const p = m.parent[i], list = [];

		if (m.compared) {
			const after = afterOf(m, i) / whole(m, false), before = beforeOf(m, i) / whole(m, true);

			list.push([m.sides[0], amount(m, beforeOf(m, i)) + " (" + percent(before) + ")"]);
			list.push([m.sides[1], amount(m, afterOf(m, i)) + " (" + percent(after) + ")"]);
			list.push(["change", change(m, i, after - before)]);
			const both = (name, one, other) => (one || other) && list.push([name, amount(m, one) + " → " + amount(m, other)]);

			both("self", selfBeforeOf(m, i), selfOf(m, i));
			if (m.parts.length > 1)
				m.parts.forEach((part, c) => both(PART_NAMES[part], m.total[m.parts.length + c][i], m.total[c][i]));
			return list;
		}
		list.push(["total", amount(m, m.w[i]) + (amount(m, m.w[i]) === exact(m, m.w[i]) ? "" : " (" + exact(m, m.w[i]) + ")")]);
		list.push(["of all", percent(share(i))]);
		if (p >= 0)
			list.push(["of its parent", percent(m.w[p] > 0 ? m.w[i] / m.w[p] : 0)]);
		list.push(["self", amount(m, selfOf(m, i)) + (selfOf(m, i) && m.w[0] ? " (" + percent(selfOf(m, i) / m.w[0]) + ")" : "")]);
		if (m.parts.length > 1)
			m.parts.forEach((part, c) => m.chosen[c] && list.push([PART_NAMES[part], amount(m, m.total[c][i])]));
		return list;
	}

	function details() {
		const box = hovered || boxOf(m, rows, at.selected);

		if (hovered && hovered.count) {
			ui.who.textContent = thousands(box.count) + " frames narrower than " + m.d.minWidth + " px";
			fill(ui.what, [["under", m.text[m.label[m.parent[box.n]]]], ["together", percent(boxWeight(box) / (m.w[0] || 1))]]);
			html("span", {}, ui.what, " click to spread them");
			return;
		}
		const i = hovered ? hovered.n : at.selected, run = tailOf(m, i) - headOf(m, i) + 1;
		const numa = modes.includes("node") ? numaOf(m)[i] : -1, more = [];

		if (numa >= 0)
			more.push(["node", String(numa)]);
		if (run > 1)
			more.push([thousands(run) + " frames, one called by the other", ""]);
		ui.who.textContent = m.text[m.label[i]];
		ui.who.title = m.text[m.label[i]].slice(0, 2000);
		fill(ui.what, [[kindName(i), ""], ...figures(i), ...more]);
	}

	// "name value" pairs, the value strong.
	function fill(e, pairs) {
		e.replaceChildren();
		pairs.forEach(([name, value], k) => {
			html("span", {}, e, (k ? " · " : "") + name + (value ? " " : ""));
			html("b", {}, e, value);
		});
	}

	function legend() {
		const all = viewWeight(m, at.view) || 1;

		ui.legend.replaceChildren();
		if (m.parts.length > 1 && !m.compared)
			m.parts.forEach((part, c) => toggle(part, c));
		if (m.idle >= 0)
			toggleIdle();
		if (at.mode === "kind") {
			selfsBy(i => m.kind[m.label[i]]).forEach((v, k) =>
				v > 0 && swatch("f k" + k + " s0", KIND_NAMES[k] + " " + percent(v / all)));
		} else if (at.mode === "node") {
			const numa = numaOf(m);

			selfsBy(i => numa[i] + 1).forEach((v, k) => {
				const name = k ? "node " + (k - 1) : "unknown node";

				if (v > 0)
					swatch("f n" + (k ? (k - 1) % 8 : "") + " s0", name + " " + percent(v / all));
			});
		} else if (at.mode === "change") {
			[[0, "vanished"], [1, "shrunk"], [4, "the same"], [7, "grown"], [8, "appeared"]].forEach(([c, t]) => swatch("f c" + c, t));
		} else if (m.parts.length === 1) {
			swatch("f t" + m.parts[0], PART_NAMES[m.parts[0]]);
		}
		if (at.found && !at.found.error)
			swatch("hit", "found");
		if (rows.some(row => row.some(box => box.count)))
			swatch("many", "frames too narrow to draw");
	}

	// What ends in the frames that are shown, summed by a small number that WHAT gives for each.
	function selfsBy(what) {
		const v = at.view, sums = [];

		for (let i = v.from === v.zoom + 1 ? v.zoom : v.from; i < v.to; i++)
			sums[what(i)] = (sums[what(i)] || 0) + selfOf(m, i);
		return sums;
	}

	function swatch(name, text) {
		html("i", { class: name }, html("span", {}, ui.legend)).after(text);
	}

	// A button that takes a kind of time out of the widths, or back in.
	function toggle(part, c) {
		const b = html("button", { type: "button", "aria-pressed": m.chosen[c], title: "count " + PART_NAMES[part] + " time, or not" }, ui.legend);

		html("i", { class: "f t" + part }, b);
		html("span", {}, b, PART_NAMES[part] + " " + amount(m, m.total[c][at.view.zoom]));
		b.addEventListener("click", () => {
			const chosen = m.chosen.map((on, k) => k === c ? !on : on);

			if (!chosen.some((on, k) => on && m.total[k][0] > 0))
				return;
			choose(m, chosen);
			find(at.pattern);
			if (!(viewWeight(m, at.view) > 0))
				at.view = wholeView(m, 0);
			show("replace");
			ui.legend.children[c].focus();
		});
	}

	// The same for waits of threads that have nothing to do.
	function toggleIdle() {
		const b = html("button", { type: "button", "aria-pressed": m.idleCounts, title: "count waits of threads that have nothing to do, or not" }, ui.legend);

		html("i", { class: "f k" + KIND_IDLE }, b);
		html("span", {}, b, "idle " + amount(m, m.idleOf.reduce((sum, v, c) => sum + (m.chosen[c] ? v : 0), 0)));
		b.addEventListener("click", () => {
			at.idle = !m.idleCounts;
			countIdle(m, at.idle);
			if (!(m.w[0] > 0))
				countIdle(m, at.idle = true);
			find(at.pattern);
			if (!(viewWeight(m, at.view) > 0))
				at.view = wholeView(m, 0);
			at.selected = m.w[at.selected] > 0 ? at.selected : at.view.zoom;
			show("replace");
			ui.legend.querySelector("button:last-of-type").focus();
		});
	}

	function tellFound() {
		const f = at.found;

		ui.input.setAttribute("aria-invalid", Boolean(f && f.error));
		ui.found.className = "sberf-found" + (f && f.error ? " error" : "");
		ui.next.disabled = ui.previous.disabled = !f || Boolean(f.error) || !f.nodes.length;
		if (!f || f.error) {
			ui.found.textContent = f ? "no regular expression: " + f.error : "";
			return;
		}
		const here = matched(m, f, at.view.from, at.view.to) / (viewWeight(m, at.view) || 1);
		const place = f.nodes.indexOf(at.selected);

		ui.found.replaceChildren();
		html("b", {}, ui.found, percent(matched(m, f, 0, m.n) / (m.w[0] || 1)));
		html("span", {}, ui.found, (at.view.zoom || at.view.to < m.n ? " of all, " + percent(f.label[m.label[at.view.zoom]] ? 1 : here) + " of this" : "") +
			" · " + (place < 0 ? "" : thousands(place + 1) + " of ") + thousands(f.nodes.length) + (f.nodes.length === 1 ? " frame" : " frames"));
	}

	// The address.

	function address() {
		const parts = [], v = at.view, full = wholeView(m, v.zoom);

		if (v.zoom)
			parts.push("p=" + linkTo(m, v.zoom));
		if (v.from !== full.from || v.to !== full.to)
			parts.push("r=" + ordinal(v.zoom, v.from) + "." + ordinal(v.zoom, v.to));
		if (at.pattern)
			parts.push((at.anyCase ? "S=" : "s=") + encodeURIComponent(at.pattern));
		if (at.mode !== modes[0])
			parts.push("c=" + at.mode);
		if (at.upwards !== Boolean(m.d.upwards))
			parts.push("o=" + (at.upwards ? "up" : "down"));
		return "#" + parts.join("&");
	}

	// Which child of P starts at C, and back.
	function ordinal(p, c) {
		let nth = 0;

		for (let i = p + 1; i < c; i = m.end[i])
			nth++;
		return nth;
	}

	function child(p, nth) {
		let c = p + 1;

		while (nth-- > 0 && c < m.end[p])
			c = m.end[c];
		return c;
	}

	function remember(how) {
		try {
			if (how === "push")
				history.pushState(null, "", address());
			else
				history.replaceState(null, "", address());
		} catch {
			// A page without an address of its own, or too many changes at once: what is shown is right all the same.
		}
	}

	function decoded(text) {
		try {
			return decodeURIComponent(text);
		} catch {
			return "";
		}
	}

	function obey() {
		const said = Object.fromEntries(location.hash.slice(1).split("&").map(p => [p.slice(0, 1), p.slice(2)]));
		const zoom = said.p ? nodeOfLink(m, said.p) : 0, range = /^(\d{1,9})\.(\d{1,9})$/.exec(said.r || "");

		at.view = wholeView(m, Math.max(0, zoom));
		at.selected = at.view.zoom;
		if (range && zoom >= 0) {
			const from = child(zoom, Number(range[1])), to = child(zoom, Number(range[2]));

			if (from < to)
				at.view = { zoom, from, to };
		}
		at.anyCase = said.S !== undefined;
		at.mode = modes.includes(said.c) ? said.c : modes[0];
		at.upwards = said.o ? said.o === "up" : Boolean(m.d.upwards);
		find(decoded(said.s || said.S || ""));
		ui.input.value = at.pattern;
		show("");
	}

	// Another model of the same profile, some time later: what is shown, chosen and searched for stays, as far as it is there.
	function update(next) {
		const was = m, follow = follower(was, next), inLegend = Array.from(ui.legend.children).indexOf(document.activeElement);

		choose(next, next.parts.map(part => !was.parts.includes(part) || was.chosen[was.parts.indexOf(part)]));
		if (!(next.w[0] > 0))
			choose(next, next.parts.map(() => true));
		countIdle(next, at.idle);
		if (!(next.w[0] > 0))
			countIdle(next, true);
		m = next;
		at.view = wholeView(m, followUp(was, follow, at.view.zoom));
		at.selected = followUp(was, follow, at.selected);
		at.found = search(m, at.pattern, at.anyCase);
		if (modes.join() !== modesOf(m).join()) {
			const wanted = at.mode === modes[0] ? null : at.mode;

			modes = modesOf(m);
			at.mode = modes.includes(wanted) ? wanted : modes[0];
			fillModes(html, ui, modes);
			ui.mode.value = at.mode;
		}
		ui.title.textContent = ui.title.title = m.d.title || "flame graph";
		fillFacts(m, html, ui);
		ui.reset.disabled = !at.view.zoom;
		arrange();
		legend();
		if (inLegend >= 0 && ui.legend.children[inLegend])
			ui.legend.children[inLegend].focus();
		tellFound();
		redraw();
		if (pointer)
			onMove(pointer);
		details();
		followers.forEach(f => f(m, follow));
	}

	// Changes.

	function show(how) {
		ui.mode.value = at.mode;
		ui.flip.setAttribute("aria-pressed", at.upwards);
		ui.anyCase.setAttribute("aria-pressed", at.anyCase);
		ui.reset.disabled = !at.view.zoom && at.view.to === m.n;
		arrange();
		legend();
		tellFound();
		redraw();
		select(at.selected);
		if (how)
			remember(how);
	}

	function select(i) {
		at.selected = i;
		hovered = null;
		reveal();
		paint(false);
		details();
		ui.chosen.setAttribute("aria-label", describe({ n: i, to: m.end[i], count: 0 }));
		ui.chosen.setAttribute("aria-level", m.row[i] + 1);
		tellFound();
		listeners.forEach(f => f(i));
	}

	function zoom(view, selected) {
		if (!(viewWeight(m, view) > 0))
			return;
		at.view = view;
		at.selected = selected;
		show("push");
	}

	function zoomTo(i) {
		zoom(wholeView(m, i), i);
	}

	function open(box) {
		if (box.count)
			zoom({ zoom: m.parent[box.n], from: box.n, to: box.to }, box.n);
		else
			zoomTo(box.n);
	}

	function find(pattern) {
		at.pattern = pattern.slice(0, 1000);
		at.found = search(m, at.pattern, at.anyCase);
	}

	function searchFor(pattern) {
		find(pattern);
		legend();
		tellFound();
		redraw();
		remember("replace");
	}

	// The next match in the order of the picture, heaviest first; zoomed so that it can be seen.
	function step(direction) {
		const f = at.found;

		if (!f || f.error || !f.nodes.length)
			return;
		const boxes = f.nodes.filter(i => !m.follows[i]), n = boxes.length;
		const behind = boxes.findIndex(i => i > at.selected), here = boxes.indexOf(headOf(m, at.selected));
		const next = here >= 0 ? here + direction : direction > 0 ? behind : (behind < 0 ? n : behind) - 1;
		const i = boxes[((next < 0 && direction > 0 ? 0 : next) + n) % n];
		const box = boxOf(m, rows, i);

		if (box && !box.count && box.w >= 3 * charWidth) {
			select(i);
			return;
		}
		let z = i;

		while (z > 0 && m.w[i] / m.w[m.parent[z]] > 0.1)
			z = m.parent[z];
		at.view = wholeView(m, z);
		at.selected = i;
		show("push");
	}

	function flip() {
		at.upwards = !at.upwards;
		show("replace");
		if (at.upwards)
			ui.chart.scrollTop = ui.chart.scrollHeight;
		paint(true);
	}

	function setMode(mode) {
		at.mode = mode;
		show("replace");
	}

	function theme() {
		const dark = root.getAttribute("data-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

		root.setAttribute("data-theme", dark === "dark" ? "light" : "dark");
	}

	function walk(key) {
		const toParent = at.upwards ? "ArrowDown" : "ArrowUp", i = at.selected;
		const to = key === "ArrowLeft" ? sibling(m, i, -1) : key === "ArrowRight" ? sibling(m, i, 1) :
			key === toParent ? m.parent[headOf(m, i)] : heaviestChild(m, i);

		if (to < 0)
			return;
		// Where it is not in the picture, or lost among others, the picture follows.
		if (!boxOf(m, rows, to)) {
			at.view = wholeView(m, Math.max(0, m.parent[to]));
			at.selected = to;
			show("push");
		} else {
			select(to);
		}
	}

	const actions = {
		ArrowLeft: walk, ArrowRight: walk, ArrowUp: walk, ArrowDown: walk, Enter: () => zoomTo(at.selected),
		Backspace: () => at.view.zoom && zoomTo(m.parent[headOf(m, at.view.zoom)]), Home: () => select(0),
		"/": () => ui.input.select(), n: () => step(1), N: () => step(-1), i: flip, d: theme, "?": help,
		c: () => setMode(modes[(modes.indexOf(at.mode) + 1) % modes.length]),
		Escape() {
			if (!ui.help.hidden)
				help();
			else if (at.view.zoom || at.view.to < m.n)
				zoomTo(0);
			else
				clear();
		},
	};

	function clear() {
		ui.input.value = "";
		searchFor("");
	}

	function help() {
		ui.help.hidden = !ui.help.hidden;
		(ui.help.hidden ? ui.chart : ui.help.querySelector("button")).focus({ preventScroll: true });
	}

	function onKey(e) {
		if (e.ctrlKey || e.altKey || e.metaKey)
			return;
		if (e.target === ui.input && e.key === "Enter") {
			step(e.shiftKey ? -1 : 1);
		} else if (e.target === ui.input && e.key === "Escape") {
			clear();
			ui.chart.focus();
		} else if (["INPUT", "SELECT"].includes(e.target.tagName.toUpperCase()) ||
			(e.target.closest("button, [role=treegrid]") && ["Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(e.key)) ||
			!Object.hasOwn(actions, e.key)) {
			return;
		} else {
			actions[e.key](e.key);
		}
		e.preventDefault();
	}

	// Where the pointer is.

	function boxUnder(e) {
		const r = ui.svg.getBoundingClientRect(), line = Math.floor((e.clientY - r.top) / ROW);
		const row = rows[at.upwards ? rows.length - 1 - line : line];

		return row && boxAt(row, e.clientX - r.left);
	}

	function onMove(e) {
		pointer = e.type === "mouseleave" ? null : e;
		const box = e.type === "mouseleave" ? null : boxUnder(e) || null;

		if (box === hovered)
			return;
		hovered = box;
		outline(ui.over, box);
		details();
	}

	ui.svg.addEventListener("mousemove", onMove);
	ui.svg.addEventListener("mouseleave", onMove);
	ui.svg.addEventListener("click", e => {
		const box = boxUnder(e);

		ui.chart.focus({ preventScroll: true });
		if (box)
			open(box);
	});
	ui.chart.addEventListener("scroll", () => paint(false));
	host.addEventListener("keydown", onKey);
	ui.input.addEventListener("input", () => searchFor(ui.input.value));
	ui.anyCase.addEventListener("click", () => {
		at.anyCase = !at.anyCase;
		ui.anyCase.setAttribute("aria-pressed", at.anyCase);
		searchFor(at.pattern);
	});
	ui.next.addEventListener("click", () => step(1));
	ui.previous.addEventListener("click", () => step(-1));
	ui.reset.addEventListener("click", () => zoomTo(0));
	ui.flip.addEventListener("click", flip);
	ui.theme.addEventListener("click", theme);
	ui.helpButton.addEventListener("click", help);
	ui.help.addEventListener("click", e => (e.target === ui.help || e.target.tagName.toUpperCase() === "BUTTON") && help());
	ui.mode.addEventListener("change", () => setMode(ui.mode.value));
	addEventListener("popstate", obey);
	new ResizeObserver(() => {
		if (ui.chart.clientWidth && (ui.chart.clientWidth !== width || ui.chart.clientHeight !== height)) {
			arrange();
			redraw();
		}
	}).observe(ui.chart);
	measure();
	obey();
	ui.chart.focus({ preventScroll: true });
	return { at, select, zoomTo, update, onSelect: f => listeners.push(f), onUpdate: f => followers.push(f), main: ui.main };
}
