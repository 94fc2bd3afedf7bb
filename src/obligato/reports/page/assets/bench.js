// The page of a benchmark: facts, tables, plots, and all runs in a table that can be sorted and filtered.

const AT_ONCE = 300; // rows that are shown before more are asked for
const COLUMN = 0, STATUS = 1, CPU = 2, WALL = 3, MEMORY = 4, REASON = 5; // parts of a run

const solved = (run) => run !== null && (run[COLUMN] === "true" || run[COLUMN] === "false");
const CHOICES = {
  "all tasks": () => true,
  "solved by all": (t) => t.runs.every(solved),
  "solved by some": (t) => t.runs.some(solved),
  "solved by none": (t) => !t.runs.some(solved),
  "tools differ": (t) => t.runs.some(solved) && !t.runs.every(solved),
  wrong: (t) => t.runs.some((r) => r?.[COLUMN] === "wrong"),
  internal: (t) => t.runs.some((r) => r?.[COLUMN] === "internal"),
  timeout: (t) => t.runs.some((r) => r?.[COLUMN] === "timeout"),
  memory: (t) => t.runs.some((r) => r?.[COLUMN] === "memory"),
  refused: (t) => t.runs.some((r) => r?.[COLUMN] === "refused"),
  unknown: (t) => t.runs.some((r) => r?.[COLUMN] === "unknown"),
};

class BenchPage {
  constructor(data) {
    this.data = data; this.sorted = ["task", 1]; this.shown = AT_ONCE; this.opened = new Set();
    const wide = data.tables.map((t) => this.table(t));
    document.getElementById("app").append(
      el("header", { class: "top" }, el("h1", { text: data.title }), el("span", { class: "grow" }), el("span", { class: "brand", text: "Obligato" }), themeButton()),
      el("main", { class: "bench" },
        el("section", { class: "sheet" }, wide),
        data.plots.length > 0 && el("section", { class: "sheet plots" }, data.plots.map((p) => el("img", { src: p.image, alt: `Plot: ${p.name}` }))),
        el("section", { class: "sheet" }, el("div", { class: "tools" }, el("h2", { text: "Tasks" }), this.count = el("span", { class: "muted", role: "status" }), el("span", { class: "grow" }), this.filters()),
          el("div", { class: "wide" }, el("table", { class: "tasks" }, this.head = el("thead"), this.body = el("tbody"))), this.more = el("button", { type: "button", on: { click: () => { this.shown = Infinity; this.draw(); } } })),
        el("section", { class: "sheet" }, el("h2", { text: "About" }), el("dl", { class: "about-list" }, data.facts.map(([name, value]) => [el("dt", { text: name }), el("dd", {}, el("code", { text: value }))])))));
    this.named();
    window.addEventListener("hashchange", () => { this.named(); });
    this.draw();
  }

