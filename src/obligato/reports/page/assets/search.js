// The state of a search after each of its events: frontier, lemmas in frames, obligations. No drawing here.

const EVERY = 100; // events between two states that are kept

/** The state of a search; `apply` takes it one event further. */
class SearchState {
  constructor(reuse) {
    this.reuse = reuse; this.frontier = 0; this.engine = "";
    this.lemmas = new Map(); // by location and cube
    this.obligations = new Map(); // by number; those that are open, or wait for a later frontier
    this.touched = null; // the lemma or obligation that the last event is about
    this.chain = []; // obligations from the last one that meets the initial states to the violation
  }

  copy() {
    const other = Object.assign(new SearchState(this.reuse), this);
    other.lemmas = new Map([...this.lemmas].map(([key, x]) => [key, { ...x }]));
    other.obligations = new Map([...this.obligations].map(([key, x]) => [key, { ...x }]));
    other.chain = this.chain.map((o) => other.obligations.get(o.number) ?? o);
    return other;
  }

  begin() {
    this.lemmas.clear(); this.obligations.clear(); this.chain = []; this.frontier = 0;
  }

  apply(e) {
    this.touched = null;
    if (e.event !== "counterexample" && e.event !== "refinement") this.chain = [];
    (APPLY[e.event] ?? (() => {}))(this, e);
  }
}

const keyOf = (e) => `${e.location ?? ""}/${(e.cube ?? []).join(",")}`;

const APPLY = {
  search(s, e) { s.begin(); s.engine = e.engine; },
  frontier(s, e) {
    if (e.k <= s.frontier) s.begin();
    s.frontier = e.k;
    if (!s.reuse) s.obligations.clear();
  },
  bound(s, e) { s.frontier = e.k; },
  gap(s, e) {
    s.begin();
    s.frontier = e.k;
    for (const { location, level, cube } of e.lemmas) s.lemmas.set(keyOf({ location, cube }), { location, level, cube });
    for (const o of e.obligations) APPLY.obligation(s, o);
    s.touched = null;
  },
  obligation(s, e) {
    const o = { number: e.number, parent: e.parent, location: e.location, level: e.level ?? e.position, depth: e.depth ?? 0, cube: e.cube ?? [] };
    s.obligations.set(e.number ?? keyOf(e), o);
    s.touched = o;
  },
  blocked(s, e) { s.touched = s.obligations.get(e.number) ?? null; },
  requeue(s, e) {
    const o = s.obligations.get(e.number);
    if (o === undefined) return;
    o.level = e.level;
    s.touched = o;
    if (e.level > s.frontier && !s.reuse) s.obligations.delete(e.number);
  },
  lemma(s, e) {
    const cube = e.cube ?? e.lemma ?? [];
    const lemma = { location: e.location, cube, level: e.level ?? e.node ?? 0, formula: e.formula };
    s.lemmas.set(e.formula ?? keyOf({ location: e.location, cube }), lemma);
    s.touched = lemma;
  },
  push(s, e) {
    const lemma = s.lemmas.get(keyOf(e)) ?? { location: e.location, cube: e.cube };
    s.lemmas.set(keyOf(e), lemma);
    lemma.from = lemma.level;
    lemma.level = e.level;
    s.touched = lemma;
  },
  drop(s, e) { s.lemmas.delete(keyOf(e)); },
  counterexample(s, e) {
    s.chain = [];
    for (let o = s.obligations.get(e.number); o !== undefined && s.chain.length < 1000; o = s.obligations.get(o.parent)) s.chain.push(o);
    s.touched = s.chain[0] ?? null;
  },
  refinement(s) { s.obligations.clear(); },
};

/** The states of a whole search; near ones are asked for one after the other, so some are kept. */
class SearchHistory {
  constructor(events, reuse) {
    this.events = events;
    this.kept = [new SearchState(reuse)]; // kept[n] is the state before event n * EVERY
    this.now = this.kept[0].copy();
    this.at = -1; // the last event that is in `now`
  }

