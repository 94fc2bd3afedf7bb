// The source: numbered lines with colours, the error path and the invariants at their lines.

const WORDS = {
  c: "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool",
  lustre: "node function returns var let tel assert assume guarantee contract import mode require ensure type const pre fby if then else and or not xor merge when current int real bool true false enum subrange of automaton state unless until do done",
  smv: "MODULE VAR IVAR FROZENVAR DEFINE ASSIGN INIT INVAR TRANS SPEC CTLSPEC LTLSPEC INVARSPEC FAIRNESS JUSTICE COMPASSION init next case esac boolean word signed unsigned TRUE FALSE process",
  ivl: "proc var assert assume if else while havoc return call int bool real true false array requires ensures",
  btor2: "sort state init next input constraint bad fair justice output bitvec array one ones zero const constd consth",
  smt: "declare-fun declare-const define-fun assert check-sat set-logic forall exists let and or not ite",
};
const COMMENTS = { c: "/\\*.*?(?:\\*/|$)|//.*", lustre: "--.*", smv: "--.*", ivl: "//.*", btor2: ";.*", smt: ";.*" };
const SUFFIX = { c: "c", i: "c", h: "c", lus: "lustre", smv: "smv", ivl: "ivl", btor2: "btor2", btor: "btor2", smt2: "smt", vmt: "smt", mcmt: "smt" };
const CHUNK = 100; // lines that are coloured together, when they are first seen

class Colours {
  constructor(file) {
    const language = SUFFIX[file.slice(file.lastIndexOf(".") + 1)];
    this.words = new Set((WORDS[language] ?? "").split(" "));
    const comment = COMMENTS[language] ?? "(?!)";
    this.pattern = new RegExp(`(${comment})|("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)|(\\b\\d[\\w.]*)|([A-Za-z_][\\w-]*)|(^\\s*#\\w+)`, "g");
    this.block = language === "c";
  }

  /** The line as nodes; `inside` says that it begins in a comment. Returns the nodes and whether the next line does. */
  line(text, inside) {
    const out = [];
    let from = 0;
    if (inside) {
      const end = text.indexOf("*/");
      if (end < 0) return [[el("span", { class: "k-comment", text })], true];
      from = end + 2;
      out.push(el("span", { class: "k-comment", text: text.slice(0, from) }));
    }
    let open = false;
    this.pattern.lastIndex = from;
    for (let m = this.pattern.exec(text); m !== null; m = this.pattern.exec(text)) {
      const kind = m[1] ? "comment" : m[2] ? "string" : m[3] ? "number" : m[5] ? "word" : this.words.has(m[4]) ? "word" : "";
      if (m[0] === "") { this.pattern.lastIndex += 1; continue; }
      if (kind === "") continue;
      if (m.index > from) out.push(visible(text.slice(from, m.index)));
      out.push(el("span", { class: `k-${kind}`, text: m[0] }));
      from = m.index + m[0].length;
      open = this.block && kind === "comment" && m[0].startsWith("/*") && !m[0].endsWith("*/");
    }
    if (from < text.length) out.push(visible(text.slice(from)));
    return [out, open];
  }
}

