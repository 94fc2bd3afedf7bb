// The error path: steps, values at each step, marks in the source.

/** The values that hold after each step of a trace, asked for one step at a time. */
class Values {
  constructor(trace) { this.trace = trace; }

  /** Each variable with a value in step n: what it is, whether the step sets or changes it, what it was before. */
  at(n) {
    if (this.trace.streams.length > 0) return this.ofStreams(n);
    const now = new Map(Object.entries(this.trace.start));
    let before = new Map();
    for (let k = 0; k <= n; k += 1) {
      const step = this.trace.steps[k];
      for (const [name, value] of Object.entries(step.skipped?.set ?? {})) now.set(name, value);
      if (k === n) before = new Map(now);
      for (const [name, value] of Object.entries(step.set ?? {})) now.set(name, value);
    }
    const step = this.trace.steps[n], set = step.set ?? {};
    const nameless = ([name]) => Number(name.startsWith("memory$"));
    return [...now].sort((a, b) => nameless(a) - nameless(b)).map(([name, value]) => ({
      name, value, set: name in set, input: name in set && Boolean(step.call),
      changed: name in set && before.get(name) !== value, before: before.get(name),
    }));
  }

  ofStreams(n) {
    return this.trace.streams.map(({ kind, name, values }) => {
      const changed = n > 0 && values[n] !== values[n - 1];
      return { name, value: values[n] ?? "", set: changed, input: kind === "input", changed, before: n > 0 ? values[n - 1] : undefined };
    });
  }

  /** What a step of a system changes, as a text; in the first step all that it has. */
  changes(n) {
    const { steps } = this.trace, before = n > 0 ? steps[n - 1].in ?? {} : {};
    const inputs = this.trace.streams.length > 0 ? [] : Object.entries(steps[n].in ?? {}).filter(([name, value]) => before[name] !== value);
    const state = this.trace.streams.length > 0 ? this.ofStreams(n).filter((v) => v.changed || n === 0).map((v) => [v.name, v.value]) : Object.entries(steps[n].set ?? {});
    return [...state, ...inputs].slice(0, 12).map(([name, value]) => `${name} = ${value}`).join(", ");
  }
}

/** The path of a trace; `system`: it is a run of a transition system, whose steps count from 0 and have inputs. */
class PathView {
  constructor(trace, system, source, bus) {
    this.trace = trace; this.system = system; this.source = source; this.bus = bus;
    this.values = new Values(trace);
    this.numbers = trace.numbers ?? trace.steps.map((_, n) => n + 1);
    this.list = new Rows("Steps", 26, (n) => this.row(n), (n) => this.go(n));
    this.transport = new Transport("step", trace.steps.length, (n) => this.go(n));
    this.table = el("tbody");
    this.filter = el("input", { type: "search", placeholder: "Filter values", "aria-label": "Filter values", on: { input: () => this.showValues() } });
    this.onlyChanged = el("input", { type: "checkbox", on: { change: () => this.showValues() } });
    this.node = el("div", { class: "path" },
      el("div", { class: "path-steps" }, el("div", { class: "part-head" }, el("h3", { text: this.title() })), this.list.node, this.end()),
      el("div", { class: "path-values" },
        el("div", { class: "part-head" }, this.caption = el("h3", { text: "Values" }), el("span", { class: "grow" }),
          el("label", { class: "check" }, this.onlyChanged, "changed only"), this.filter),
        el("div", { class: "scroll" }, el("table", { class: "values" },
          el("thead", {}, el("tr", {}, el("th", { text: "Name" }), el("th", { text: "Value" }), el("th", { text: "Before" }))), this.table))));
    this.list.fill(trace.steps.length);
    this.visits = this.count();
  }

  title() {
    const { length, loop } = this.trace;
    return loop === null || loop === undefined ? plural(length, "step") : `${plural(loop, "step")}, then ${length - loop} again and again`;
  }

  end() {
    return this.trace.violation ? el("p", { class: "violated" }, el("span", { class: "chip bad", text: "violated" }), el("span", { text: this.trace.violation })) : null;
  }

  /** How often the path passes each line. */
  count() {
    const visits = new Map();
    for (const s of this.trace.steps) if (s.at) visits.set(s.at.join(":"), (visits.get(s.at.join(":")) ?? 0) + 1);
    return visits;
  }

