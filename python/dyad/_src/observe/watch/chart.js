const SVG = "http://www.w3.org/2000/svg";
const DASHES = ["", "5 4", "1.5 3.5", "9 3 2 3"];

function svg(name, attributes = {}, parent = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const colour = (number) => `var(--s${number % 8})`;

/** What all charts share: the axis, the smoothing, the part that is zoomed to, and where the pointer is. */
const view = { axis: "step", smoothing: 0.6, range: null, hover: null, hidden: new Set() };

/** A card with curves of one or several tags in all runs. */
class Chart {
  constructor(store, spec, onChange) {
    Object.assign(this, { store, spec, onChange, tags: [], logarithmic: Boolean(spec.logarithmic) });
    this.heading = html("h3", {}, spec.title);
    if (spec.unit) this.heading.append(html("small", {}, spec.unit));
    this.value = html("span", { class: "value" });
    this.logButton = html("button", { "aria-pressed": String(this.logarithmic), title: "Logarithmic scale" }, "log");
    this.plot = svg("svg", { class: "plot", role: "img", "aria-label": spec.title });
    this.legend = html("div", { class: "legend" });
    const head = html("header", {}, this.heading, this.value, this.logButton);
    this.element = html("article", { class: `card ${spec.size || ""}`, "data-chart": spec.id }, head, this.plot, this.legend);
    this.logButton.onclick = () => {
      this.logarithmic = !this.logarithmic;
      this.logButton.setAttribute("aria-pressed", String(this.logarithmic));
      this.draw();
    };
    this.followPointer();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The curves to draw: one for each tag of each run that is shown. */
  curves() {
    const runs = this.store.runs.map((_, run) => run).filter((run) => !view.hidden.has(run));
    const several = this.store.runs.length > 1;
    const found = [];
    this.tags.forEach((tag, place) => {
      for (const run of runs) {
        const series = this.store.series("scalar", tag, run);
        if (!series) continue;
        const label = this.spec.label ? this.spec.label(tag) : tag;
        const name = !several ? label : this.tags.length > 1 ? `${this.store.runs[run]} · ${label}` : this.store.runs[run];
        found.push({
          name,
          label,
          tag: place,
          colour: colour(several ? run : place),
          dash: several ? DASHES[place % DASHES.length] : "",
          xs: view.axis === "step" ? series.steps : series.times.map((time) => time - this.store.began[run]),
          raw: series.values,
          ys: this.spec.smooth ? smoothed(this.capped(series.values), view.smoothing) : series.values,
        });
      }
    });
    return found;
  }

  /** The values without peaks that would flatten all others, as the time of a first step that compiles. */
  capped(values) {
    if (!this.spec.robust || values.length < 5) return values;
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
    const cap = 3 * sorted[Math.floor(0.9 * (sorted.length - 1))];
    return values.map((value) => Math.min(value, cap));
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!width) return;
    const height = this.spec.height || 190;
    this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.plot.setAttribute("height", height);
    this.plot.replaceChildren();
    this.shownCurves = this.curves();
    this.scales(width, height);
    this.drawGrid(width, height);
    for (const curve of this.shownCurves) this.drawCurve(curve);
    this.layer = svg("g", {}, this.plot);
    this.drawLegend();
    this.drawHover();
  }

  scales(width, height) {
    const xs = this.shownCurves.flatMap((curve) => [curve.xs[0], curve.xs[curve.xs.length - 1]]);
    let [left, right] = view.range || [Math.min(...xs), Math.max(...xs)];
    if (!xs.length) [left, right] = [0, 1];
    if (left === right) right = left + 1;
    const [low, high] = this.heights(left, right);
    this.y = new Scale(low, high, height - 22, 8, this.logarithmic);
    const margin = Math.max(...this.y.ticks(5).map((tick) => shownShort(tick).length), 1) * 6.6 + 10;
    this.x = new Scale(left, right, margin, width - 8);
  }

  heights(left, right) {
    const seen = [];
    for (const curve of this.shownCurves) {
      const raw = this.capped(curve.raw);
      curve.xs.forEach((x, i) => {
        if (x < left || x > right) return;
        for (const y of [raw[i], curve.ys[i]]) if (Number.isFinite(y) && (!this.logarithmic || y > 0)) seen.push(y);
      });
    }
    if (!seen.length) return [this.logarithmic ? 0.1 : 0, 1];
    let low = seen.reduce((a, b) => Math.min(a, b));
    const high = seen.reduce((a, b) => Math.max(a, b));
    if (this.spec.fromZero && !this.logarithmic) low = Math.min(0, low);
    if (low === high) return this.logarithmic ? [low / 2, high * 2] : [low - (Math.abs(low) / 2 || 0.5), high + (Math.abs(high) / 2 || 0.5)];
    if (this.logarithmic) return [low / (high / low) ** 0.04, high * (high / low) ** 0.04];
    const room = (high - low) * 0.05;
    return [low === 0 ? 0 : low - room, high + room];
  }

  drawGrid(width, height) {
    for (const tick of this.y.ticks(5)) {
      const y = this.y.at(tick);
      svg("line", { class: "gridline", x1: this.x.from, x2: width - 8, y1: y, y2: y }, this.plot);
      svg("text", { x: this.x.from - 7, y: y + 4, "text-anchor": "end" }, this.plot).textContent = shownShort(tick);
    }
    const steps = view.axis === "step";
    for (const tick of this.x.ticks(Math.max(2, Math.floor(width / 110)), steps)) {
      const text = svg("text", { x: this.x.at(tick), y: height - 5, "text-anchor": "middle" }, this.plot);
      text.textContent = steps ? shownShort(tick) : duration(tick);
      const half = text.textContent.length * 3.3;
      if (this.x.at(tick) + half > width) text.setAttribute("text-anchor", "end"), text.setAttribute("x", width);
    }
    const id = `clip-${this.spec.id}`;
    const clip = svg("clipPath", { id }, this.plot);
    svg("rect", { x: this.x.from, y: 0, width: Math.max(0, width - this.x.from), height: height - 20 }, clip);
    this.curvesLayer = svg("g", { "clip-path": `url("#${CSS.escape(id)}")` }, this.plot);
  }

  drawCurve(curve) {
    const style = { stroke: curve.colour, "stroke-dasharray": curve.dash };
    if (curve.ys !== curve.raw) {
      svg("path", { class: "curve raw", d: this.path(curve.xs, curve.raw), ...style }, this.curvesLayer);
    }
    const d = this.path(curve.xs, curve.ys);
    svg("path", { class: "curve", d, "data-points": curve.xs.length, ...style }, this.curvesLayer);
    if (curve.xs.length < 2 || this.spec.dots) {
      curve.xs.forEach((x, i) => {
        if (!Number.isFinite(curve.ys[i]) || curve.xs.length > 60) return;
        svg("circle", { cx: this.x.at(x), cy: this.y.at(curve.ys[i]), r: 2.5, fill: curve.colour }, this.curvesLayer);
      });
    }
  }

  /** The line through the points; of many in one column of pixels the lowest and the highest. */
  path(xs, ys) {
    const parts = [];
    let pen = "M";
    let column = null;
    const flush = () => {
      if (!column) return;
      const ends = column.low === column.high ? [column.last] : column.lowFirst ? [column.low, column.high] : [column.high, column.low];
      for (const y of ends) parts.push(`${pen}${column.x} ${y.toFixed(1)}`), (pen = "L");
      column = null;
    };
    for (let i = 0; i < xs.length; ++i) {
      if (!Number.isFinite(ys[i]) || (this.logarithmic && ys[i] <= 0)) {
        flush();
        pen = "M";
        continue;
      }
      const x = this.x.at(xs[i]).toFixed(xs.length > 2000 ? 0 : 1);
      const y = this.y.at(ys[i]);
      if (column && column.x === x) {
        if (y < column.low) (column.low = y), (column.lowFirst = false);
        if (y > column.high) (column.high = y), (column.lowFirst = true);
        column.last = y;
      } else {
        flush();
        column = { x, low: y, high: y, last: y, lowFirst: true };
      }
    }
    flush();
    return parts.join("");
  }

  drawLegend() {
    const names = new Map();
    if (this.tags.length > 1 && this.tags.length <= 6) {
      for (const curve of this.shownCurves) if (!names.has(curve.label)) names.set(curve.label, curve);
    }
    this.legend.replaceChildren(
      ...[...names].map(([label, curve]) => {
        const line = svg("svg");
        const stroke = this.store.runs.length > 1 ? "var(--soft)" : curve.colour;
        svg("line", { x1: 0, x2: 16, y1: 1.5, y2: 1.5, stroke, "stroke-width": 2, "stroke-dasharray": curve.dash }, line);
        return html("span", {}, line, label);
      }),
    );
  }

  /** What is at the pointer, wherever on the page it is; the newest values if it is nowhere. */
  drawHover() {
    if (!this.layer) return;
    this.layer.replaceChildren();
    const at = view.hover;
    const first = this.shownCurves[0];
    this.value.replaceChildren();
    if (!first) return;
    const index = at === null ? first.xs.length - 1 : nearest(first.xs, at);
    this.value.append(shown(first.raw[index]));
    if (at === null || at < this.x.low || at > this.x.high) return;
    const x = this.x.at(at);
    svg("line", { class: "cursor", x1: x, x2: x, y1: this.y.to, y2: this.y.from }, this.layer);
    for (const curve of this.shownCurves) {
      const i = nearest(curve.xs, at);
      if (!Number.isFinite(curve.ys[i]) || this.shownCurves.length > 12) continue;
      const place = { cx: this.x.at(curve.xs[i]), cy: this.y.at(curve.ys[i]), r: 3.2, fill: curve.colour };
      svg("circle", { ...place, stroke: "var(--card)", "stroke-width": 1.5 }, this.layer);
    }
  }

  /** Rows for the tooltip: the values of all curves at a place, largest first where they are many. */
  rowsAt(at) {
    const rows = this.shownCurves.map((curve) => {
      const i = nearest(curve.xs, at);
      return { colour: curve.colour, name: curve.name, x: curve.xs[i], value: curve.raw[i], smooth: curve.ys[i] };
    });
    if (rows.length > 12) rows.sort((a, b) => b.value - a.value);
    return rows.slice(0, 12);
  }

  followPointer() {
    let began = null;
    const place = (event) => event.clientX - this.plot.getBoundingClientRect().left;
    this.plot.addEventListener("pointermove", (event) => {
      if (!this.x || !this.shownCurves.length) return;
      const pixel = Math.min(Math.max(place(event), this.x.from), this.x.to);
      view.hover = this.x.number(pixel);
      this.onChange("hover");
      if (began !== null) {
        const [a, b] = [Math.min(began, pixel), Math.max(began, pixel)];
        svg("rect", { class: "zoom", x: a, width: b - a, y: this.y.to, height: this.y.from - this.y.to }, this.layer);
      }
      showTooltip(event, this.rowsAt(view.hover), Boolean(this.spec.smooth && view.smoothing));
    });
    this.plot.addEventListener("pointerleave", () => {
      view.hover = null;
      hideTooltip();
      this.onChange("hover");
    });
    this.plot.addEventListener("pointerdown", (event) => {
      if (!this.x || event.button) return;
      began = Math.min(Math.max(place(event), this.x.from), this.x.to);
      this.plot.setPointerCapture(event.pointerId);
    });
    this.plot.addEventListener("pointerup", (event) => {
      const end = began === null ? null : Math.min(Math.max(place(event), this.x.from), this.x.to);
      if (end !== null && Math.abs(end - began) > 6) {
        view.range = [this.x.number(Math.min(began, end)), this.x.number(Math.max(began, end))];
        this.onChange("range");
      }
      began = null;
    });
    this.plot.addEventListener("dblclick", () => {
      view.range = null;
      this.onChange("range");
    });
  }
}

function showTooltip(event, rows, isSmooth) {
  const tooltip = document.getElementById("tooltip");
  if (!rows.length) return;
  const at = view.axis === "step" ? `step ${minus(String(rows[0].x))}` : `after ${duration(rows[0].x)}`;
  const table = html("table");
  for (const row of rows) {
    const dot = html("i", { style: `background: ${row.colour}` });
    const value = shown(row.value, 5) + (isSmooth ? ` (${shown(row.smooth, 4)})` : "");
    table.append(html("tr", {}, html("td", {}, dot), html("td", { class: "name" }, row.name), html("td", {}, value)));
  }
  tooltip.replaceChildren(html("h4", {}, isSmooth ? `${at}: value (smoothed)` : at), table);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = event.clientX + 16 + width > innerWidth ? event.clientX - width - 16 : event.clientX + 16;
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 4))}px`;
}

function hideTooltip() {
  document.getElementById("tooltip").hidden = true;
}
