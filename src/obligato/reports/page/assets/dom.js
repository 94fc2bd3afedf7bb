// Making elements. Texts of the input enter the page here only, as text nodes; nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `props`: `class`, `text`, `on` (listeners by event), `dataset`, `style` (properties); others are attributes. */
function el(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** An SVG element; as `el`. */
function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.append(visible(value));
    else if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/** Text with control characters, and those that change the direction of text, made visible. */
function visible(value) {
  return String(value).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  });
}

function clear(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", forward: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z", pause: "M4 3h3v10H4zM9 3h3v10H9z", plus: "M7 3h2v4h4v2H9v4H7V9H3V7h4z", minus: "M3 7h10v2H3z",
  fit: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z",
  help: "M7 11h2v2H7zM8 2.5A3.3 3.3 0 0 0 4.7 5.8h2a1.3 1.3 0 1 1 1.9 1.2C7.5 7.6 7 8.3 7 9.5V10h2v-.4c0-.6.3-.9 1-1.3A3.2 3.2 0 0 0 8 2.5z",
};

function icon(name) {
  return svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

function iconButton(name, label, action, props = {}) {
  return el("button", { type: "button", class: "icon", "aria-label": label, title: label, ...props, on: { click: action } }, icon(name));
}

/** A list of many rows of one height, of which only those that are seen exist. `render(n)` makes the row n. */
class Rows {
  constructor(label, height, render, choose) {
    this.label = label; this.height = height; this.render = render; this.count = 0; this.marked = -1;
    this.body = el("div", { class: "rows-body", role: "presentation" });
    this.node = el("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": label, on: {
      scroll: () => this.draw(),
      click: (event) => {
        const row = event.target.closest("[data-row]");
        if (row !== null) choose(Number(row.dataset.row));
      },
    } }, this.body);
    new ResizeObserver(() => this.draw(true)).observe(this.node);
  }

  fill(count) {
    this.count = count;
    this.body.style.setProperty("height", `${count * this.height}px`);
    this.draw(true);
  }

  /** Mark a row and bring it into view. */
  mark(n) {
    this.marked = n;
    this.node.setAttribute("aria-activedescendant", `${this.label}-${n}`);
    const top = n * this.height, seen = this.node.clientHeight;
    if (seen > 0 && n >= 0 && (top < this.node.scrollTop + this.height || top + 2 * this.height > this.node.scrollTop + seen)) {
      this.node.scrollTop = top - seen / 2;
    }
    this.draw(true);
  }

  draw(always = false) {
    const seen = this.node.clientHeight;
    if (seen === 0) return;
    const first = Math.max(0, Math.floor(this.node.scrollTop / this.height) - 8);
    const last = Math.min(this.count, Math.ceil((this.node.scrollTop + seen) / this.height) + 8);
    if (!always && this.first === first && this.last === last) return;
    this.first = first; this.last = last;
    const rows = [];
    for (let n = first; n < last; n += 1) {
      const row = this.render(n);
      row.classList.add("row");
      row.dataset.row = n;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(n === this.marked));
      row.id = `${this.label}-${n}`;
      row.style.setProperty("top", `${n * this.height}px`);
      row.style.setProperty("height", `${this.height}px`);
      rows.push(row);
    }
    this.body.replaceChildren(...rows);
  }
}

/** Buttons and a slider over the numbers 0 to `count` - 1. */
class Transport {
  constructor(what, count, move, extra = []) {
    this.count = count; this.move = move; this.at = -1;
    this.slider = el("input", { type: "range", class: "grow", min: "0", max: String(Math.max(0, count - 1)), value: "0",
      "aria-label": `${what} to show`, on: { input: () => move(Number(this.slider.value)) } });
    const button = (name, label, to) => iconButton(name, label, () => move(to()));
    this.buttons = [
      button("first", `First ${what}`, () => 0), button("back", `Previous ${what}`, () => this.at - 1),
      button("forward", `Next ${what}`, () => this.at + 1), button("last", `Last ${what}`, () => this.count - 1),
    ];
    const [first, back, forward, last] = this.buttons;
    this.label = el("span", { class: "transport-label", "aria-live": "polite" });
    this.node = el("div", { class: "transport", role: "group", "aria-label": `Go through the ${what}s` },
      first, back, ...extra, forward, last, this.slider, this.label);
  }

  show(at, label) {
    this.at = at;
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", label);
    this.label.textContent = label;
    const [first, back, forward, last] = this.buttons;
    first.disabled = back.disabled = at <= 0;
    forward.disabled = last.disabled = at >= this.count - 1;
  }
}

/** What the parts of a page tell each other, by name. */
class Bus {
  constructor() { this.listeners = new Map(); }
  on(name, listener) { this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]); }
  emit(name, value) { for (const listener of this.listeners.get(name) ?? []) listener(value); }
}

/** Switch between the theme of the system, the light one and the dark one. */
function themeButton() {
  const themes = ["system", "light", "dark"];
  const button = iconButton("theme", "Theme: system", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? "system") + 1) % 3];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    button.setAttribute("aria-label", `Theme: ${next}`);
    button.title = `Theme: ${next}`;
    document.dispatchEvent(new Event("theme"));
  });
  return button;
}

const readData = () => JSON.parse(document.getElementById("data").textContent);
const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