  /** The state after event n. */
  after(n) {
    if (n < this.at || n - this.at > 2 * EVERY) {
      const k = Math.min(Math.floor(n / EVERY), this.kept.length - 1); // one before n: the event n says what it touches
      this.now = this.kept[k].copy();
      this.at = k * EVERY - 1;
    }
    while (this.at < n) {
      this.at += 1;
      this.now.apply(this.events[this.at]);
      if ((this.at + 1) % EVERY === 0 && this.kept.length === (this.at + 1) / EVERY) this.kept.push(this.now.copy());
    }
    return this.now;
  }
}

const KINDS = {
  obligation: "Obligation", blocked: "Blocked", lemma: "Lemma", push: "Push", drop: "Drop", requeue: "Again", frontier: "Frontier",
  search: "Search", counterexample: "Counterexample", proved: "Proved", refinement: "Refinement", refine: "Refinement", bound: "Bound",
  node: "Node", cover: "Cover", uncover: "Uncover", cut: "Cut", gap: "Left out", predicates: "Predicates", skeleton: "Skeleton",
  stem: "Stem", wall: "Wall", accelerate: "Accelerate", trigger: "Refinement", caf: "Failure", laf: "Failure",
};

const where = (e) => (e.location === undefined || e.location === null ? "" : ` at location ${e.location}`);

/** An event as a sentence. `size` is the number of literals of the obligation that it blocks. */
const SENTENCES = {
  search: (e) => `A search by ${e.engine} begins.`,
  frontier: (e) => `The frontier is F${e.k} now.`,
  bound: (e) => `Runs of length ${e.k} are looked at.`,
  obligation: (e) => (e.number === undefined
    ? `A state${where(e)}${e.position === undefined ? "" : `, at position ${e.position} of the path,`} leads to a violation and is to be blocked.` : e.parent === null || e.parent === undefined
    ? `Some state${where(e)} leads to a violation: obligation ${e.number} is to be blocked at level ${e.level}.`
    : `A state${where(e)} of F${e.level} steps into obligation ${e.parent}: obligation ${e.number} is to be blocked at level ${e.level} first.`),
  blocked: (e, size) => `Obligation ${e.number} has no predecessor in F${e.level - 1}. ${size === undefined ? "" : e.cube.length < size ? `Of its ${size} literals ${e.cube.length} suffice.` : size > 1 ? `All its ${size} literals are needed.` : "It has one literal only."}`,
  lemma: (e) => `A lemma${where(e)}${e.level === undefined ? "" : ` holds up to F${e.level}`}.`,
  push: (e) => `A lemma${where(e)} holds one step later, too: it moves up to F${e.level}.`,
  drop: (e) => `A lemma${where(e)} is implied by a stronger one and is dropped.`,
  requeue: (e) => `Obligation ${e.number} is asked again at level ${e.level}.`,
  counterexample: (e) => `Obligation ${e.number} meets the initial states: its chain is a counterexample.`,
  proved: (e) => `F${e.level} equals F${e.level + 1}: an inductive invariant is found.`,
  refinement: (e) => `The counterexample of ${e.length} steps is spurious: ${plural(e.predicates?.length ?? 0, "new predicate")}.`,
  refine: (e) => `A path is spurious: ${plural(e.predicates?.length ?? 0, "predicate")}${where(e)}.`,
  node: (e) => `Node ${e.node}${where(e)} is added${e.parent ? ` below node ${e.parent}` : ""}.`,
  cover: (e) => (e.by?.length === 0 ? `Node ${e.node} has no successor along an edge.` : `Node ${e.node} is covered by ${[e.by].flat().join(", ")}.`),
  uncover: (e) => `Node ${e.node} is not covered by node ${e.by} any more.`,
  cut: (e) => `${plural(e.nodes, "node")} below node ${e.node} are cut off.`,
  gap: (e) => `${plural(e.omitted, "event")} are left out here; frames and obligations are those after them${e.hidden > 0 ? `, without ${e.hidden.toLocaleString("en")} older ones` : ""}.`,
};

function sentence(e, size) {
  const made = SENTENCES[e.event];
  if (made !== undefined) return made(e, size);
  const facts = Object.entries(e).filter(([name, value]) => name !== "event" && typeof value !== "object").map(([name, value]) => `${name} ${value}`);
  return `${KINDS[e.event] ?? e.event}${facts.length > 0 ? `: ${facts.join(", ")}` : ""}.`;
}
