// The control-flow automaton: drawn whole if it is small, else the part around a location; linked with the source.

const WHOLE = 70; // locations that are drawn together
const CHARACTER = 6.7; // pixels
const LABEL = 30; // characters

class Automaton {
  constructor(picture, data, source, bus) {
    this.picture = picture; this.data = data; this.source = source; this.bus = bus;
    this.places = new Map(picture.locations.map(([id, file, line]) => [id, { id, file, line, out: [], into: [] }]));
    this.edges = new Map();
    for (const [id, from, to, text, file, line] of picture.edges) {
      const edge = { id, from, to, text, file, line };
      this.edges.set(id, edge);
      this.places.get(from)?.out.push(edge);
      this.places.get(to)?.into.push(edge);
    }
    this.heads = new Set(picture.heads);
    this.byLine = new Map();
    for (const x of this.places.values()) {
      if (x.line > 0) {
        const key = `${x.file}:${x.line}`;
        this.byLine.set(key, [...(this.byLine.get(key) ?? []), x.id]);
      }
    }
    this.path = new Set(); this.selected = picture.initial; this.zoom = 1; this.notes = new Map();
    this.build();
  }

  build() {
    this.canvas = el("div", { class: "canvas" });
    this.about = el("div", { class: "about", role: "status" });
    this.number = el("input", { type: "number", min: "0", placeholder: "Location", "aria-label": "Go to location", class: "go-to",
      on: { change: () => { const id = Number(this.number.value); if (this.places.has(id)) this.choose(id); } } });
    const size = this.places.size > WHOLE ? `${this.picture.all ?? this.places.size} locations; the part around one is drawn` : plural(this.places.size, "location");
    const hidden = this.picture.hidden ? `, ${plural(this.picture.hidden, "edge")} left out` : "";
    this.node = el("div", { class: "automaton" },
      el("div", { class: "part-head" }, el("h3", { text: size + hidden }), el("span", { class: "grow" }), this.number,
        iconButton("minus", "Smaller", () => this.scale(this.zoom / 1.25)), iconButton("plus", "Larger", () => this.scale(this.zoom * 1.25)),
        iconButton("fit", "Fit into the window", () => this.fit())),
      this.canvas, this.about);
    this.drag();
  }

  /** Drag the drawing with the pointer. */
  drag() {
    let from = null;
    this.canvas.addEventListener("pointerdown", (e) => {
      if (e.target.closest(".node") === null && e.button === 0) from = [e.clientX + this.canvas.scrollLeft, e.clientY + this.canvas.scrollTop];
    });
    window.addEventListener("pointermove", (e) => {
      if (from !== null) { this.canvas.scrollLeft = from[0] - e.clientX; this.canvas.scrollTop = from[1] - e.clientY; }
    });
    window.addEventListener("pointerup", () => { from = null; });
    this.canvas.addEventListener("wheel", (e) => {
      if (e.ctrlKey) { e.preventDefault(); this.scale(this.zoom * (e.deltaY < 0 ? 1.1 : 1 / 1.1)); }
    }, { passive: false });
  }

  /** The locations to draw: all, or the nearest ones to the selected location. */
  part() {
    if (this.places.size <= WHOLE) return [...this.places.keys()];
    const seen = new Set([this.selected]), queue = [this.selected];
    for (let n = 0; n < queue.length && seen.size < WHOLE; n += 1) {
      const x = this.places.get(queue[n]);
      if (x.id === this.picture.error && n > 0) continue; // everything that can fail leads there
      for (const id of [...x.out.map((e) => e.to), ...x.into.map((e) => e.from)]) {
        if (!seen.has(id) && this.places.has(id) && seen.size < WHOLE) { seen.add(id); queue.push(id); }
      }
    }
    return [...this.places.keys()].filter((id) => seen.has(id));
  }

  label(edge) {
    const text = edge.text || this.source.text(edge.file, edge.line);
    const plain = text.replace(/\s*(\/\/.*|\/\*.*?\*\/)/g, "").replace(/\s+/g, " ");
    return plain.length > LABEL ? `${plain.slice(0, LABEL - 1)}…` : plain;
  }

