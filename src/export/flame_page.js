// SPDX-License-Identifier: BSD-2-Clause
// flame_page.js - the elements of the page, without what they do.

function makePage(m, html, host, modes) {
	const app = html("div", { class: "sberf-app" }, host), bar = html("div", { class: "sberf-bar" }, app);
	const title = html("h1", { title: m.d.title }, bar, m.d.title || "flame graph");
	const tools = html("div", { class: "sberf-tools", role: "toolbar", "aria-label": "flame graph" }, bar);
	const button = (text, label) => html("button", { type: "button", title: label, "aria-label": label }, tools, text);
	const ui = { title };

	ui.input = html("input", {
		type: "search", placeholder: "search  /", "aria-label": "search by regular expression", spellcheck: "false", autocomplete: "off",
	}, tools);
	ui.anyCase = button("Aa", "upper and lower case alike");
	ui.previous = button("‹", "previous match (N)");
	ui.next = button("›", "next match (n)");
	ui.found = html("span", { class: "sberf-found", role: "status", "aria-live": "polite" }, tools);
	ui.reset = button("reset", "show everything (Esc)");
	ui.flip = button("⇅", "root on top or at the bottom (i)");
	ui.mode = html("select", { title: "colours (c)", "aria-label": "colours" }, tools);
	fillModes(html, ui, modes);
	ui.theme = button("◐", "dark or light (d)");
	ui.helpButton = button("?", "keys, and what this is a profile of (?)");

	ui.legend = html("div", { class: "sberf-legend", role: "group", "aria-label": "legend" }, app);
	ui.main = html("div", { class: "sberf-main" }, app);
	ui.chart = html("div", {
		class: "sberf-chart", tabindex: 0, role: "tree", "aria-label": "call tree; arrows walk it, Enter zooms, ? helps",
		"aria-activedescendant": "sberf-chosen",
	}, ui.main);
	ui.svg = element(SVG, "svg", { role: "none" }, ui.chart);
	const hatch = element(SVG, "pattern", {
		id: "sberf-hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
	}, element(SVG, "defs", {}, ui.svg));

	element(SVG, "rect", { width: 5, height: 5, fill: "var(--bar)" }, hatch);
	element(SVG, "rect", { width: 1.2, height: 5, fill: "var(--soft)" }, hatch);
	ui.frames = element(SVG, "g", { role: "none" }, ui.svg);
	ui.over = element(SVG, "rect", { class: "over", visibility: "hidden" }, ui.svg);
	ui.chosen = element(SVG, "rect", { class: "chosen", id: "sberf-chosen", role: "treeitem", "aria-selected": "true" }, ui.svg);

	const details = html("div", { class: "sberf-details" }, app);

	ui.who = html("div", { class: "who" }, details);
	ui.what = html("div", { class: "what" }, details);
	makeHelp(m, html, ui, app);
	return ui;
}

function fillModes(html, ui, modes) {
	ui.mode.replaceChildren();
	ui.mode.hidden = modes.length < 2;
	for (const mode of modes)
		html("option", { value: mode }, ui.mode, MODE_NAMES[mode]);
}

function fillFacts(m, html, ui) {
	const said = [...m.d.facts,
		["frames", thousands(m.n) + ", all of them in this file; those narrower than " + m.d.minWidth + " px share a hatched box"]];

	ui.facts.replaceChildren();
	for (const [name, text] of said) {
		html("dt", {}, ui.facts, name);
		html("dd", {}, ui.facts, text);
	}
}

function makeHelp(m, html, ui, app) {
	ui.help = html("div", { class: "sberf-help", role: "dialog", "aria-modal": "true", "aria-label": "help", hidden: "" }, app);
	const box = html("div", {}, ui.help);

	if (m.d.facts.length)
		html("h2", {}, box, "This profile");
	ui.facts = html("dl", {}, box);
	fillFacts(m, html, ui);
	html("h2", {}, box, "Keys");
	const keys = html("dl", {}, box);

	for (const [key, text] of KEYS) {
		html("kbd", {}, html("dt", {}, keys), key);
		html("dd", {}, keys, text);
	}
	html("h2", {}, box, "Pointer");
	html("div", {}, box, "Click a frame to zoom, a hatched box to spread the frames in it. The browser's back button goes back.");
	html("button", { type: "button" }, html("h2", {}, box), "close");
}
