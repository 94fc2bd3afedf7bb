// The page of an outcome: puts the parts together and lets them follow each other.

const KEYS = [["← →", "previous and next step, or event of the search"], ["Home End", "first and last one"], ["Space", "play and pause the search"],
  ["1 to 6", "the tabs"], ["/", "find in the source"], ["t", "theme"], ["?", "this list"]];

class Page {
  constructor(data) {
    this.data = data; this.bus = new Bus();
    this.source = new SourcePane(data, this.bus);
    this.side = el("section", { class: "pane side", "aria-label": "Evidence" });
    this.footer = el("div", { class: "source-foot" });
    this.source.node.append(this.footer);
    this.help = this.helpDialog();
    document.getElementById("app").append(this.head(), el("main", { class: "work" }, this.source.node, this.splitter(), this.side), this.help);
    this.listen();
    this.choose(Math.max(0, data.properties.findIndex((p) => p.verdict === data.verdict)));
    document.addEventListener("keydown", (e) => this.key(e));
  }

  head() {
    const { data } = this;
    this.badge = el("span", { class: "badge" });
    const several = data.properties.length > 1;
    this.select = el("select", { "aria-label": "Property", class: "property", on: { change: () => this.choose(Number(this.select.value)) } },
      data.properties.map((p, n) => el("option", { value: n, text: `${p.property}: ${p.verdict}` })));
    return el("header", { class: "top" },
      el("div", { class: "titles" }, el("h1", { text: baseName(data.file), title: visible(data.file) }),
        el("span", { class: "muted", text: [data.engine, data.stats.wall_s !== undefined && `${figure(data.stats.wall_s)} s`, data.stats.peak_mb !== undefined && `${figure(data.stats.peak_mb)} MB`].filter(Boolean).join(" · ") })),
      this.badge, el("span", { class: "grow" }), several ? this.select : el("span", { class: "muted property", text: data.property }),
      el("span", { class: "brand", text: "Obligato" }), themeButton(), iconButton("help", "Keys", () => this.help.showModal()));
  }

  helpDialog() {
    const dialog = el("dialog", { class: "help", "aria-label": "Keys", on: { click: (e) => { if (e.target === dialog) dialog.close(); } } },
      el("h2", { text: "Keys" }), el("dl", { class: "facts" }, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", { text: key })), el("dd", { text: what })])),
      el("form", { method: "dialog" }, el("button", { type: "button", text: "Close", on: { click: () => dialog.close() } })));
    return dialog;
  }

  /** The bar between the two panes, which can be dragged, and moved by arrow keys. */
  splitter() {
    const bar = el("div", { class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the source", "aria-valuemin": "20", "aria-valuemax": "80" });
    const move = (percent) => {
      const value = Math.max(20, Math.min(80, percent));
      document.documentElement.style.setProperty("--left", `${value}%`);
      bar.setAttribute("aria-valuenow", String(Math.round(value)));
    };
    bar.addEventListener("pointerdown", (e) => { bar.setPointerCapture(e.pointerId); bar.classList.add("moving"); });
    bar.addEventListener("pointermove", (e) => { if (bar.classList.contains("moving")) move((100 * e.clientX) / window.innerWidth); });
    bar.addEventListener("pointerup", () => bar.classList.remove("moving"));
    bar.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -2, ArrowRight: 2 }[e.key];
      if (by !== undefined) { e.stopPropagation(); move(Number(bar.getAttribute("aria-valuenow")) + by); }
    });
    bar.setAttribute("aria-valuenow", "46");
    return bar;
  }

  /** Show what is known about one property. */
  choose(n) {
    const { data } = this, row = data.properties[n];
    this.select.value = String(n);
    this.badge.className = `badge ${row.verdict}`;
    this.badge.textContent = row.said;
    this.row = row;
    this.player?.stop();
    this.picture = data.pictures[row.property] ?? data.pictures[""] ?? Object.values(data.pictures)[0];
    const trace = data.traces[row.trace], certificate = data.certificates[row.certificate];
    const views = [];
    this.automaton = this.path = this.proof = this.waveform = this.player = this.pathEdges = undefined;
    clear(this.source.extra); clear(this.footer); this.source.values(0, "");
    for (const name of ["on-path", "error-line", "here", "chosen-line"]) this.source.mark(name, []);
    if (this.picture?.edges) this.automaton = new Automaton(this.picture, data, this.source, this.bus);
    if (trace) {
      const derived = trace.steps.some((s) => s.from);
      const system = !derived && (this.picture === undefined ? trace.steps.every((s) => !s.at) : this.picture.edges === undefined);
      this.path = new PathView(trace, system, this.source, this.bus);
      views.push(["Path", this.path.node]);
      this.footer.append(this.path.transport.node);
      if (system) this.waveform = new Waveform(trace, this.picture, (k) => this.path.go(k));
    }
    if (certificate) {
      this.proof = new ProofView(certificate, this.source, this.bus);
      views.push([row.verdict === "false" ? "Why" : "Proof", this.proof.node]);
      if (this.proof.toggle) this.source.extra.append(this.proof.toggle);
      for (const i of certificate.invariants) this.automaton?.notes.set(i.location, i.text);
    }
    if (this.waveform) views.push(["Waveform", this.waveform.node]);
    if (this.automaton) views.push(["Automaton", this.automaton.node]);
    if (data.search?.events.length > 0) {
      this.player = new Player(data.search, data.options, this.picture, this.bus);
      views.push(["Search", this.player.node]);
    }
    views.push(["Statistics", statisticsView(data)]);
    this.tabs(views, this.waveform ? "Waveform" : views[0][0]);
    this.source.open(this.source.file < 0 ? 0 : this.source.file);
    if (this.proof) { this.proof.annotate(); this.revealFirst(certificate); }
    this.path?.paint();
    if (this.path) this.path.go(trace.loop === null || trace.loop === undefined ? trace.steps.length - 1 : 0);
    if (row.verdict === "unknown") this.open("Statistics");
    this.player?.go(0);
  }

