// SPDX-License-Identifier: BSD-2-Clause
// flame_table.js - the same tree as a table beside the picture: rows open and close, columns sort siblings. Rows are made when their
// parent is opened, MORE of them at a time, so that a parent of ten thousand costs no more than one of ten.

const MORE = 200;

function makeTable(m, app) {
	const html = (name, attributes, parent, text) => element(HTML, name, attributes, parent, text);
	const pane = html("div", { class: "sberf-pane" }, app.main);
	const table = html("table", { role: "treegrid", "aria-label": "call tree" }, pane);
	const heads = html("tr", {}, html("thead", {}, table)), body = html("tbody", {}, table);
	let open = new Set([0]), limits = new Map(), columns = [];
	const cells = [];
	// By what is looked at, which a comparison has second.
	let sort = { column: m.compared ? 2 : 1, falling: true }, current = 0, top = 0;

	function makeColumns() {
		const list = [{ name: "function", value: i => m.text[m.label[i]] }];

		if (m.compared) {
			const before = i => beforeOf(m, i) / whole(m, true), after = i => afterOf(m, i) / whole(m, false);

			list.push({ name: m.sides[0], value: before, text: i => percent(before(i)) });
			list.push({ name: m.sides[1], value: after, text: i => percent(after(i)) });
			list.push({ name: "change", value: i => after(i) - before(i), text: i => signed(after(i) - before(i)) });
			list.push({ name: "error", value: i => m.error[i], text: i => after(i) === before(i) ? "" : error(m, i) });
			return list;
		}
		list.push({ name: "total", value: i => m.w[i], text: i => amount(m, m.w[i]) });
		list.push({ name: "%", value: i => m.w[i], text: i => percent(m.w[i] / (m.w[0] || 1)) });
		list.push({ name: "self", value: i => selfOf(m, i), text: i => amount(m, selfOf(m, i)) });
		if (m.parts.length > 1)
			m.parts.forEach((part, c) => list.push({
				part: true, name: PART_NAMES[part], value: i => m.total[c][i], text: i => m.total[c][i] ? amount(m, m.total[c][i]) : "·",
			}));
		return list;
	}

	function compare(a, b) {
		const c = columns[sort.column], x = c.value(a), y = c.value(b);

		return (x < y ? -1 : x > y ? 1 : 0) * (sort.falling ? -1 : 1) || a - b;
	}

	function children(i) {
		const list = [];

		for (let c = tailOf(m, i) + 1; c < m.end[i]; c = m.end[c])
			if (m.w[c] > 0)
				list.push(c);
		return list.sort(compare);
	}

	// Rows: [node, level, -1], or [parent, level, how many children more] for what is left out.
	function rows() {
		const list = [], stack = [[0, 1, -1]];

		while (stack.length) {
			const row = stack.pop(), [i, level, more] = row;

			list.push(row);
			if (more >= 0 || !open.has(i))
				continue;
			const below = children(i), shown = below.slice(0, limits.get(i) || MORE);

			if (shown.length < below.length)
				stack.push([i, level + 1, below.length - shown.length]);
			for (const c of shown.reverse())
				stack.push([c, level + 1, -1]);
		}
		return list;
	}

	function makeRow([i, level, more]) {
		const row = html("tr", { role: "row", "aria-level": level, tabindex: -1, "data-node": more < 0 ? i : -1 });
		const name = html("td", { role: "gridcell" }, row);

		name.style.paddingLeft = 6 + Math.min((level - 1) * 9, 90) + "px";
		if (more >= 0) {
			html("button", { type: "button", "data-more": i }, name, "… " + thousands(more) + " more");
			return row;
		}
		if (m.end[i] > tailOf(m, i) + 1) {
			row.setAttribute("aria-expanded", open.has(i));
			html("span", { class: "twist" }, name, open.has(i) ? "▾" : "▸");
		} else {
			html("span", { class: "twist" }, name);
		}
		html("span", { title: m.text[m.label[i]].slice(0, 2000) }, name, cutMiddle(nameOf(m, i), 120));
		for (const c of columns.slice(1))
			html("td", { role: "gridcell", class: c.part ? "number part" : "number" }, row, c.text(i));
		return row;
	}

	function fillRows() {
		body.replaceChildren(...rows().map(makeRow));
		cells.forEach((th, c) => th.setAttribute("aria-sort", c !== sort.column ? "none" : sort.falling ? "descending" : "ascending"));
	}

	function render() {
		fillRows();
		mark(false, true);
	}

	function makeHeads() {
		columns = makeColumns();
		heads.replaceChildren();
		cells.length = 0;
		columns.forEach((column, c) => {
			const th = html("th", { scope: "col", class: column.part ? "number part" : c ? "number" : "" }, heads);

			cells.push(th);
			html("button", { type: "button" }, th, column.name).addEventListener("click", () => {
				sort = { column: c, falling: sort.column === c ? !sort.falling : c > 0 };
				render();
			});
		});
	}

	function rowOf(i) {
		return body.querySelector("tr[data-node='" + i + "']");
	}

	// Marks the row of the frame that is selected, if it is there.
	function mark(focus, reveal) {
		for (const row of body.querySelectorAll("[aria-selected]")) {
			row.removeAttribute("aria-selected");
			row.tabIndex = -1;
		}
		const row = rowOf(headOf(m, current)) || body.firstChild;

		row.tabIndex = 0;
		row.setAttribute("aria-selected", row.dataset.node === String(headOf(m, current)));
		if (focus)
			row.focus({ preventScroll: true });
		if (reveal)
			row.scrollIntoView({ block: "nearest" });
	}

	function toggle(i, to) {
		if (to ?? !open.has(i))
			open.add(i);
		else
			open.delete(i);
		render();
	}

	body.addEventListener("click", e => {
		const more = e.target.dataset.more, row = e.target.closest("tr");

		if (more !== undefined) {
			limits.set(Number(more), (limits.get(Number(more)) || MORE) + 5 * MORE);
			render();
		} else if (row && Number(row.dataset.node) >= 0) {
			const i = Number(row.dataset.node);

			if (e.target.className === "twist")
				toggle(i);
			app.select(i);
			mark(true, true);
		}
	});
	body.addEventListener("dblclick", e => {
		const row = e.target.closest("tr");

		if (row && Number(row.dataset.node) >= 0)
			app.zoomTo(Number(row.dataset.node));
	});
	table.addEventListener("keydown", e => {
		const row = e.target.closest("tbody tr"), i = row ? Number(row.dataset.node) : -1;

		if (!row || e.ctrlKey || e.altKey || e.metaKey || (i < 0 && !e.key.startsWith("Arrow")))
			return;
		const next = e.key === "ArrowDown" ? row.nextSibling : e.key === "ArrowUp" ? row.previousSibling : null;

		if (next) {
			next.focus();
			if (Number(next.dataset.node) >= 0)
				app.select(Number(next.dataset.node));
		} else if (e.key === "ArrowRight" && i >= 0 && !open.has(i)) {
			toggle(i, true);
		} else if (e.key === "ArrowLeft" && i >= 0) {
			if (open.has(i))
				toggle(i, false);
			else if (i)
				app.select(headOf(m, m.parent[i]));
		} else if (e.key === "Enter") {
			app.zoomTo(i);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
		if (!next)
			mark(true, true);
	});

	// Opens what leads to the frame that was selected in the picture.
	app.onSelect(i => {
		current = i;
		for (let p = m.parent[i]; p >= 0; p = m.parent[p])
			open.add(p);
		const head = headOf(m, i), parent = headOf(m, m.parent[head]);

		if (!rowOf(head)) {
			const nth = head ? children(parent).indexOf(head) : 0;

			if (nth >= (limits.get(parent) || MORE))
				limits.set(parent, nth + MORE);
		}
		render();
	});
	// The same rows of another model, and where they were scrolled to.
	app.onUpdate((next, follow) => {
		const focused = body.contains(document.activeElement), names = columns.map(column => column.name).join();

		m = next;
		open = new Set(Array.from(open, follow).filter(i => i >= 0));
		limits = new Map(Array.from(limits, ([i, limit]) => [follow(i), limit]).filter(([i]) => i >= 0));
		current = app.at.selected;
		if (makeColumns().map(column => column.name).join() !== names) {
			makeHeads();
			sort.column = Math.min(sort.column, columns.length - 1);
		}
		fillRows();
		mark(focused, false);
		if (top)
			pane.scrollTop = top;
	});
	// Asked for at any other time, the browser would have to arrange the page first.
	pane.addEventListener("scroll", () => top = pane.scrollTop);
	makeHeads();
	// At first the heaviest way down is open, as far as nothing else weighs much beside it.
	for (let i = 0, c; (c = heaviestChild(m, i)) >= 0 && m.w[c] > m.w[i] / 2; i = c)
		open.add(c);
	render();
}