  table({ title, rows }) {
    return el("div", { class: "wide" }, el("table", { class: "summary" }, el("caption", { text: title }),
      el("thead", {}, el("tr", {}, ["", ...this.data.header].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, rows.map((row) => el("tr", { class: row[0] === "all" ? "sum" : "" }, row.map((text, n) => {
        const bad = ["wrong", "internal"].includes(this.data.header[n - 1]) && text !== "0";
        return el(n === 0 ? "th" : "td", { scope: n === 0 && "row", class: bad ? "bad" : text === "0" ? "nil" : "", text });
      }))))));
  }

  filters() {
    const changed = { on: { change: () => this.filter() } };
    this.find = el("input", { type: "search", placeholder: "Find a task or a reason", "aria-label": "Find a task or a reason", on: { input: () => this.filter() } });
    this.category = el("select", { "aria-label": "Category", ...changed }, el("option", { value: "", text: "all categories" }),
      [...new Set(this.data.tasks.map((t) => t.category))].sort().map((value) => el("option", { value, text: value || "-" })));
    this.expected = el("select", { "aria-label": "Expected verdict", ...changed }, [["", "any expected"], ["true", "expected true"], ["false", "expected false"]].map(([value, text]) => el("option", { value, text })));
    this.choice = el("select", { "aria-label": "Which tasks", ...changed }, Object.keys(CHOICES).map((value) => el("option", { value, text: value })));
    return [this.category, this.expected, this.choice, this.find];
  }

  filter() { this.shown = AT_ONCE; this.draw(); }

  /** A task that the address names (#task) is looked for and opened. */
  named() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!this.data.tasks.some((t) => t.name === name)) return;
    this.opened.add(name);
    this.find.value = name;
    this.filter();
  }

  chosen() {
    const wanted = this.find.value.toLowerCase(), fits = CHOICES[this.choice.value];
    return this.data.tasks.filter((t) => fits(t) && (this.category.value === "" || t.category === this.category.value)
      && (this.expected.value === "" || t.expected === this.expected.value)
      && (t.name.toLowerCase().includes(wanted) || t.runs.some((r) => r !== null && r[REASON].toLowerCase().includes(wanted))));
  }

  /** What a column sorts by: names as texts; a tool's runs by time, those without an answer after the others. */
  key(task, by) {
    if (by === "task") return task.name;
    if (by === "category" || by === "expected") return task[by];
    const run = task.runs[by];
    return run === null ? 4e9 : solved(run) ? run[CPU] : run[COLUMN] === "wrong" || run[COLUMN] === "internal" ? -1 : 2e9 + run[CPU];
  }

  draw() {
    const [by, direction] = this.sorted, tasks = this.chosen();
    tasks.sort((a, b) => { const [x, y] = [this.key(a, by), this.key(b, by)]; return direction * (x < y ? -1 : x > y ? 1 : 0); });
    clear(this.head, el("tr", {}, [["task", "task"], ["category", "category"], ["expected", "expected"], ...this.data.tools.map((t, n) => [n, t])].map(([key, text]) => this.title(key, text))));
    const rows = tasks.slice(0, this.shown).flatMap((t) => this.row(t));
    clear(this.body, rows, tasks.length === 0 && el("tr", {}, el("td", { colspan: String(3 + this.data.tools.length), class: "muted", text: "No task fits." })));
    this.count.textContent = tasks.length === this.data.tasks.length ? plural(tasks.length, "task") : `${tasks.length} of ${this.data.tasks.length}`;
    this.more.hidden = tasks.length <= this.shown;
    this.more.textContent = `Show all ${tasks.length}`;
  }

  title(key, text) {
    const [by, direction] = this.sorted, here = by === key;
    return el("th", { scope: "col", "aria-sort": here ? (direction > 0 ? "ascending" : "descending") : "none" },
      el("button", { type: "button", class: "sort", text: `${text}${here ? (direction > 0 ? " ↑" : " ↓") : ""}`, on: { click: () => { this.sorted = [key, here ? -direction : 1]; this.draw(); } } }));
  }

  row(task) {
    const open = this.opened.has(task.name);
    const toggle = () => { if (!this.opened.delete(task.name)) this.opened.add(task.name); this.draw(); };
    const line = el("tr", { class: open ? "open" : "" },
      el("th", { scope: "row" }, el("button", { type: "button", class: "plain name", "aria-expanded": String(open), text: task.name, on: { click: toggle } })),
      el("td", { class: "muted", text: task.category }), el("td", { text: task.expected }),
      task.runs.map((run) => (run === null ? el("td") : el("td", { class: "run", title: visible(run[REASON]) },
        el("span", { class: `badge ${run[COLUMN]}`, text: run[COLUMN] === "wrong" ? `wrong: ${run[STATUS]}` : run[STATUS] }), el("span", { class: "time", text: `${run[CPU].toFixed(1)} s` })))));
    return open ? [line, this.details(task)] : [line];
  }

  details(task) {
    const runs = task.runs.map((run, n) => run && [el("dt", { text: this.data.tools[n] }),
      el("dd", { text: `${run[STATUS]}, ${run[CPU].toFixed(2)} s processor time, ${run[WALL].toFixed(2)} s, ${run[MEMORY].toFixed(0)} MB${run[REASON] ? `: ${run[REASON]}` : ""}` })]);
    return el("tr", { class: "details" }, el("td", { colspan: String(3 + this.data.tools.length) }, el("dl", { class: "about-list" }, runs.flat()),
      el("p", {}, el("a", { href: task.file, text: "the task's file" }), " · ", el("a", { href: `#${encodeURIComponent(task.name)}`, text: "link to this task" }))));
  }
}

new BenchPage(readData());
document.documentElement.dataset.ready = "true";