class SourcePane {
  constructor(data, bus) {
    this.data = data; this.bus = bus; this.file = -1; this.rows = new Map(); this.texts = new Map();
    this.found = []; this.current = null;
    this.body = el("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source", on: { click: (e) => this.clicked(e) } });
    this.select = el("select", { "aria-label": "File", on: { change: () => this.open(Number(this.select.value)) } },
      data.files.map((f, n) => el("option", { value: n, text: f.name })));
    this.find = el("input", { type: "search", placeholder: "Find in source", "aria-label": "Find in source", class: "find",
      on: { input: () => this.search(), keydown: (e) => { if (e.key === "Enter") this.nextFound(e.shiftKey ? -1 : 1); } } });
    this.hits = el("span", { class: "muted hits", role: "status" });
    const name = data.files.length > 1 ? this.select : el("h2", { class: "file-name", title: data.files[0].name, text: baseName(data.files[0].name) });
    this.extra = el("span", {});
    this.node = el("section", { class: "pane source-pane", "aria-label": "Source" },
      el("div", { class: "pane-head" }, name, el("span", { class: "grow" }), this.extra, this.hits, this.find), this.body);
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) { this.observer.unobserve(entry.target); this.colour(entry.target); }
    }, { root: this.body, rootMargin: "600px" });
  }

  /** Show a file: all its lines, and notes at some of them (`notes(file)`: [line, node] each). */
  open(file) {
    if (file === this.file) return;
    this.file = file;
    this.select.value = String(file);
    this.rows.clear();
    const source = this.data.files[file].source;
    this.body.replaceChildren();
    if (source === null || source.total === 0) {
      this.body.append(el("p", { class: "empty", text: source === null ? "There is no text to show: the file is binary, or was not there any more." : "The file is empty." }));
      return;
    }
    this.body.style.setProperty("--digits", String(String(source.total).length));
    let before = 0;
    for (const [start, lines] of source.runs) {
      if (start > before + 1) this.body.append(el("div", { class: "left-out", text: `${plural(start - before - 1, "line")} left out` }));
      for (let n = 0; n < lines.length; n += CHUNK) this.body.append(this.chunk(start + n, lines.slice(n, n + CHUNK)));
      before = start + lines.length - 1;
    }
    if (before < source.total) this.body.append(el("div", { class: "left-out", text: `${plural(source.total - before, "line")} left out` }));
    this.bus.emit("opened", file);
    this.search();
  }

  chunk(start, lines) {
    const node = el("div", { class: "chunk" });
    node.lines = lines;
    node.start = start;
    lines.forEach((text, k) => {
      const code = el("code", { class: "code", text });
      const row = el("div", { class: "line", dataset: { line: start + k } }, el("span", { class: "number", text: start + k }), code);
      this.rows.set(start + k, row);
      node.append(row);
    });
    this.observer.observe(node);
    return node;
  }

  /** Colour the lines of a chunk. Whether it begins inside a comment is seen from the lines before it. */
  colour(chunk) {
    const colours = new Colours(this.data.files[this.file].name);
    let inside = colours.block && this.inComment(chunk);
    chunk.lines.forEach((text, k) => {
      const [nodes, open] = colours.line(text, inside);
      inside = open;
      this.rows.get(chunk.start + k)?.querySelector(".code").replaceChildren(...nodes);
    });
  }

  inComment(chunk) {
    for (let before = chunk.previousElementSibling; before?.lines; before = before.previousElementSibling) {
      for (let k = before.lines.length - 1; k >= 0; k -= 1) {
        const open = before.lines[k].lastIndexOf("/*"), close = before.lines[k].lastIndexOf("*/");
        if (open >= 0 || close >= 0) return open > close;
      }
    }
    return false;
  }

  text(file, line) {
    for (const [start, lines] of this.data.files[file]?.source?.runs ?? []) {
      if (line >= start && line < start + lines.length) return lines[line - start].trim();
    }
    return "";
  }

  clicked(event) {
    const row = event.target.closest(".line");
    if (row !== null && String(window.getSelection()) === "") this.bus.emit("line", { file: this.file, line: Number(row.dataset.line) });
  }

  /** Give the lines of a file a class, and take it from all others. */
  mark(name, places) {
    for (const row of this.body.querySelectorAll(`.line.${name}`)) row.classList.remove(name);
    for (const [file, line] of places) if (file === this.file) this.rows.get(line)?.classList.add(name);
  }

  /** Bring a line into view, and open its file. */
  reveal(file, line) {
    this.open(file);
    const row = this.rows.get(line);
    if (!row) return;
    const seen = this.body.getBoundingClientRect(), at = row.getBoundingClientRect();
    if (at.top < seen.top + 60 || at.bottom > seen.bottom - 60) {
      this.body.scrollTop += at.top - seen.top - seen.height / 2;
    }
  }

  /** Put a note before a line. */
  note(line, node) { this.rows.get(line)?.before(node); }

  /** Show values behind a line. */
  values(line, text) {
    this.inline?.remove();
    this.inline = null;
    if (text === "") return;
    this.inline = el("span", { class: "inline-values", text });
    this.rows.get(line)?.append(this.inline);
  }

  search() {
    const wanted = this.find.value.toLowerCase();
    this.found = [];
    if (wanted !== "") {
      for (const [line, row] of this.rows) if (row.querySelector(".code").textContent.toLowerCase().includes(wanted)) this.found.push(line);
    }
    this.at = -1;
    this.mark("found", this.found.map((line) => [this.file, line]));
    this.hits.textContent = wanted === "" ? "" : plural(this.found.length, "line");
    if (this.found.length > 0) this.nextFound(1);
  }

  nextFound(by) {
    if (this.found.length === 0) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    this.hits.textContent = `${this.at + 1} of ${this.found.length}`;
    this.mark("found-here", [[this.file, this.found[this.at]]]);
    this.reveal(this.file, this.found[this.at]);
  }
}
