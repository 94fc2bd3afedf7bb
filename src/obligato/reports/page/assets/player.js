// The player: goes through the events of a search, forwards and backwards, and shows obligations and frames at each.

const SHOWN = 40; // lemmas of one frame, obligations of the queue

class Player {
  constructor(search, options, picture, bus) {
    this.search = search; this.picture = picture; this.bus = bus; this.playing = null; this.at = 0;
    this.lines = new Map((picture?.locations ?? []).map(([id, file, line]) => [id, [file, line]]));
    this.history = new SearchHistory(search.events, options.reuse_obligations !== false);
    this.sizes = this.blockedSizes();
    this.list = new Rows("Events", 26, (n) => this.row(n), (n) => this.go(n));
    this.play = iconButton("play", "Play", () => this.toggle());
    this.transport = new Transport("event", search.events.length, (n) => this.go(n), [this.play]);
    this.speed = el("select", { "aria-label": "Speed", on: { change: () => this.restart() } },
      [[1000, "slow"], [300, "normal"], [60, "fast"]].map(([value, text]) => el("option", { value, text, selected: value === 300 })));
    this.transport.node.append(this.speed);
    this.chart = el("canvas", { class: "chart", "aria-hidden": "true", on: { click: (e) => {
      const share = (e.clientX - this.chart.getBoundingClientRect().left) / this.chart.clientWidth;
      this.go(Math.floor(share * this.search.events.length));
    } } });
    this.event = el("div", { class: "event", "aria-live": "polite" });
    this.queue = el("div", { class: "obligations" });
    this.frames = el("div", { class: "frames" });
    const left = search.omitted ? `, ${plural(search.omitted, "event")} left out` : "";
    this.node = el("div", { class: "player" }, this.transport.node, this.chart, this.event,
      el("div", { class: "player-parts" },
        el("div", { class: "player-events" }, el("div", { class: "part-head" }, el("h3", { text: plural(search.total, "event") + left })), this.list.node),
        el("div", { class: "player-state" }, this.frames, this.queue)));
    this.list.fill(search.events.length);
    new ResizeObserver(() => this.drawChart()).observe(this.chart);
    for (const [source, name] of [[document, "theme"], [matchMedia("(prefers-color-scheme: dark)"), "change"]]) {
      source.addEventListener(name, () => { this.base = undefined; this.drawChart(); });
    }
  }

  /** How many literals the obligation has that each event `blocked` is about. */
  blockedSizes() {
    const size = new Map(), out = new Map();
    this.search.events.forEach((e, n) => {
      for (const o of e.event === "obligation" ? [e] : e.obligations ?? []) size.set(o.number, o.cube);
      if (e.event === "blocked") out.set(n, size.get(e.number));
    });
    return out;
  }

  row(n) {
    const e = this.search.events[n];
    return el("div", { class: "event-row" }, el("span", { class: `kind ${e.event}`, text: KINDS[e.event] ?? e.event }),
      el("span", { class: "event-text", text: this.brief(e) }));
  }

  brief(e) {
    if (e.event === "frontier") return `F${e.k}`;
    if (e.event === "gap") return plural(e.omitted, "event");
    const level = e.level ?? e.k, place = e.location === undefined || e.location === null ? "" : `@${e.location} `;
    const number = e.number !== undefined && e.number !== null ? `${e.number} ` : "";
    const cube = e.cube ?? e.lemma;
    const text = cube ? this.cube(cube, e.event === "lemma" || e.event === "push" || e.event === "drop") : e.engine ?? e.formula ?? "";
    return `${number}${level === undefined ? "" : `F${level} `}${place}${text}`;
  }

  literal(n) { const [text, not] = this.search.texts[Math.abs(n) - 1] ?? [String(n), `not ${n}`]; return n > 0 ? text : not; }

  /** A cube as a text, or the clause that blocks it. */
  cube(cube, clause = false) {
    if (cube.length === 0) return clause ? "false" : "true";
    return cube.map((n) => this.literal(clause ? -n : n)).join(clause ? " ∨ " : " ∧ ");
  }

