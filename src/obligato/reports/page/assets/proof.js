// A proof: the invariants, at their lines and as a list; and for branching time the tree that explains a formula.

/** The parts of a conjunction at its top in C or Lustre, for one line each. */
function conjuncts(text) {
  const parts = [];
  let depth = 0, from = 0;
  for (let n = 0; n < text.length; n += 1) {
    if (text[n] === "(") depth += 1;
    else if (text[n] === ")") depth -= 1;
    else if (depth === 0 && (text.startsWith(" && ", n) || text.startsWith(" and ", n))) {
      parts.push(text.slice(from, n));
      from = n + (text[n + 1] === "&" ? 4 : 5);
      n = from - 1;
    } else if (depth === 0 && (text.startsWith(" || ", n) || text.startsWith(" ? ", n) || text.startsWith(" or ", n) || text.startsWith(" => ", n))) return [text];
  }
  parts.push(text.slice(from));
  return parts.map(unwrapped);
}

/** Without the parentheses around all of it. */
function unwrapped(text) {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (let n = 0; n < text.length - 1; n += 1) {
    depth += text[n] === "(" ? 1 : text[n] === ")" ? -1 : 0;
    if (depth === 0) return text;
  }
  return text.slice(1, -1);
}

const FORMS = {
  inductive: "An inductive invariant: it holds at the start, every step keeps it, and it excludes the error.",
  "k-inductive": "A k-inductive invariant: it holds in the first k steps, and after k steps in which it held it holds again.",
  bounds: "All runs end: none makes more passages between loops than the bound says.",
  walls: "Walls that every infinite run stops crossing, within an inductive invariant.",
  saved: "No state recurs on a fair loop.", counted: "No run has more rounds of fair steps than the bound says.",
  model: "A model of the relations: a formula for each makes all clauses true.",
  contracts: "A contract for each procedure; x@entry is x when the procedure was entered.",
  branching: "Bounds of sets of states that decide the formula.",
};

class ProofView {
  constructor(certificate, source, bus) {
    this.certificate = certificate; this.source = source; this.bus = bus;
    this.all = el("input", { type: "checkbox", on: { change: () => { this.annotate(); this.list(); } } });
    const c = certificate, rest = c.invariants.some((i) => !i.head);
    this.toggle = rest && c.invariants.some((i) => i.at) ? el("label", { class: "check" }, this.all, "all locations") : null;
    this.items = el("ol", { class: "invariants" });
    this.node = el("div", { class: "proof scroll" },
      el("p", { class: "lead", text: FORMS[c.kind] ?? c.kind }),
      el("dl", { class: "facts" },
        fact("Kind", c.k > 1 ? `${c.kind}, k = ${c.k}` : c.kind), c.index && fact("For every", `${c.index[0]} of sort ${c.index[1]}`),
        fact("Checked by", c.checker || "the checker without a query"), fact("Independent", c.independent ? "yes: other solvers than the engine's" : "the engine's own solver among them"),
        fact("Check took", `${c.check_time_s.toFixed(2)} s`)),
      this.items, c.hidden > 0 && el("p", { class: "muted", text: `${plural(c.hidden, "invariant")} left out; the JSON report has all.` }),
      c.witness && el("section", {}, el("h2", { text: "Why, in one initial state" }), witnessTree(c.witness)));
    this.list();
  }

  chosen() { return this.certificate.invariants.filter((i) => i.head || this.all.checked || !i.at); }

  list() {
    clear(this.items, this.chosen().map((i) => el("li", { class: "invariant-item" },
      i.at ? el("button", { type: "button", class: "plain", text: `line ${i.at[1]}`, on: { click: () => { this.bus.emit("location", i.location); } } })
        : el("strong", { text: i.name === "state" ? "in every state" : i.name }),
      i.head && i.at && el("span", { class: "chip loop", text: "loop" }), formula(i))));
  }

  /** Put the invariants before their lines in the file that is open. */
  annotate() {
    for (const old of this.source.body.querySelectorAll(".note")) old.remove();
    for (const i of this.chosen()) {
      if (i.at && i.at[0] === this.source.file) {
        this.source.note(i.at[1], el("div", { class: `note${i.head ? " head" : ""}`, dataset: { location: i.location } },
          el("span", { class: "note-mark", "aria-label": i.head ? "Invariant of the loop" : "Invariant", text: "⊢" }), formula(i)));
      }
    }
  }
}

/** A formula by its conjuncts, the first ones at once and the rest on demand. */
function formula(invariant) {
  const parts = invariant.parts ?? conjuncts(invariant.text);
  const item = (part) => el("li", {}, el("code", { text: part === "1" ? "true" : part })); // 1: C's way to claim nothing
  const list = el("ul", { class: "formula" }, parts.slice(0, 8).map(item));
  if (parts.length > 8) {
    const more = el("li", {}, el("button", { type: "button", class: "plain", text: `${parts.length - 8} more conjuncts`,
      on: { click: (e) => { e.stopPropagation(); more.replaceWith(...parts.slice(8).map(item)); } } }));
    list.append(more);
  }
  return list;
}

const fact = (name, value) => [el("dt", { text: name }), el("dd", { text: value })];

function witnessTree(tree) {
  const steps = tree.path.slice(0, 200).map((step, n) => el("li", { class: n === tree.loop ? "loop-start" : "" },
    el("span", { class: "step-number", text: n + 1 }), el("code", { text: pairs(step.state) || "as before" }),
    Object.keys(step.inputs).length > 0 && el("code", { class: "muted", text: `by ${pairs(step.inputs)}` }),
    n === tree.loop && el("span", { class: "chip loop", text: "loop" })));
  return el("details", { class: "tree", open: true },
    el("summary", {}, el("code", { text: tree.formula }), el("span", { class: `badge ${tree.holds ? "true" : "false"}`, text: tree.holds ? "true" : "false" }), el("span", { class: "muted", text: tree.because })),
    steps.length > 0 && el("ol", { class: "tree-path" }, steps, tree.path.length > 200 && el("li", { class: "muted", text: `${tree.path.length - 200} more` })),
    tree.parts.map((part) => witnessTree(part)));
}

const pairs = (values) => Object.entries(values).map(([name, value]) => `${name} = ${value}`).join(", ");