  draw() {
    const ids = this.part(), drawn = new Set(ids);
    ids.sort((a, b) => (b === this.picture.initial) - (a === this.picture.initial));
    const nodes = ids.map((id) => ({ id, width: 34 + 8 * Math.max(0, String(id).length - 2) }));
    const edges = ids.flatMap((id) => this.places.get(id).out.filter((e) => drawn.has(e.to)));
    const texts = edges.map((e) => visible(this.label(e)));
    const { places, paths, width, height } = layered(nodes, edges.map((e, k) => ({ source: e.from, target: e.to, label: texts[k].length * CHARACTER })));
    this.drawn = drawn; this.at = places; this.size = [width, height];
    const arrow = (id, kind) => svg("marker", { id, viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" },
      svg("path", { d: "M0,0.5L8,4L0,7.5z", class: kind }));
    this.lines = new Map(); this.circles = new Map();
    const under = edges.map((e, k) => this.line(e, paths[k]));
    const labels = edges.map((e, k) => paths[k].label && this.text(e, texts[k], paths[k].label));
    this.picture_ = svg("svg", { role: "group", "aria-label": "Control-flow automaton", class: "graph", viewBox: `0 0 ${f(width)} ${f(height)}` },
      svg("defs", {}, arrow("arrow", "head"), arrow("arrow-path", "head-path")), under, labels,
      ids.map((id) => this.circle(id, places.get(id), drawn)));
    clear(this.canvas, this.picture_);
    this.paint();
  }

  line(edge, path) {
    const node = svg("path", { d: curve(path.points, 15), class: "edge", "marker-end": "url(#arrow)" });
    this.lines.set(edge.id, node);
    return node;
  }

  text(edge, text, { x, y }) {
    const whole = edge.text || this.source.text(edge.file, edge.line);
    return svg("g", { class: "edge-label", dataset: { edge: edge.id }, on: { click: () => this.bus.emit("place", { file: edge.file, line: edge.line }) } },
      svg("title", { text: whole }),
      svg("rect", { x: f(x - (text.length * CHARACTER) / 2 - 4), y: f(y - 9), width: f(text.length * CHARACTER + 8), height: "18", rx: "4" }),
      svg("text", { x: f(x), y: f(y + 4), "text-anchor": "middle", text }));
  }

  circle(id, { x, y }, drawn) {
    const x_ = this.places.get(id);
    const kind = id === this.picture.initial ? " initial" : id === this.picture.error ? " error" : this.heads.has(id) ? " loop-head" : "";
    const more = [...x_.out, ...x_.into].some((e) => !drawn.has(e.to) || !drawn.has(e.from)) ? " more" : "";
    const w = 30 + 8 * Math.max(0, String(id).length - 2);
    const node = svg("g", { class: `node${kind}${more}`, tabindex: "0", role: "button", dataset: { location: id },
      transform: `translate(${f(x)},${f(y)})`, "aria-label": this.describe(id), on: {
        click: () => this.choose(id),
        keydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); this.choose(id); } },
      } }, svg("title", { text: this.describe(id) }),
    svg("rect", { x: -w / 2, y: -15, width: w, height: 30, rx: id === this.picture.error ? 6 : 15 }),
    svg("text", { y: "4.5", "text-anchor": "middle", text: id }));
    this.circles.set(id, node);
    return node;
  }

  describe(id) {
    const x = this.places.get(id);
    const role = id === this.picture.initial ? ", start" : id === this.picture.error ? ", error" : this.heads.has(id) ? ", loop" : "";
    return `Location ${id}${x.line > 0 ? `, line ${x.line}` : ""}${role}`;
  }

  /** Choose a location here: show it and its line. */
  choose(id) {
    const x = this.places.get(id);
    this.show(id);
    if (x.line > 0) this.bus.emit("place", { file: x.file, line: x.line });
  }

  /** Show a location; those at the same line are marked, too. */
  show(id, others = []) {
    this.selected = id;
    this.others = new Set(others);
    if (!this.node.isConnected || this.node.offsetParent === null) { this.stale = true; return; }
    if (!this.drawn?.has(id) || (this.places.size > WHOLE && this.circles.get(id)?.classList.contains("more"))) this.draw();
    else this.paint();
    this.center(id);
  }

  /** The view is seen now: draw what has changed meanwhile. */
  shown() {
    if (this.drawn === undefined) { this.draw(); this.fit(); } else if (this.stale) { this.show(this.selected, this.others ?? []); }
    this.stale = false;
  }

  atLine({ file, line }) {
    const ids = this.byLine.get(`${file}:${line}`) ?? [];
    if (ids.length > 0) this.show(ids[0], ids);
    return ids;
  }

  /** Mark the edges of a path, and the edge that is taken now. */
  follow(edges, now) {
    this.path = edges; this.now = now;
    const edge = this.edges.get(now);
    if (edge !== undefined) this.show(edge.to);
  }

  paint() {
    for (const [id, line] of this.lines) {
      line.classList.toggle("path", this.path.has(id));
      line.classList.toggle("now", id === this.now);
      line.setAttribute("marker-end", this.path.has(id) ? "url(#arrow-path)" : "url(#arrow)");
    }
    for (const [id, node] of this.circles) {
      node.classList.toggle("chosen", id === this.selected);
      node.classList.toggle("beside", this.others?.has(id) === true && id !== this.selected);
      node.classList.toggle("noted", this.notes.has(id));
    }
    const x = this.places.get(this.selected);
    if (x === undefined) return;
    const note = this.notes.get(x.id);
    clear(this.about, el("strong", { text: this.describe(x.id) }), x.line > 0 && el("code", { class: "muted", text: this.source.text(x.file, x.line) }),
      note && el("code", { class: "about-note", text: note }));
  }

  scale(zoom) {
    this.zoom = Math.max(0.15, Math.min(zoom, 2.5));
    this.picture_?.style.setProperty("width", `${this.size[0] * this.zoom}px`);
    this.picture_?.style.setProperty("height", `${this.size[1] * this.zoom}px`);
  }

  fit() {
    if (this.size === undefined) return;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    this.scale(Math.max(0.6, Math.min(1.1, w / this.size[0], h / this.size[1])));
    this.center(this.selected);
  }

  center(id) {
    const at = this.at?.get(id);
    this.scale(this.zoom);
    if (at === undefined) return;
    this.canvas.scrollLeft = at.x * this.zoom - this.canvas.clientWidth / 2;
    this.canvas.scrollTop = at.y * this.zoom - this.canvas.clientHeight / 2;
  }
}
