// SPDX-License-Identifier: BSD-2-Clause
// serve_list.js - panes that are lists, whose rows may be below others, and those that are texts. Text gets into the page as text only.

// Builds a list inside HOST. What is folded is remembered by name, so it stays so in the next list.
function makeList(html, host) {
	const pane = html("div", { class: "sberf-pane serve-list" }, host), table = html("table", {}, pane);
	const head = html("tr", {}, html("thead", {}, table)), body = html("tbody", {}, table), rest = html("div", { class: "serve-rest" }, pane);
	const folded = new Set();
	let rows = [], columns = [], texts = 0;

	// The names on the way to each row.
	function keys() {
		const path = [];

		return rows.map(([level, name]) => {
			path.length = level;
			path.push(name);
			return path.join("\n");
		});
	}

	function render() {
		const key = keys(), list = [];
		let hidden = Infinity;

		rows.forEach(([level, name, ...cells], i) => {
			if (level > hidden)
				return;
			hidden = folded.has(key[i]) ? level : Infinity;
			const parent = i + 1 < rows.length && rows[i + 1][0] > level, tr = html("tr", { "data-key": key[i] });
			const first = html("td", {}, tr);

			first.style.paddingLeft = 6 + Math.min(level * 14, 140) + "px";
			html("span", { class: "twist" }, first, parent ? (folded.has(key[i]) ? "▸" : "▾") : "");
			html("span", { title: name.slice(0, 2000) }, first, cutMiddle(name, 160));
			cells.forEach((cell, c) => html("td", { class: c < texts ? "" : "number" }, tr, cell));
			list.push(tr);
		});
		head.replaceChildren();
		columns.forEach((name, c) => html("th", { scope: "col", class: c > texts ? "number" : "" }, head, name));
		body.replaceChildren(...list);
	}

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