  revealFirst(certificate) {
    const first = certificate.invariants.find((i) => i.at && i.at[1] > 0);
    if (first) this.source.reveal(...first.at);
  }

  /** The tabs. After a click with the pointer the keys are for what the tab shows, not for the row of tabs. */
  tabs(views, first) {
    this.views = new Map(views);
    this.buttons = new Map(views.map(([name]) => [name, el("button", { type: "button", class: "tab", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`,
      on: { click: (e) => { this.open(name); if (e.detail > 0) e.currentTarget.blur(); }, keydown: (e) => this.tabKey(e) }, text: name })]));
    this.panels = new Map(views.map(([name, node]) => [name, el("div", { class: "panel", role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}` }, node)]));
    clear(this.side, el("div", { class: "tabs", role: "tablist", "aria-label": "Views" }, [...this.buttons.values()]), [...this.panels.values()]);
    this.open(first);
  }

  open(name) {
    this.active = name;
    for (const [other, button] of this.buttons) {
      button.setAttribute("aria-selected", String(other === name));
      button.tabIndex = other === name ? 0 : -1;
      this.panels.get(other).hidden = other !== name;
    }
    if (name === "Automaton") this.automaton.shown();
    if (name === "Search") this.player.go(this.player.at);
    if (name === "Path") this.path.list.mark(this.path.at ?? 0);
    if (name === "Waveform") this.waveform.show(this.path.at ?? 0);
    if (name !== "Search") this.player?.stop();
  }

  tabKey(e) {
    const names = [...this.buttons.keys()], by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (by === undefined) return;
    e.stopPropagation();
    const next = names[(names.indexOf(this.active) + by + names.length) % names.length];
    this.open(next);
    this.buttons.get(next).focus();
  }

  listen() {
    const { bus } = this;
    bus.on("step", ({ step, edge }) => {
      this.waveform?.show(step);
      if (this.automaton && this.path) this.automaton.follow(this.pathEdges ??= new Set(this.path.trace.steps.map((s) => s.edge)), edge);
    });
    bus.on("line", (place) => {
      this.source.mark("chosen-line", [[place.file, place.line]]);
      if (this.active === "Path") this.path.goToLine(place);
      this.automaton?.atLine(place);
    });
    bus.on("place", ({ file, line }) => {
      if (line > 0) { this.source.reveal(file, line); this.source.mark("chosen-line", [[file, line]]); }
    });
    bus.on("location", (id) => {
      if (this.automaton?.places.has(id)) this.automaton.choose(id);
      else { const at = this.data.certificates[this.row.certificate]?.invariants.find((i) => i.location === id)?.at; if (at) bus.emit("place", { file: at[0], line: at[1] }); }
    });
    bus.on("search-location", (id) => {
      const x = this.automaton?.places.get(id);
      if (x === undefined) return;
      this.automaton.show(id);
      if (this.active === "Search" && x.line > 0) bus.emit("place", x);
    });
    bus.on("opened", () => { this.proof?.annotate(); this.path?.paint(); });
  }

  key(e) {
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(e.target.tagName) && e.target.type !== "checkbox";
    if (e.ctrlKey || e.metaKey || e.altKey || (typing && e.key !== "Escape") || this.help.open) return;
    const search = this.active === "Search", moved = search ? this.player : this.path;
    const inList = e.target.closest?.(".rows") ? { ArrowUp: moved?.at - 1, ArrowDown: moved?.at + 1 } : {};
    const to = moved && { ArrowLeft: moved.at - 1, ArrowRight: moved.at + 1, Home: 0, End: Infinity, ...inList }[e.key];
    if (to !== undefined) { e.preventDefault(); moved.go(to); return; }
    const name = [...this.buttons.keys()][Number(e.key) - 1];
    if (/^[1-9]$/.test(e.key) && name !== undefined) this.open(name);
    else if (e.key === " " && search && e.target.tagName !== "BUTTON") { e.preventDefault(); this.player.toggle(); }
    else if (e.key === "/") { e.preventDefault(); this.source.find.focus(); }
    else if (e.key === "t") document.querySelector(".top button[aria-label^='Theme']").click();
    else if (e.key === "?") this.help.showModal();
    else if (e.key === "Escape") e.target.blur();
  }
}

new Page(readData());
document.documentElement.dataset.ready = "true";
