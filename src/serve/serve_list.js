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

const ROWS_MOST = 2000;          // of a list that the server sends

// Builds a list inside HOST. What is folded is remembered by name, so it stays so in the next list. Rows that stand there already are given
// other words, and no more of them are made than somebody asked for: a thousand new ones with each update took a second of CPU. NEED gets
// how many rows the server is to send, when those that are there do not do: a list that is sorted by another column needs all of them.
function makeList(html, host, need) {
	const app = html("div", { class: "sberf-app" }, host), pane = html("div", { class: "sberf-pane serve-list" }, app);
	const notes = html("pre", { class: "serve-notes" }, pane);
	const table = html("table", {}, pane);
	const head = html("tr", {}, html("thead", {}, table)), body = html("tbody", {}, table);
	const more = html("button", { type: "button", hidden: "" }, pane), rest = html("div", { class: "serve-rest" }, pane);
	const details = html("div", { class: "sberf-details", hidden: "" }, app);
	const who = html("div", { class: "who" }, details), what = html("div", { class: "what" }, details);
	const folded = new Set();
	let rows = [], columns = [], texts = 0, comes = 0, left = 0, chosen = null;
	let sort = null, limit = MORE;          // null: as it comes, by weight or, when that is told, by column COMES

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

	function say(node, text) {
		if (node.textContent !== text)
			node.textContent = text;
	}

	// A row without words.
	function makeRow() {
		const tr = html("tr", { tabindex: "-1" }, body), first = html("td", {}, tr);

		html("span", { class: "twist" }, first);
		html("span", {}, first);
		for (let c = 1; c < columns.length; c++)
			html("td", { class: c <= texts ? "" : "number" }, tr);
		return tr;
	}

	function fillRow(tr, [level, name, ...cells], key, twist) {
		const [mark, words] = tr.cells[0].children;

		tr.dataset.key = key;
		tr.cells[0].style.paddingLeft = 6 + Math.min(level * 14, 140) + "px";
		say(mark, twist);
		say(words, name.slice(0, 400));
		words.title = name.slice(0, 2000);
		tr.setAttribute("aria-selected", key === chosen);
		cells.forEach((cell, c) => say(tr.cells[c + 1], cell));
	}

	function render() {
		const shown = sorted(), key = keys(shown);
		let hidden = Infinity, n = 0;

		if (head.textContent !== columns.join("")) {
			head.replaceChildren();
			body.replaceChildren();
			columns.forEach((name, c) => html("th", { scope: "col", class: c > texts ? "number" : "", tabindex: "0",
				title: "sort by this column" }, head, name));
		}
		[...head.cells].forEach((th, c) => th.setAttribute("aria-sort",
			c !== (sort ? sort.column : comes || -1) ? "none" : !sort || sort.falling ? "descending" : "ascending"));
		shown.forEach((row, i) => {
			if (row[0] > hidden)
				return;
			hidden = folded.has(key[i]) ? row[0] : Infinity;
			const parent = i + 1 < shown.length && shown[i + 1][0] > row[0];

			if (n < limit)
				fillRow(body.rows[n] ?? makeRow(), row, key[i], parent ? (folded.has(key[i]) ? "▸" : "▾") : "");
			n++;
		});
		while (body.rows.length > Math.min(n, limit))
			body.lastChild.remove();
		n += left;
		more.hidden = n <= limit || limit >= ROWS_MOST;
		say(more, "… " + thousands(Math.max(0, n - limit)) + " more");
		say(rest, n > limit && more.hidden ? "… " + thousands(n - limit) + " more, which weigh less" : rows.length ? "" : "nothing yet");
		tell(shown, key);
	}

	// The row that is chosen, in full: a name can be longer than its column.
	function tell(shown, key) {
		const i = chosen === null ? -1 : key.indexOf(chosen);

		details.hidden = i < 0;
		if (body.rows.length && !body.querySelector("[tabindex='0']"))
			body.rows[0].tabIndex = 0;
		if (i < 0)
			return;
		say(who, shown[i][1]);
		what.replaceChildren();
		shown[i].slice(2).forEach((cell, c) => {
			if (!cell)
				return;
			html("span", {}, what, (what.firstChild ? " · " : "") + columns[c + 1] + " ");
			html("b", {}, what, cell);
		});
	}

	function choose(tr) {
		chosen = tr.dataset.key;
		body.querySelectorAll("[tabindex='0']").forEach(row => row.tabIndex = -1);
		tr.tabIndex = 0;
		render();
		tr.focus({ preventScroll: true });
		tr.scrollIntoView({ block: "nearest" });
	}

	function fold(tr, to) {
		const key = tr.dataset.key;

		if (!(to ?? !folded.has(key)))
			folded.delete(key);
		else
			folded.add(key);
		render();
	}

	// Figures fall first, words rise; the third time it is as it comes again.
	function sortBy(th) {
		const c = th.cellIndex, first = c > texts;

		sort = !sort || sort.column !== c ? { column: c, falling: first } : sort.falling === first ? { column: c, falling: !first } : null;
		if (sort && left)
			need(ROWS_MOST);
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

		if (tr && e.target.className === "twist")
			fold(tr);
		else if (tr)
			choose(tr);
	});
	body.addEventListener("keydown", e => {
		const tr = e.target.closest("tr"), next = e.key === "ArrowDown" ? tr.nextSibling : e.key === "ArrowUp" ? tr.previousSibling : null;
		const twist = tr.cells[0].firstChild.textContent;

		if (next)
			choose(next);
		else if ((e.key === "ArrowRight" && twist === "▸") || (e.key === "ArrowLeft" && twist === "▾"))
			fold(tr, e.key === "ArrowLeft");
		else if (!e.key.startsWith("Arrow"))
			return;
		e.preventDefault();
	});
	more.addEventListener("click", () => {
		limit = Math.min(limit + 5 * MORE, ROWS_MOST);
		if (left)
			need(limit);
		render();
	});
	return list => {
		rows = list.rows;
		columns = list.columns;
		texts = list.texts;
		comes = list.sort ?? 0;
		left = list.more;
		notes.textContent = (list.notes ?? []).join("\n");
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
