// Waveforms of the runs of systems: a row for each signal, a column for each step; only what is seen is drawn.

const CELL = { height: 30, name: 190, least: 34 };

/** The signals of a trace: streams where there are some, else inputs and state. Each: name, kind, values. */
function signalsOf(trace, picture) {
  if (trace.streams.length > 0) return trace.streams;
  const inputs = new Map(), state = new Map();
  const sorts = picture?.variables ?? {};
  const names = new Set(picture?.inputs ?? []);
  const now = new Map(Object.entries({ ...trace.initial, ...trace.start }));
  trace.steps.forEach((step, n) => {
    for (const [name, value] of Object.entries({ ...(step.skipped?.set ?? {}), ...(step.set ?? {}) })) now.set(name, value);
    for (const [name, value] of now) at(state, name)[n] = value;
    for (const [name, value] of Object.entries(step.in ?? {})) at(inputs, name)[n] = value;
  });
  const made = (kind) => ([name, values]) => ({ kind, name: sorts[name]?.[1] ?? name, values: Array.from(values, (v) => v ?? ""), sort: sorts[name]?.[0] ?? "" });
  return [...[...inputs].map(made("input")), ...[...state].filter(([name]) => !names.has(name)).map(made("state"))];
}

function at(map, name) {
  if (!map.has(name)) map.set(name, []);
  return map.get(name);
}

const isBit = (s) => s.values.every((v) => /^(true|false)$/i.test(v) || ((s.sort === "(_ BitVec 1)" || s.sort === "Bool") && (v === "0" || v === "1" || v === "")));
const high = (value) => value.toLowerCase() === "true" || value === "1";

/** A word in another base; what is no whole number of a known width stays as it is. */
function based(value, base, sort) {
  const width = /BitVec (\d+)/.exec(sort ?? "")?.[1];
  if (base === 10 || !/^-?\d+$/.test(value) || width === undefined) return value;
  const number = BigInt.asUintN(Number(width), BigInt(value));
  return base === 16 ? `0x${number.toString(16).padStart(Math.ceil(width / 4), "0")}` : number.toString(2).padStart(Number(width), "0");
}

class Waveform {
  constructor(trace, picture, go) {
    this.trace = trace; this.go = go; this.step = 0; this.base = 10;
    this.all = signalsOf(trace, picture);
    this.all.forEach((s) => { s.bit = isBit(s); });
    this.numbers = trace.numbers ?? trace.steps.map((_, n) => n + 1);
    this.filter = el("input", { type: "search", placeholder: "Filter signals", "aria-label": "Filter signals", on: { input: () => this.choose() } });
    this.changing = el("input", { type: "checkbox", on: { change: () => this.choose() } });
    const words = this.all.some((s) => /BitVec/.test(s.sort ?? ""));
    this.bases = el("select", { "aria-label": "Base of words", on: { change: () => { this.base = Number(this.bases.value); this.measure(); } } },
      [[10, "decimal"], [16, "hexadecimal"], [2, "binary"]].map(([value, text]) => el("option", { value, text })));
    this.space = el("div", { class: "wave-space" });
    this.drawing = svg("svg", { class: "wave", role: "img", "aria-label": "Waveform" });
    this.names = el("div", { class: "wave-names" });
    this.view = el("div", { class: "wave-view", tabindex: "0", role: "region", "aria-label": "Waveform", on: {
      scroll: () => this.draw(),
      click: (e) => {
        const x = e.clientX - this.view.getBoundingClientRect().left + this.view.scrollLeft - CELL.name;
        if (x >= 0 && e.target.closest(".wave-names") === null) this.go(Math.min(this.trace.steps.length - 1, Math.floor(x / this.width)));
      },
    } }, this.space, this.drawing, this.names);
    this.count = el("h3");
    this.node = el("div", { class: "waveform" },
      el("div", { class: "part-head" }, this.count, el("span", { class: "grow" }), el("label", { class: "check" }, this.changing, "changing only"),
        words && this.bases, this.filter), this.view);
    new ResizeObserver(() => this.measure()).observe(this.view);
    this.choose();
  }

  choose() {
    const wanted = this.filter.value.toLowerCase();
    this.signals = this.all.filter((s) => s.name.toLowerCase().includes(wanted) && (!this.changing.checked || s.values.some((v) => v !== s.values[0])));
    this.count.textContent = `${plural(this.signals.length, "signal")}, ${plural(this.trace.steps.length, "step")}`;
    this.measure();
  }

  /** Columns are as wide as the longest value needs, and wider where there is room. */
  measure() {
    const longest = Math.max(1, ...this.signals.slice(0, 200).filter((s) => !s.bit).map((s) => Math.max(...s.values.slice(0, 200).map((v) => based(v, this.base, s.sort).length))));
    const room = (this.view.clientWidth - CELL.name - 24) / this.trace.steps.length;
    this.width = Math.max(CELL.least, Math.min(140, longest * 7.2 + 18), Math.min(100, room));
    this.space.style.setProperty("width", `${CELL.name + this.width * this.trace.steps.length + 24}px`);
    this.space.style.setProperty("height", `${CELL.height * (this.signals.length + 1) + 8}px`);
    this.draw();
  }