  go(n) {
    this.at = Math.max(0, Math.min(n, this.search.events.length - 1));
    const e = this.search.events[this.at], state = this.history.after(this.at);
    this.transport.show(this.at, `Event ${(this.at + 1).toLocaleString("en")} of ${this.search.events.length.toLocaleString("en")}`);
    this.list.mark(this.at);
    this.showEvent(e);
    this.showFrames(state, e);
    this.showQueue(state, e);
    this.drawChart();
    const place = e.location ?? state.touched?.location;
    if (place !== undefined && place !== null) this.bus.emit("search-location", place);
  }

  showEvent(e) {
    const before = this.sizes.get(this.at);
    const cube = e.cube ?? e.core ?? e.predicates ?? null;
    const clause = e.event === "lemma" || e.event === "push" || e.event === "drop";
    clear(this.event, el("p", { class: "sentence" }, el("span", { class: `kind ${e.event}`, text: KINDS[e.event] ?? e.event }), el("span", { text: sentence(e, before?.length) })),
      before ? this.generalised(before, e.cube) : cube && el("ul", { class: "literals" }, cube.map((n) => el("li", {}, el("code", { text: this.literal(clause ? -n : n) })))));
  }

  /** The literals of a blocked cube: those that the lemma keeps, those that generalisation has dropped, and new ones. */
  generalised(before, after) {
    const kept = new Set(after), old = new Set(before);
    return el("ul", { class: "literals" },
      before.map((n) => el("li", { class: kept.has(n) ? "kept" : "gone" }, el("code", { text: this.literal(n) }), el("span", { class: "only-read", text: kept.has(n) ? " (kept)" : " (dropped)" }))),
      after.filter((n) => !old.has(n)).map((n) => el("li", { class: "kept" }, el("code", { text: this.literal(n) }), el("span", { class: "chip", text: "new" }))));
  }

  place(location) {
    if (location === undefined || location === null) return null;
    const at = this.lines.get(location);
    return el("button", { type: "button", class: "chip place", title: "Show this location", text: at?.[1] ? `${location} · line ${at[1]}` : `location ${location}`,
      on: { click: () => this.bus.emit("location", location) } });
  }

  showFrames(state, e) {
    const levels = new Map();
    for (const lemma of state.lemmas.values()) levels.set(lemma.level, [...(levels.get(lemma.level) ?? []), lemma]);
    for (let n = 1; n <= Math.min(state.frontier, 200); n += 1) if (!levels.has(n)) levels.set(n, []);
    const rows = [...levels].sort(([a], [b]) => b - a).map(([level, lemmas]) => this.frame(level, lemmas, state, e));
    clear(this.frames, el("div", { class: "part-head" }, el("h3", { text: `Frames: ${plural(state.lemmas.size, "lemma")}` }), el("span", { class: "muted small", text: "each at the highest level where it is known to hold" })), rows);
    if (e.event !== "lemma" && e.event !== "push") return;
    const touched = this.frames.querySelector(".touched");
    const box = this.frames.parentElement;
    if (touched !== null && (touched.offsetTop < box.scrollTop || touched.offsetTop > box.scrollTop + box.clientHeight - 40)) box.scrollTop = touched.offsetTop - 80;
  }

  frame(level, lemmas, state, e) {
    const equal = e.event === "proved" && level === e.level;
    const shown = lemmas.length > SHOWN ? lemmas.filter((x, n) => n >= lemmas.length - SHOWN || x === state.touched) : lemmas;
    return el("div", { class: `frame${level === state.frontier ? " frontier" : ""}${equal ? " fixed" : ""}` },
      el("div", { class: "frame-name" }, el("strong", { text: `F${level}` }), el("span", { class: "muted small", text: lemmas.length })),
      el("ul", {}, lemmas.length > shown.length && el("li", { class: "muted small", text: `${lemmas.length - shown.length} older ones` }),
        shown.map((x) => el("li", { class: `lemma-item${x === state.touched ? " touched" : ""}` }, el("code", { text: x.formula ?? this.cube(x.cube, true) }), this.place(x.location))),
        equal && el("li", { class: "muted small", text: `nothing is left here: F${level} = F${level + 1}` })));
  }

