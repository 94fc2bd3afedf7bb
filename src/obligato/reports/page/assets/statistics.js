// What the run was and what it cost.

const CARDS = [["wall_s", "wall time", " s"], ["cpu_s", "processor time", " s"], ["peak_mb", "peak memory", " MB"], ["solver_calls", "solver calls", ""],
  ["solver_s", "in solvers", " s"], ["frames", "frames", ""], ["lemmas", "lemmas", ""], ["obligations", "obligations", ""]];
const STAGES = { read: "read the input", inline: "inline", reduce: "reduce", control: "recover control flow", blocks: "large blocks", seeds: "seed invariants",
  prove: "prove", lift: "lift the claim", check: "check the claim", report: "report" };

function statisticsView(data) {
  const { stats } = data;
  const known = new Set(["stages_s", "calls", "portfolio", "solvers", ...CARDS.map(([name]) => name)]);
  const rest = Object.entries(stats).filter(([name]) => !known.has(name));
  return el("div", { class: "statistics scroll" },
    data.reason && el("p", { class: "reason" }, el("strong", { text: "Reason: " }), el("span", { text: data.reason })),
    el("div", { class: "cards" }, CARDS.filter(([name]) => name in stats).map(([name, title, unit]) => el("div", { class: "card" }, el("strong", { text: figure(stats[name]) + unit }), el("span", { class: "muted", text: title })))),
    stats.stages_s && bars("Where the time went", Object.entries(stats.stages_s).map(([name, s]) => [STAGES[name] ?? name, s]), " s"),
    stats.calls && Object.keys(stats.calls).length > 0 && bars("Solver calls by purpose", Object.entries(stats.calls), ""),
    stats.portfolio && table("Engines", ["engine", "ended", "cpu_s", "peak_mb"], stats.portfolio.members ?? []),
    rest.length > 0 && list("Counters", rest.map(([name, value]) => [name.replaceAll("_", " "), figure(value)])),
    list("Run", [["engine", data.engine], data.preset && ["preset", data.preset], ["seed", data.seed], ["property", data.property], ["file", data.file],
      stats.solvers && ["solvers", stats.solvers.join(", ")]].filter(Boolean)),
    data.notes.length > 0 && el("section", {}, el("h2", { text: "Notes" }), el("ul", { class: "notes" }, data.notes.map((text) => el("li", { text })))),
    el("details", { class: "options" }, el("summary", { text: "Options" }), el("dl", { class: "facts" }, Object.entries(data.options).map(([name, value]) => fact(name, figure(value))))),
    !data.complete && el("p", { class: "muted", text: "To stay small this page leaves parts out; the JSON report has everything." }));
}

function figure(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1);
  if (value !== null && typeof value === "object") return JSON.stringify(value);
  return String(value);
}

function bars(title, rows, unit) {
  const most = Math.max(...rows.map(([, value]) => value), 1e-9);
  return el("section", {}, el("h2", { text: title }), el("table", { class: "bars" }, el("tbody", {}, rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row", text: name }),
    el("td", { class: "bar-cell" }, el("span", { class: "bar", style: { width: `${Math.max(0.5, (100 * value) / most)}%` } })), el("td", { class: "number", text: figure(value) + unit }))))));
}

const list = (title, rows) => el("section", {}, el("h2", { text: title }), el("dl", { class: "facts" }, rows.map(([name, value]) => fact(name, value))));

function table(title, columns, rows) {
  return el("section", {}, el("h2", { text: title }), el("table", { class: "grid" }, el("thead", {}, el("tr", {}, columns.map((c) => el("th", { text: c.replaceAll("_", " ") })))),
    el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((c) => el("td", { text: c in row ? figure(row[c]) : "" })))))));
}
