// A layered drawing of a directed graph [Sugiyama, Tagawa, Toda 1981]: layers, order within layers, places.
// Every edge passes a place of its own in each layer between its ends; the first of them carries the label.

const SIZES = { node: 30, label: 20, gapX: 14, gapLayer: 12 };

/**
 * @param nodes [{id, width}] in their order, the first one on top
 * @param edges [{source, target, label (width in pixels, 0 for none)}]
 * @returns {places: Map id -> {x, y}, paths: [{points, label: {x, y} | null}] for each edge, width, height}
 */
function layered(nodes, edges) {
  const graph = new Layers(nodes, edges);
  graph.assign();
  graph.thread();
  graph.order();
  graph.place();
  return graph.result();
}

class Layers {
  constructor(nodes, edges) {
    this.nodes = nodes; this.edges = edges;
    this.index = new Map(nodes.map((n, k) => [n.id, k]));
    this.items = nodes.map((n) => ({ width: n.width, up: [], down: [], layer: 0, x: 0 }));
  }

  /** Back edges of a depth-first search are turned round; a node's layer is its longest distance from the top. */
  assign() {
    const out = this.nodes.map(() => []);
    this.edges.forEach((e, k) => out[this.index.get(e.source)].push(k));
    const state = new Uint8Array(this.nodes.length), order = [];
    this.turned = this.edges.map((e) => e.source === e.target);
    for (let root = 0; root < this.nodes.length; root += 1) {
      if (state[root] !== 0) continue;
      const stack = [[root, 0]];
      state[root] = 1;
      while (stack.length > 0) {
        const top = stack[stack.length - 1], k = out[top[0]][top[1]];
        if (k === undefined) { state[top[0]] = 2; order.push(top[0]); stack.pop(); continue; }
        top[1] += 1;
        const target = this.index.get(this.edges[k].target);
        if (state[target] === 1) this.turned[k] = true;
        else if (state[target] === 0) { state[target] = 1; stack.push([target, 0]); }
      }
    }
    for (const n of order.reverse()) {
      for (const k of out[n]) {
        const target = this.index.get(this.edges[k].target);
        if (!this.turned[k]) this.items[target].layer = Math.max(this.items[target].layer, this.items[n].layer + 1);
      }
    }
    for (const item of this.items) item.layer *= 2; // every second layer has labels only
  }

  /** Give each edge its places in the layers between its ends. */
  thread() {
    this.chains = this.edges.map((e, k) => {
      let [a, b] = [this.items[this.index.get(e.source)], this.items[this.index.get(e.target)]];
      if (this.turned[k]) [a, b] = [b, a];
      const self = e.source === e.target, chain = [a];
      const last = self ? a.layer + 2 : b.layer;
      for (let layer = a.layer + 1; layer < last; layer += 1) chain.push(this.added(layer, self ? 26 : 8, this.turned[k]));
      if (!self) chain.push(b);
      const carrier = chain[this.turned[k] ? chain.length - (self ? 1 : 2) : 1];
      if (e.label > 0) carrier.width = Math.max(carrier.width, e.label + 10);
      for (let n = 1; n < chain.length; n += 1) { chain[n - 1].down.push(chain[n]); chain[n].up.push(chain[n - 1]); }
      return { chain, carrier, self };
    });
    this.layers = [];
    for (const item of this.items) (this.layers[item.layer] ??= []).push(item);
    this.layers = Array.from(this.layers, (layer) => layer ?? []);
  }

  added(layer, width, back) {
    const item = { width, up: [], down: [], layer, x: 0, bend: true, back: Number(back) };
    this.items.push(item);
    return item;
  }

  /** Sort layers by the mean place of their neighbours, downwards and upwards, from several first orders; the one with fewest
   * crossings is kept. Edges that go back up are best all on one side. */
  order() {
    const first = this.layers.map((layer) => [...layer]);
    const side = (sign) => first.map((layer) => [...layer].sort((a, b) => sign * ((b.back ?? 0) - (a.back ?? 0))));
    let best = null, fewest = Infinity;
    for (const start of [side(1), side(-1), first.map((layer) => [...layer].reverse())]) {
      this.layers = start;
      for (const layer of this.layers) layer.forEach((item, n) => { item.n = n; });
      for (let round = 0; round < 8 && fewest > 0; round += 1) {
        this.sweep(round % 2 === 0);
        this.exchange();
        const crossings = this.crossings();
        if (crossings < fewest) { fewest = crossings; best = this.layers.map((layer) => [...layer]); }
      }
    }
    this.layers = best ?? first;
  }

  sweep(down) {
    for (const layer of down ? this.layers : [...this.layers].reverse()) {
      for (const item of layer) {
        const near = down ? item.up : item.down;
        item.key = near.length > 0 ? near.reduce((sum, x) => sum + x.n, 0) / near.length : item.n;
      }
      layer.sort((a, b) => a.key - b.key || a.n - b.n).forEach((item, n) => { item.n = n; });
    }
  }

