// SPDX-License-Identifier: BSD-2-Clause
// serve_strip.js - the strip of time: how much ran and waited when. A range is chosen by dragging, or by the arrow keys; a click or Escape
// goes back to everything.

const STRIP = { high: 58, lane: 40, low: 14 };

// "12.3 s", "1:05:00": a moment since the beginning, no finer than STEP.
function moment(ns, step) {
	const s = ns / 1e9;

	if (s < 120)
		return s.toFixed(step < 1e8 ? 2 : step < 1e9 ? 1 : 0) + " s";
	const whole = Math.floor(s), two = v => String(v).padStart(2, "0");

	return (whole >= 3600 ? Math.floor(whole / 3600) + ":" + two(Math.floor(whole / 60) % 60) : String(Math.floor(whole / 60))) +
		":" + two(whole % 60);
}

// A range as the path wants it.
function rangeText(range) {
	return "from=" + Math.round(range[0]) + "ns&to=" + Math.round(range[1]) + "ns";
}

// Builds the strip inside HOST; CHOSEN gets [from, to] in ns since the beginning, or null.
function makeStrip(html, host, chosen) {
	const box = html("div", {
		class: "serve-strip", tabindex: 0, role: "group", "aria-label": "time; drag to choose a range, Escape for everything",
	}, host);
	const svg = element(SVG, "svg", { height: STRIP.high, role: "none" }, box), words = html("div", { class: "serve-times" }, box);
	const lanes = element(SVG, "g", {}, svg), over = element(SVG, "rect", { class: "serve-range", y: 0, height: STRIP.high, visibility: "hidden" }, svg);
	let strip = null, duration = 0, range = null, from = -1;

	const width = () => box.clientWidth;
	const at = x => Math.max(0, Math.min(duration, x / (width() || 1) * duration));

	// One colour as one path; the pieces stand on the heights BELOW, which grow.
	function lane(name, levels, below, most, base, high) {
		const w = width() * strip.step / (duration || 1), d = [];

		for (let i = 0; i < levels.length; i++) {
			const h = levels[i] / most * high;

			if (h > 0.05)
				d.push("M", (i * w).toFixed(2), " ", (base - below[i]).toFixed(2), "v", (-h).toFixed(2), "h", Math.max(w, 0.5).toFixed(2),
					"v", h.toFixed(2), "z");
			below[i] += h;
		}
		element(SVG, "path", { class: "f " + name, d: d.join("") }, lanes);
	}

	function paint() {
		svg.setAttribute("width", width());
		lanes.replaceChildren();
		if (!strip)
			return;
		const n = strip.running.length, below = new Float64Array(n), none = new Float64Array(n);
		const busy = Math.max(0.01, ...strip.running.map((v, i) => v + strip.runnable[i])), waits = Math.max(0.01, ...strip.blocked);

		lane("t0", strip.running, below, busy, STRIP.lane, STRIP.lane);
		lane("t1", strip.runnable, below, busy, STRIP.lane, STRIP.lane);
		lane("t2", strip.blocked, none, waits, STRIP.high, STRIP.low);
		mark();
		words.replaceChildren();
		html("span", {}, words, "0 s");
		html("span", {}, words, range ? moment(range[0], strip.step) + " – " + moment(range[1], strip.step) : "up to " +
			busy.toFixed(2) + " threads run or want to, up to " + waits.toFixed(waits < 10 ? 1 : 0) + " are blocked");
		html("span", {}, words, moment(duration, 1e9));
	}

	function mark() {
		over.setAttribute("visibility", range ? "visible" : "hidden");
		if (!range)
			return;
		const scale = width() / (duration || 1);

		over.setAttribute("x", (range[0] * scale).toFixed(2));
		over.setAttribute("width", Math.max(2, (range[1] - range[0]) * scale).toFixed(2));
	}

	function choose(next) {
		range = next;
		paint();
		chosen(range);
	}

	// From where the pointer went down to where it is; null when that is a click.
	function dragged(e) {
		const to = e.clientX - box.getBoundingClientRect().left;

		return Math.abs(to - from) < 3 ? null : [at(Math.min(from, to)), at(Math.max(from, to))];
	}

	box.addEventListener("pointerdown", e => {
		from = e.clientX - box.getBoundingClientRect().left;
		box.setPointerCapture(e.pointerId);
		e.preventDefault();
		box.focus({ preventScroll: true });
	});
	box.addEventListener("pointermove", e => {
		if (from < 0)
			return;
		range = dragged(e) || range;
		mark();
	});
	box.addEventListener("pointerup", e => {
		const next = from < 0 ? undefined : dragged(e);

		from = -1;
		if (next !== undefined)
			choose(next);
	});
	box.addEventListener("pointercancel", () => from = -1);
	box.addEventListener("keydown", e => {
		const step = range ? range[1] - range[0] : Math.max(strip ? strip.step : 0, duration / 20);
		const start = range ? range[0] + (e.key === "ArrowLeft" ? -step : step) : duration - step;

		if (e.key === "Escape")
			choose(null);
		else if (e.key === "ArrowLeft" || e.key === "ArrowRight")
			choose([Math.max(0, Math.min(start, duration - step)), Math.max(0, Math.min(start, duration - step)) + step]);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	});
	new ResizeObserver(paint).observe(box);
	return {
		// What the server says.
		show(next, length) {
			strip = next;
			duration = length;
			paint();
		},
		// The range that is really shown, which goes out to whole slices; null = everything.
		snap(next) {
			range = next;
			paint();
		},
		choose,
	};
}