  row(n) {
    const s = this.trace.steps[n], { loop } = this.trace;
    const looping = loop !== null && loop !== undefined && this.numbers[n] > loop;
    const repeat = this.trace.repeats.find(([start, end]) => this.numbers[n] > start && this.numbers[n] <= end);
    const text = this.system ? this.values.changes(n) || "nothing changes" : s.text || (s.at ? this.source.text(...s.at) : "");
    return el("div", { class: `step${n === this.trace.steps.length - 1 && !looping ? " last" : ""}${looping ? " looping" : ""}` },
      el("span", { class: "step-number", text: this.numbers[n] - (this.system ? 1 : 0) }),
      s.at && el("span", { class: "step-line", text: s.at[1] }),
      el("code", { class: "step-text", text, title: visible(text) }),
      s.skipped && el("span", { class: "chip", text: `${s.skipped.steps} steps before left out` }),
      s.from && !text.includes(" from ") && el("span", { class: "chip", text: s.from.length ? `from ${s.from.map((k) => k + 1).join(", ")}` : "fact" }),
      repeat && el("span", { class: "chip loop", text: `× ${repeat[2]}` }),
      looping && this.numbers[n] === loop + 1 && el("span", { class: "chip loop", text: "loop" }),
      s.call && el("span", { class: "chip input", text: "input" }));
  }

  /** Show the step n, everywhere. */
  go(n) {
    this.at = Math.max(0, Math.min(n, this.trace.steps.length - 1));
    const s = this.trace.steps[this.at];
    this.list.mark(this.at);
    const number = this.numbers[this.at] - (this.system ? 1 : 0);
    this.transport.show(this.at, `Step ${number} of ${this.trace.length - (this.system ? 1 : 0)}`);
    this.caption.textContent = `Values ${this.system ? "in" : "after"} step ${number}`;
    this.showValues();
    if (s.at) {
      this.source.reveal(...s.at);
      this.source.mark("here", [s.at]);
      const set = this.system ? [] : Object.entries(s.set ?? {}).slice(0, 6).map(([name, value]) => `${name} = ${value}`);
      this.source.values(s.at[1], set.join("   "));
    }
    this.bus.emit("step", { step: this.at, edge: s.edge });
  }

  /** Mark the path in the file that is open. */
  paint() {
    const places = [...this.visits.keys()].map((key) => key.split(":").map(Number));
    this.source.mark("on-path", places);
    const last = this.trace.steps[this.trace.steps.length - 1];
    this.source.mark("error-line", last?.at ? [last.at] : []);
  }

  showValues() {
    const step = this.trace.steps[this.at ?? 0], wanted = this.filter.value.toLowerCase();
    const fits = (name) => name.toLowerCase().includes(wanted);
    const rows = this.values.at(this.at ?? 0).filter((v) => fits(v.name) && (!this.onlyChanged.checked || v.set));
    const inputs = this.system && this.trace.streams.length === 0 ? Object.entries(step?.in ?? {}).filter(([name]) => fits(name)) : [];
    const shown = rows.slice(0, 400);
    clear(this.table,
      inputs.slice(0, 400).map(([name, value]) => this.valueRow({ name, value, input: true, before: undefined, changed: this.inputBefore(name) !== value })),
      shown.map((v) => this.valueRow(v)),
      rows.length > shown.length && el("tr", {}, el("td", { colspan: "3", class: "muted", text: `${rows.length - shown.length} more; filter them by name` })),
      rows.length + inputs.length === 0 && el("tr", {}, el("td", { colspan: "3", class: "muted", text: "No variable has a value that matters here." })));
  }

  inputBefore(name) { return this.at > 0 ? this.trace.steps[this.at - 1].in?.[name] : undefined; }

  valueRow(v) {
    return el("tr", { class: v.changed ? "changed" : "" },
      el("td", {}, el("code", { text: v.name }), v.input && el("span", { class: "chip input", text: "input" })),
      el("td", {}, el("code", { text: v.value }), v.changed && el("span", { class: "only-read", text: " (changed)" })),
      el("td", { class: "muted" }, v.changed && v.before !== undefined ? el("code", { text: v.before }) : ""));
  }

  /** The next step at a line, after the one that is shown. */
  goToLine({ file, line }) {
    const n = this.trace.steps.length;
    for (let k = 1; k <= n; k += 1) {
      const next = (this.at + k) % n, at = this.trace.steps[next].at;
      if (at && at[0] === file && at[1] === line) { this.go(next); return; }
    }
  }
}
