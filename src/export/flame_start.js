// SPDX-License-Identifier: BSD-2-Clause
// flame_start.js - begins: the same for a file that is an SVG and for one that is HTML.

function start() {
	const data = document.getElementById("sberf-data"), still = document.getElementById("sberf-still"), top = document.documentElement;
	const m = makeModel(JSON.parse(data.textContent));
	let host = document.body;

	if (top.namespaceURI === SVG) {
		top.setAttribute("width", "100%");
		top.setAttribute("height", "100%");
		host = element(HTML, "div", { class: "sberf-host" }, element(SVG, "foreignObject", { width: "100%", height: "100%" }, top));
	}
	const app = makeApp(m, host, top);

	if (typeof makeTable === "function")
		makeTable(m, app);
	still.remove();
}

try {
	start();
} catch (e) {
	document.documentElement.classList.remove("sberf-live");
	throw e;
}
