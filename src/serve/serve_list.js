// SPDX-License-Identifier: BSD-2-Clause
// serve_list.js - panes that are lists, whose rows may be below others, and those that are texts. Text gets into the page as text only.

// What a cell says as a number, to sort by: times in seconds ("1.20 s", "1m23", "2h05"), sizes in bytes, "1,300", "~4.0 %". Empty ones are least.
function cellValue(text) {
	const units = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40, k: 1e3, M: 1e6, G: 1e9 };
	const plain = text.replaceAll(",", "").replace(/^[~<>=+±]+/, ""), long = /^(\d+)([dhm])(\d+)$/.exec(plain);
	const short = /^(-?[\d.]+) ?(\S*)/.exec(plain);

	if (long)
		return { d: 86400, h: 3600, m: 60 }[long[2]] * long[1] + { d: 3600, h: 60, m: 1 }[long[2]] * long[3];
	return short ? parseFloat(short[1]) * (units[short[2]] ?? 1) - (text[0] === "<" ? 1e-9 : 0) : -Infinity;
}

// Builds a list inside HOST. What is folded is remembered by name, so it stays so in the next list.
function makeList(html, host) {
	const pane = html("div", { class: "sberf-pane serve-list" }, host), notes = html("pre", { class: "serve-notes" }, pane);
	const table = html("table", {}, pane);
	const head = html("tr", {}, html("thead", {}, table)), body = html("tbody", {}, table), rest = html("div", { class: "serve-rest" }, pane);
	const folded = new Set();
	let rows = [], columns = [], texts = 0, sort = null;    // null: as it comes, by weight

	// The names on the way to each row.
	function keys(rows) {
		const path = [];

		return rows.map(([level, name]) => {
			path.length = level;
			path.push(name);
			return path.join("\n");
		});
	}

	// The rows with those below each in the order asked for: only rows beside each other change places.
	function sorted() {
		const top = { below: [] }, way = [top], list = [];
		const value = row => sort.column > texts ? cellValue(row[1 + sort.column]) : row[1 + sort.column];
		const order = (a, b) => (sort.falling ? -1 : 1) * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
		const put = node => {
			node.below.sort(order).forEach(n => (list.push(n.row), put(n)));
		};

		if (!sort || sort.column >= columns.length)
			return rows;
		for (const row of rows) {
			const node = { row, value: value(row), below: [] };

			way.length = Math.min(row[0] + 1, way.length);
			way[way.length - 1].below.push(node);
			way.push(node);
		}
		put(top);
		return list;
	}

	function render() {
		const shown = sorted(), key = keys(shown), list = [];
		let hidden = Infinity;

		shown.forEach(([level, name, ...cells], i) => {
			if (level > hidden)
				return;
			hidden = folded.has(key[i]) ? level : Infinity;
			const parent = i + 1 < shown.length && shown[i + 1][0] > level, tr = html("tr", { "data-key": key[i] });
			const first = html("td", {}, tr);

			first.style.paddingLeft = 6 + Math.min(level * 14, 140) + "px";
			html("span", { class: "twist" }, first, parent ? (folded.has(key[i]) ? "▸" : "▾") : "");
			html("span", { title: name.slice(0, 2000) }, first, cutMiddle(name, 160));
			cells.forEach((cell, c) => html("td", { class: c < texts ? "" : "number" }, tr, cell));
			list.push(tr);
		});
		if (head.textContent !== columns.join("")) {
			head.replaceChildren();
			columns.forEach((name, c) => html("th", { scope: "col", class: c > texts ? "number" : "", tabindex: "0",
				title: "sort by this column" }, head, name));
		}
		[...head.cells].forEach((th, c) => th.setAttribute("aria-sort",
			!sort || c !== sort.column ? "none" : sort.falling ? "descending" : "ascending"));
		body.replaceChildren(...list);
	}

	// Figures fall first, words rise; the third time it is as it comes again.
	function sortBy(th) {
		const c = th.cellIndex, first = c > texts;

		sort = !sort || sort.column !== c ? { column: c, falling: first } : sort.falling === first ? { column: c, falling: !first } : null;
		render();
	}

	head.addEventListener("click", e => e.target.closest("th") && sortBy(e.target.closest("th")));
	head.addEventListener("keydown", e => {
		if (!e.target.closest("th") || (e.key !== "Enter" && e.key !== " "))
			return;
		e.preventDefault();
		sortBy(e.target.closest("th"));
	});
	body.addEventListener("click", e => {
		const tr = e.target.closest("tr");

		if (!tr || e.target.className !== "twist")
			return;
		if (!folded.delete(tr.dataset.key))
			folded.add(tr.dataset.key);
		render();
	});
	return list => {
		rows = list.rows;
		columns = list.columns;
		texts = list.texts;
		notes.textContent = (list.notes ?? []).join("\n");
		rest.textContent = list.more ? "… " + thousands(list.more) + " more, which weigh less" : rows.length ? "" : "nothing yet";
		render();
	};
}

function makeText(html, host) {
	const pre = html("pre", { class: "serve-text" }, host);

	return lines => {
		const text = lines.join("\n");

		if (pre.textContent !== text)
			pre.textContent = text;
	};
}