  show(step) {
    this.step = step;
    const x = step * this.width, seen = this.view.clientWidth - CELL.name;
    if (seen > 0 && (x < this.view.scrollLeft || x + this.width > this.view.scrollLeft + seen)) this.view.scrollLeft = x - seen / 2;
    this.draw();
  }

  draw() {
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = this.view;
    if (clientHeight === 0) return;
    const [first, last] = [Math.floor(scrollLeft / this.width), Math.min(this.trace.steps.length, Math.ceil((scrollLeft + clientWidth - CELL.name) / this.width) + 1)];
    const [top, bottom] = [Math.floor(scrollTop / CELL.height), Math.min(this.signals.length, Math.ceil((scrollTop + clientHeight) / CELL.height))];
    const x = (n) => CELL.name + n * this.width - scrollLeft;
    const y = (n) => (n + 1) * CELL.height - scrollTop;
    const parts = [], height = Math.min(clientHeight, y(bottom));
    const { loop } = this.trace;
    if (loop !== null && loop !== undefined) {
      const from = this.numbers.findIndex((n) => n > loop);
      parts.push(svg("rect", { class: "wave-loop", x: f(x(from)), y: 0, width: f(this.width * (this.trace.steps.length - from)), height }));
    }
    parts.push(svg("rect", { class: "wave-cursor", x: f(x(this.step)), y: 0, width: f(this.width), height }));
    for (let n = top; n < bottom; n += 1) {
      const s = this.signals[n];
      parts.push(svg("line", { class: "wave-rule", x1: 0, x2: clientWidth, y1: f(y(n) + CELL.height), y2: f(y(n) + CELL.height) }));
      parts.push(s.bit ? this.bit(s, first, last, x, y(n)) : this.word(s, first, last, x, y(n)));
    }
    parts.push(svg("rect", { class: "wave-head", x: 0, y: 0, width: clientWidth, height: CELL.height }));
    for (let n = first; n < last; n += 1) {
      const looping = loop !== null && loop !== undefined && this.numbers[n] > loop;
      parts.push(svg("text", { class: `wave-number${n === this.step ? " now" : ""}${looping ? " looping" : ""}`, x: f(x(n) + this.width / 2), y: 19, "text-anchor": "middle",
        text: `${looping && this.numbers[n] === loop + 1 ? "↻ " : ""}${this.numbers[n] - 1}` }));
    }
    this.drawing.setAttribute("viewBox", `0 0 ${clientWidth} ${clientHeight}`);
    for (const [name, value] of [["width", clientWidth], ["height", clientHeight], ["left", scrollLeft], ["top", scrollTop]]) {
      this.drawing.style.setProperty(name, `${value}px`);
      if (name !== "width") this.names.style.setProperty(name, `${value}px`);
    }
    clear(this.drawing, parts);
    clear(this.names, this.signals.slice(top, bottom).map((s, k) => el("div", { class: "wave-name", title: visible(s.name),
      style: { top: `${y(top + k)}px`, height: `${CELL.height}px` } },
    el("span", { class: `dot ${s.kind}`, title: s.kind }), el("code", { text: s.name }))));
  }

  bit(s, first, last, x, y) {
    const level = (n) => y + (high(s.values[n]) ? 7 : CELL.height - 7);
    let d = "";
    for (let n = first; n < last; n += 1) {
      if (s.values[n] === undefined || s.values[n] === "") continue;
      d += d === "" ? `M${f(x(n))},${level(n)}` : `V${level(n)}`;
      d += `H${f(x(n + 1))}`;
    }
    return svg("path", { class: `wave-bit ${s.kind}`, d });
  }

  word(s, first, last, x, y) {
    const parts = [], [up, low, middle] = [y + 6, y + CELL.height - 6, y + CELL.height / 2];
    for (let n = first; n < last;) {
      let end = n + 1;
      while (end < last && s.values[end] === s.values[n]) end += 1;
      const [a, b] = [x(n), x(end)];
      const text = based(s.values[n] ?? "", this.base, s.sort), room = Math.floor((b - a - 10) / 7.2);
      parts.push(svg("path", { class: `wave-word ${s.kind}`, d: `M${f(a)},${middle}L${f(a + 4)},${up}H${f(b - 4)}L${f(b)},${middle}L${f(b - 4)},${low}H${f(a + 4)}z` }));
      const start = Math.max(a, CELL.name);
      if (text !== "") parts.push(svg("text", { class: "wave-value", x: f((start + b) / 2), y: f(middle + 4), "text-anchor": "middle",
        text: text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text }, svg("title", { text })));
      n = end;
    }
    return parts.length === 1 ? parts[0] : svg("g", {}, parts);
  }
}