  /** Exchange neighbours in a layer while that saves crossings. */
  exchange() {
    const between = (a, b) => {
      let count = 0;
      for (const side of ["up", "down"]) for (const x of a[side]) for (const y of b[side]) count += x.n > y.n ? 1 : x.n < y.n ? -1 : 0;
      return count;
    };
    for (let changed = true, rounds = 0; changed && rounds < 8; rounds += 1) {
      changed = false;
      for (const layer of this.layers) {
        for (let n = 1; n < layer.length; n += 1) {
          const [a, b] = [layer[n - 1], layer[n]];
          if (between(a, b) > 0) { [layer[n - 1], layer[n]] = [b, a]; [a.n, b.n] = [n, n - 1]; changed = true; }
        }
      }
    }
  }

  crossings() {
    let count = 0;
    for (const layer of this.layers) {
      const ends = layer.flatMap((item) => item.down.map((x) => x.n).sort((a, b) => a - b));
      for (let a = 0; a < ends.length; a += 1) for (let b = a + 1; b < ends.length; b += 1) if (ends[b] < ends[a]) count += 1;
    }
    return count;
  }

  /** Move items towards their neighbours; those of a layer keep their order and distance. */
  place() {
    for (const layer of this.layers) spread(layer, layer.map(() => [0, 1]));
    const pull = (a, b) => (a.bend && b.bend ? 8 : a.bend || b.bend ? 2 : 1); // long edges are to be straight
    for (let round = 0; round < 40; round += 1) {
      const down = round % 2 === 0;
      for (const layer of down ? this.layers : [...this.layers].reverse()) {
        spread(layer, layer.map((item) => {
          const near = round < 8 ? (down ? item.up : item.down) : [...item.up, ...item.down];
          const weight = near.reduce((sum, x) => sum + pull(item, x), 0);
          return weight > 0 ? [near.reduce((sum, x) => sum + pull(item, x) * x.x, 0) / weight, weight] : [item.x, 0.1];
        }));
      }
    }
    const left = Math.min(...this.items.map((i) => i.x - i.width / 2));
    for (const item of this.items) item.x -= left - 16;
    let y = 24;
    for (const layer of this.layers) {
      const height = layer.some((i) => !i.bend) ? SIZES.node : SIZES.label;
      for (const item of layer) item.y = y + height / 2;
      y += height + SIZES.gapLayer;
    }
    this.height = y + 12;
    this.width = Math.max(...this.items.map((i) => i.x + i.width / 2)) + 16;
  }

  result() {
    const places = new Map(this.nodes.map((n, k) => [n.id, { x: this.items[k].x, y: this.items[k].y }]));
    const paths = this.chains.map(({ chain, carrier, self }, k) => {
      const points = chain.map(({ x, y, bend }) => ({ x, y, bend }));
      if (self) points.push({ ...points[0] });
      if (this.turned[k] && !self) points.reverse();
      return { points, label: this.edges[k].label > 0 ? { x: carrier.x, y: carrier.y } : null };
    });
    return { places, paths, width: this.width, height: this.height };
  }
}

/** Place the items of a layer as near as possible to where they want to be (weighted least squares, by pooling neighbours). */
function spread(layer, wanted) {
  const pools = [];
  let offset = 0;
  layer.forEach((item, n) => {
    if (n > 0) offset += (layer[n - 1].width + item.width) / 2 + SIZES.gapX;
    item.offset = offset;
    const [x, weight] = wanted[n];
    pools.push({ sum: (x - offset) * weight, weight, count: 1 });
    while (pools.length > 1) {
      const b = pools[pools.length - 1], a = pools[pools.length - 2];
      if (a.sum / a.weight <= b.sum / b.weight) break;
      pools.splice(-2, 2, { sum: a.sum + b.sum, weight: a.weight + b.weight, count: a.count + b.count });
    }
  });
  let n = 0;
  for (const pool of pools) for (let k = 0; k < pool.count; k += 1, n += 1) layer[n].x = pool.sum / pool.weight + layer[n].offset;
}

/** A smooth path through points, for the attribute `d`; it leaves and enters nodes below and above. */
function curve(points, radius) {
  const from = points[0], to = points[points.length - 1];
  const upwards = to.y < from.y;
  const start = { x: from.x, y: from.y + (upwards && !looped(points) ? -radius : radius) };
  const end = { x: to.x, y: to.y + (upwards && !looped(points) ? radius : -radius) };
  if (looped(points)) {
    const side = points[1];
    return `M${f(from.x + radius - 3)},${f(from.y + 8)} C${f(side.x + 14)},${f(side.y + 8)} ${f(side.x + 14)},${f(from.y - 14)} ${f(from.x + radius)},${f(from.y - 4)}`;
  }
  const all = [start, ...points.slice(1, -1), end];
  const slope = (n) => { // at a point where the path turns back it is vertical
    const [before, after] = [all[n - 1], all[n + 1]];
    if (before === undefined || after === undefined || (all[n].x - before.x) * (after.x - all[n].x) <= 0) return 0;
    return (after.x - before.x) / (after.y - before.y);
  };
  let d = `M${f(start.x)},${f(start.y)}`;
  for (let n = 1; n < all.length; n += 1) {
    const a = all[n - 1], b = all[n], third = (b.y - a.y) / 2.5;
    d += ` C${f(a.x + slope(n - 1) * third)},${f(a.y + third)} ${f(b.x - slope(n) * third)},${f(b.y - third)} ${f(b.x)},${f(b.y)}`;
  }
  return d;
}

const looped = (points) => points.length > 2 && points[0].x === points[points.length - 1].x && points[0].y === points[points.length - 1].y;
const f = (number) => Math.round(number * 10) / 10;