  showQueue(state, e) {
    const chain = new Set(state.chain);
    const open = [...state.obligations.values()].filter((o) => o.level <= state.frontier || o === state.touched || chain.has(o));
    const later = state.obligations.size - open.length;
    open.sort((a, b) => a.level - b.level || b.depth - a.depth);
    const shown = open.slice(0, SHOWN);
    clear(this.queue, el("div", { class: "part-head" }, el("h3", { text: `Obligations: ${open.length} open${later > 0 ? `, ${later} for later frontiers` : ""}` })),
      el("ul", {}, shown.map((o) => el("li", { class: `obligation-item${o === state.touched ? " touched" : ""}${chain.has(o) ? " chain" : ""}${e.event === "blocked" && o === state.touched ? " blocked" : ""}` },
        el("span", { class: "obligation-level", text: `F${o.level}`, title: `to be blocked at level ${o.level}, ${o.depth} steps before a violation` }),
        el("code", { text: this.cube(o.cube) }), this.place(o.location))),
      open.length > shown.length && el("li", { class: "muted small", text: `${open.length - shown.length} more` })));
  }

  /** Draw the events, pale after the one that is shown. */
  drawChart() {
    const { clientWidth: w, clientHeight: h } = this.chart;
    if (w === 0) return;
    const scale = window.devicePixelRatio || 1;
    if (this.base?.width !== w * scale) this.drawBase(w, h, scale);
    const pen = this.chart.getContext("2d"), x = this.chartX(this.at, w) * scale;
    pen.clearRect(0, 0, w * scale, h * scale);
    pen.globalAlpha = 0.35;
    pen.drawImage(this.base, 0, 0);
    pen.globalAlpha = 1;
    if (x >= 1) pen.drawImage(this.base, 0, 0, x, h * scale, 0, 0, x, h * scale);
    pen.fillStyle = this.cursor;
    pen.fillRect(x - scale, 0, 2 * scale, h * scale);
  }

  chartX(n, w) { return 3 + ((n + 0.5) * (w - 6)) / this.search.events.length; }

  /** A dot for each event at its time and level, a line for each frontier; kinds have colours. */
  drawBase(w, h, scale) {
    const { events } = this.search, colours = this.colours();
    this.cursor = colours.cursor;
    this.base = el("canvas");
    for (const canvas of [this.base, this.chart]) { canvas.width = w * scale; canvas.height = h * scale; }
    const pen = this.base.getContext("2d");
    pen.scale(scale, scale);
    const top = events.reduce((most, e) => Math.max(most, e.level ?? e.k ?? 0), 1);
    const size = Math.max(1.2, Math.min(3, w / events.length / 2));
    let level = 0;
    events.forEach((e, n) => {
      level = e.level ?? e.k ?? level;
      pen.fillStyle = colours[e.event] ?? colours.other;
      if (e.event === "frontier") { pen.fillRect(this.chartX(n, w) - 0.5, 3, 1, h - 6); return; }
      pen.beginPath();
      pen.arc(this.chartX(n, w), h - 7 - (level * (h - 14)) / top, size, 0, 7);
      pen.fill();
    });
  }

  /** The colours of the chart in the theme of now: a canvas does not know light-dark(). */
  colours() {
    const names = { obligation: "--bad", blocked: "--violet", lemma: "--good", push: "--teal", frontier: "--accent", other: "--muted", cursor: "--text" };
    return Object.fromEntries(Object.entries(names).map(([kind, name]) => {
      this.chart.style.setProperty("color", `var(${name})`);
      return [kind, getComputedStyle(this.chart).color];
    }));
  }

  toggle() {
    if (this.playing !== null) { this.stop(); return; }
    if (this.at >= this.search.events.length - 1) this.go(0);
    clear(this.play, icon("pause"));
    this.play.setAttribute("aria-label", "Pause");
    this.playing = setInterval(() => {
      if (this.at >= this.search.events.length - 1) this.stop();
      else this.go(this.at + 1);
    }, Number(this.speed.value));
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    clear(this.play, icon("play"));
    this.play.setAttribute("aria-label", "Play");
  }

  restart() { if (this.playing !== null) { this.stop(); this.toggle(); } }
}
