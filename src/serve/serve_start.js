// SPDX-License-Identifier: BSD-2-Clause
// serve_start.js - the page of `sberf serve`: follows the stream of the server, and shows one pane of it, or of a range of time.
//
// A stream is open while the page can be seen, and no longer: browsers open six connections to a server, and pages that wait for one
// would hang. It is read by fetch(), which tells why there is none; what it carries is what an EventSource would read.

const WAIT_MS = 1000, WAIT_MOST_MS = 5000;

// Calls EVENT with the data of each event of ANSWER, until it ends.
async function readEvents(answer, event) {
	const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = "", looked = 0;

	for (;;) {
		const { value, done } = await reader.read();

		if (done)
			return;
		text += value;
		for (let end; (end = text.indexOf("\n\n", Math.max(0, looked - 1))) >= 0; looked = 0) {
			const data = text.slice(0, end).split("\n").filter(line => line.startsWith("data: ")).map(line => line.slice(6));

			text = text.slice(end + 2);
			if (data.length)
				event(JSON.parse(data.join("\n")));
		}
		looked = text.length;
	}
}

function serve() {
	const html = (name, attributes, parent, text) => element(HTML, name, attributes, parent, text);
	const page = html("div", { class: "sberf-app serve" }, document.body), bar = html("div", { class: "sberf-bar" }, page);
	const title = html("h1", {}, bar, "sberf"), state = html("span", { class: "serve-state", role: "status", "aria-live": "polite" }, bar);
	const all = html("button", { type: "button", title: "follow what is live (Escape in the strip)" }, bar, "everything");
	const counts = html("select", { title: "what is counted", "aria-label": "what is counted", hidden: "" }, bar);
	const exports = html("select", { title: "save what is shown", "aria-label": "save what is shown", hidden: "" }, bar);
	const tabs = html("div", { class: "serve-tabs", role: "tablist" }, page);
	const strip = makeStrip(html, page, freeze), main = html("div", { class: "serve-main" }, page);
	let pane = "tree", range = null, head = null, stream = null, shown = null, wait = WAIT_MS, timer = 0, asked = 0;
	let rows = MORE, count = "";            // of a list; "" = what the server was told to

	// What is shown, by the kind of the member that has it.

	const makers = {
		flame(host) {
			let app = null;

			return m => {
				// What is counted, where that is not time.
				host.classList.toggle("serve-titled", m.d.title !== head.target);

				// They would be most of the picture of most programs.
				if (!app)
					countIdle(m, false);
				if (!(m.w[0] > 0))
					countIdle(m, true);
				if (app) {
					app.update(m);
				} else if (m.w[0] > 0) {
					host.replaceChildren();
					app = makeApp(m, host, document.documentElement);
					makeTable(m, app);
					app.at.idle &&= m.idle >= 0;
				} else {
					host.textContent = "nothing yet";
				}
			};
		},
		list: host => makeList(html, host, wanted => {
			rows = wanted;
			refresh();
		}),
		text: host => makeText(html, host),
	};

	function show(message) {
		const kind = ["flame", "list", "text"].find(name => name in message);

		if (!kind)
			return;
		if (!shown || shown.pane !== pane || shown.kind !== kind) {
			main.replaceChildren();
			shown = { pane, kind, update: makers[kind](html("div", { class: "serve-pane" }, main)) };
		}
		shown.update(message[kind]);
	}

	// The bar.

	function tell(text, bad) {
		if (state.textContent !== text)
			state.textContent = text;
		state.classList.toggle("error", Boolean(bad));
	}

	function tellState() {
		const lost = head.lost ? ", " + thousands(head.lost) + " lost" : "";

		if (range)
			tell("frozen: " + moment(range[0], 1e7) + " – " + moment(range[1], 1e7) + (head.ended ? "" : "; the strip goes on"));
		else
			tell((!head.ended ? "live, " + head.state : /^(exited|killed)$/.test(head.state) ? "ended, " + head.state : "ended") + " · " +
				moment(head.duration, 1e9) + " · " + thousands(head.samples) + " samples" + lost);
		state.title = range ? "the same in a recording: sberf report --time " + timeText(range) : "";
		all.disabled = !range;
	}

	function fill(message) {
		const before = head;

		head = message.head;
		title.textContent = title.title = head.target + (head.host ? " on " + head.host : "");
		document.title = head.target + " – sberf";
		if (!before || String(before.panes) !== String(head.panes)) {
			tabs.replaceChildren();
			for (const [name, words] of head.panes)
				html("button", { type: "button", role: "tab", "data-pane": name, "aria-selected": name === pane }, tabs, words);
		}
		if (!before || String(before.exports) !== String(head.exports)) {
			exports.hidden = false;
			exports.replaceChildren();
			html("option", { value: "" }, exports, "save as …");
			for (const [extension, name] of head.exports)
				html("option", { value: extension }, exports, name + (extension === name ? "" : " (." + extension + ")"));
		}
		if (!before || String(before.counts) !== String(head.counts)) {
			count = head.counts.some(([name]) => name === count) ? count : "";
			counts.hidden = head.counts.length < 2;
			counts.replaceChildren();
			for (const [name, words] of head.counts)
				html("option", { value: name }, counts, "count " + words);
			counts.value = count || head.counted;
		}
		strip.show(message.strip, head.duration);
		tellState();
	}

	// The stream.

	function open() {
		close();
		if (document.hidden)
			return;
		const own = stream = new AbortController();

		follow(own).catch(e => e.name === "AbortError" ? "" : "not connected: sberf has ended, or does not answer").then(why => {
			if (stream !== own)
				return;
			stream = null;
			tell((why || "the connection has ended") + " · tries again", true);
			timer = setTimeout(open, wait);
			wait = Math.min(2 * wait, WAIT_MOST_MS);
		});
	}

	function close() {
		clearTimeout(timer);
		if (stream)
			stream.abort();
		stream = null;
	}

	// Resolves to a sentence when the server has one to say.
	async function follow(own) {
		const answer = await fetch("live" + (range ? "" : "?pane=" + pane + also()), { signal: own.signal, cache: "no-store" });

		if (!answer.ok)
			return (await answer.text()).replace(/^sberf: |\n$/g, "");
		wait = WAIT_MS;
		const grow = makeGrowth();

		await readEvents(answer, message => {
			if (stream !== own)
				return;
			fill(message);
			if (message.growth)
				message.flame = grow(message.growth);
			if (!range)
				show(message);
		});
		return "";
	}

	// A range, once.
	async function ask() {
		const own = ++asked;

		try {
			const answer = await fetch("snapshot?pane=" + pane + also() + "&" + rangeText(range), { cache: "no-store" });

			if (own !== asked || !range)
				return;
			if (!answer.ok) {
				tell((await answer.text()).replace(/^sberf: |\n$/g, ""), true);
				return;
			}
			const message = await answer.json();

			if (message.flame)
				message.flame = makeModel(message.flame);
			if (own !== asked || !range)
				return;
			range = message.range;
			strip.snap(range);
			fill(message);
			show(message);
		} catch {
			tell("not connected: sberf has ended, or does not answer", true);
		}
	}

	function freeze(next) {
		range = next;
		asked++;
		if (range)
			ask();
		open();
		if (head)
			tellState();
	}

	// The same pane anew, of something else.
	function refresh() {
		if (range)
			ask();
		else
			open();
	}

	// What is asked for beside the pane and the range.
	function also() {
		return "&rows=" + rows + (count ? "&count=" + encodeURIComponent(count) : "");
	}

	tabs.addEventListener("click", e => {
		const tab = e.target.closest("[data-pane]");

		if (!tab)
			return;
		pane = tab.dataset.pane;
		for (const other of tabs.children)
			other.setAttribute("aria-selected", other === tab);
		rows = MORE;
		refresh();
	});
	counts.addEventListener("change", () => {
		count = counts.value;
		refresh();
	});
	all.addEventListener("click", () => strip.choose(null));
	exports.addEventListener("change", () => {
		if (exports.value)
			html("a", { href: "export." + exports.value + "?" + (range ? rangeText(range) : "") + also(), download: "" }, null).click();
		exports.value = "";
	});
	document.addEventListener("visibilitychange", open);
	all.disabled = true;
	tell("connecting", false);
	open();
}

serve();
