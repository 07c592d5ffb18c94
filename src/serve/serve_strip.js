// SPDX-License-Identifier: BSD-2-Clause
// serve_strip.js - the strip of time: how much ran and waited when. A range is chosen by dragging, or by the arrow keys; a click or Escape
// goes back to everything. What is under the pointer is told in words.

const STRIP = { high: 58, lane: 40, low: 14, tick: 96 };

// "12.3 s", "1:05:00", "2:05.7": a moment since the beginning, no finer than STEP and no later than it is.
function moment(ns, step) {
	const digits = step < 1e8 ? 2 : step < 1e9 ? 1 : 0, s = Math.floor(ns / 1e9 * 10 ** digits) / 10 ** digits;

	if (s < 120)
		return s.toFixed(digits) + " s";
	const whole = Math.floor(s), part = digits ? (s - whole).toFixed(digits).slice(1) : "", two = v => String(v).padStart(2, "0");

	return (whole >= 3600 ? Math.floor(whole / 3600) + ":" + two(Math.floor(whole / 60) % 60) : String(Math.floor(whole / 60))) +
		":" + two(whole % 60) + part;
}

// The step between ticks, a round one, when LENGTH ns are drawn on WIDTH px.
function tickStep(length, width) {
	const least = length * STRIP.tick / Math.max(width, 1) / 1e9;
	const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

	return (steps.find(step => step >= least) ?? Math.ceil(least / 86400) * 86400) * 1e9;
}

// A range as --time takes it. What is below a millisecond is left off: a range is of the slices that begin in it.
function timeText(range) {
	return range.map(ns => (Math.floor(ns / 1e6) / 1e3).toFixed(3) + "s").join(",");
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
	const words = html("div", { class: "serve-said" }, box);
	const svg = element(SVG, "svg", { height: STRIP.high, role: "none" }, box), times = html("div", { class: "serve-times" }, box);
	const lanes = element(SVG, "g", {}, svg), ticks = element(SVG, "path", { class: "serve-ticks" }, svg);
	const over = element(SVG, "rect", { class: "serve-range", y: 0, height: STRIP.high, visibility: "hidden" }, svg);
	let strip = null, duration = 0, range = null, from = -1, pointed = -1;

	let width = 0;                          // asked for before anything is changed: else the browser would arrange the page three times
	const at = x => Math.max(0, Math.min(duration, x / (width || 1) * duration));

	// One colour as one path; the pieces stand on the heights BELOW, which grow.
	function lane(name, levels, below, most, base, high) {
		const w = width * strip.step / (duration || 1), d = [];

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
		width = box.clientWidth;
		svg.setAttribute("width", width);
		lanes.replaceChildren();
		if (!strip)
			return;
		const n = strip.running.length, below = new Float64Array(n), none = new Float64Array(n);
		const busy = Math.max(0.01, ...strip.running.map((v, i) => v + strip.runnable[i])), waits = Math.max(0.01, ...strip.blocked);

		lane("t0", strip.running, below, busy, STRIP.lane, STRIP.lane);
		lane("t1", strip.runnable, below, busy, STRIP.lane, STRIP.lane);
		lane("t2", strip.blocked, none, waits, STRIP.high, STRIP.low);
		mark();
		paintTimes();
		say();
	}

	// The axis: a label a tick, and the end.
	function paintTimes() {
		const step = tickStep(duration, width), d = [], last = moment(duration, step), room = 7 * last.length + 20;

		times.replaceChildren();
		for (let ns = 0; ns < duration; ns += step) {
			const x = ns / duration * width;

			d.push("M", x.toFixed(1), " 0V", STRIP.high);
			if (x < width - room - 30)
				html("span", {}, times, moment(ns, step)).style.left = x.toFixed(1) + "px";
		}
		html("span", { class: "end" }, times, last);
		ticks.setAttribute("d", d.join(""));
	}

	// What is under the pointer, or at most.
	function say() {
		const digits = v => v.toFixed(v < 10 ? 2 : 0);
		const i = pointed < 0 ? -1 : Math.floor(at(pointed) / strip.step), there = i >= 0 && i < strip.running.length;
		const busy = Math.max(0, ...strip.running.map((v, k) => v + strip.runnable[k]));

		words.replaceChildren();
		html("span", {}, words, there ? moment(i * strip.step, strip.step) : "threads:");
		[["running", "t0"], ["runnable", "t1"], ["blocked", "t2"]].forEach(([name, colour]) => {
			html("i", { class: "f " + colour }, words);
			html("span", {}, words, (there ? digits(strip[name][i]) + " " : "") + name);
		});
		if (!there)
			html("span", {}, words, "· at most " + digits(busy) + " run or want to, " + digits(Math.max(0, ...strip.blocked)) + " are blocked");
	}

	function mark() {
		over.setAttribute("visibility", range ? "visible" : "hidden");
		if (!range)
			return;
		const scale = width / (duration || 1);

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
		pointed = e.clientX - box.getBoundingClientRect().left;
		if (strip)
			say();
		if (from < 0)
			return;
		range = dragged(e) || range;
		mark();
	});
	box.addEventListener("pointerleave", () => {
		pointed = -1;
		if (strip)
			say();
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
