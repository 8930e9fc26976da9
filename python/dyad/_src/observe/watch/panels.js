/** A card with the newest histograms of a tag, one behind the other: the oldest at the back. */
class Ridges {
  constructor(store, tag) {
    Object.assign(this, { store, tag });
    this.value = html("span", { class: "value" });
    this.plot = svg("svg", { class: "plot", role: "img", "aria-label": `Histograms of ${tag}` });
    const name = tag.replace(/\/auto$/, "");
    const head = html("header", {}, html("h3", { title: name }, name), this.value);
    this.element = html("article", { class: "card", "data-chart": `histogram:${tag}` }, head, this.plot);
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.point(null));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** The series of the first run that is shown and has one. */
  series() {
    const runs = this.store.runs.map((_, run) => run).filter((run) => !view.hidden.has(run));
    for (const run of runs) {
      const series = this.store.series("histogram", this.tag, run);
      if (series) return { run, series };
    }
    return null;
  }

  draw() {
    const width = this.plot.clientWidth;
    if (!width) return;
    this.height = 200;
    this.plot.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.plot.setAttribute("height", this.height);
    this.plot.replaceChildren();
    const found = this.series();
    this.ridges = [];
    if (!found) return;
    const chosen = sampled(found.series, 22);
    const low = Math.min(...chosen.map(({ value }) => value[0]));
    const high = Math.max(...chosen.map(({ value }) => value[1][value[1].length - 1]));
    this.x = new Scale(low, high === low ? low + 1 : high, 8, width - 46);
    this.drawAxis(width);
    this.drawRidges(chosen, found.run, width);
    this.point(null);
  }

  drawAxis() {
    for (const tick of this.x.ticks(5)) {
      const x = this.x.at(tick);
      svg("line", { class: "gridline", x1: x, x2: x, y1: 6, y2: this.height - 22 }, this.plot);
      svg("text", { x, y: this.height - 5, "text-anchor": "middle" }, this.plot).textContent = shownShort(tick);
    }
  }

  drawRidges(chosen, run, width) {
    const tall = 62;
    const room = this.height - 24 - tall;
    const bins = 80;
    const densities = chosen.map(({ value }) => density(value, this.x.low, this.x.high, bins));
    // One peak, as of biases that begin at zero, must not flatten all others.
    const peaks = densities.map((each) => Math.max(...each)).sort((a, b) => a - b);
    const most = Math.min(peaks[peaks.length - 1], 2 * peaks[peaks.length >> 1]) || 1;
    chosen.forEach(({ step, value }, i) => {
      const base = tall + (chosen.length > 1 ? (room * i) / (chosen.length - 1) : room);
      const points = densities[i].map((d, bin) => {
        const x = this.x.from + ((bin + 0.5) / bins) * (this.x.to - this.x.from);
        return `${x.toFixed(1)} ${(base - Math.min(1.1, d / most) * (tall - 8)).toFixed(1)}`;
      });
      const d = `M${this.x.from} ${base}L${points.join("L")}L${this.x.to} ${base}`;
      const age = chosen.length > 1 ? i / (chosen.length - 1) : 1;
      const mixed = `color-mix(in srgb, ${colour(run)} ${Math.round(35 + 65 * age)}%, var(--line))`;
      const fill = `color-mix(in srgb, ${colour(run)} ${Math.round(8 + 30 * age)}%, var(--card))`;
      const path = svg("path", { class: "ridge", d, style: `stroke: ${mixed}; fill: ${fill}`, "fill-opacity": 0.88 }, this.plot);
      this.ridges.push({ step, value, base, path });
      if (i === 0 || i === chosen.length - 1) {
        svg("text", { x: width - 40, y: base + 4 }, this.plot).textContent = shownShort(step);
      }
    });
  }

  point(event) {
    if (!this.ridges || !this.ridges.length) return;
    let chosen = this.ridges[this.ridges.length - 1];
    if (event) {
      const y = event.clientY - this.plot.getBoundingClientRect().top;
      for (const ridge of this.ridges) if (Math.abs(ridge.base - 10 - y) < Math.abs(chosen.base - 10 - y)) chosen = ridge;
    }
    for (const ridge of this.ridges) ridge.path.setAttribute("stroke-width", event && ridge === chosen ? 2.5 : 1.25);
    const [low, limits] = chosen.value;
    const range = `${shown(low, 3)} … ${shown(limits[limits.length - 1], 3)}`;
    this.value.replaceChildren(html("small", {}, `step ${chosen.step}: ${range}`));
  }
}

/** So many of the values of a series, evenly over its length, the first and the last among them. */
function sampled(series, count) {
  const all = series.steps.map((step, i) => ({ step, value: series.values[i] })).filter(({ value }) => value[1].length);
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / (count - 1))]);
}

/** A histogram as the share of its elements in each of so many equal parts of an interval. */
function density([first, limits, counts], low, high, bins) {
  const found = new Array(bins).fill(0);
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const size = (high - low) / bins || 1;
  let left = first;
  counts.forEach((count, i) => {
    const right = limits[i];
    const from = Math.max(0, Math.min(bins - 1, Math.floor((left - low) / size)));
    const to = Math.max(0, Math.min(bins - 1, Math.floor((right - low) / size)));
    for (let bin = from; bin <= to && count; ++bin) {
      const a = Math.max(left, low + bin * size);
      const b = Math.min(right, low + (bin + 1) * size);
      const share = right > left ? Math.max(0, b - a) / (right - left) : 1 / (to - from + 1);
      found[bin] += (count / total) * share;
    }
    left = right;
  });
  return found;
}

/** A card with the pictures of a tag in one run; a slider goes back in time. */
class Pictures {
  constructor(store, tag, run) {
    Object.assign(this, { store, tag, run, follows: true });
    this.value = html("span", { class: "value" });
    this.picture = html("img", { alt: tag });
    this.slider = html("input", { type: "range", min: 0, step: 1, "aria-label": "Which step" });
    const name = html("h3", {}, tag.replace(/\/auto$/, "").replace(/_/g, " "));
    this.runName = html("small");
    name.append(this.runName);
    const frame = html("div", { class: "pictures" }, this.picture);
    this.element = html("article", { class: "card half", "data-chart": `image:${tag}` }, html("header", {}, name, this.value), frame, this.slider);
    this.slider.oninput = () => {
      this.follows = this.slider.value === this.slider.max;
      this.show(Number(this.slider.value));
    };
  }

  draw() {
    const series = this.store.series("image", this.tag, this.run);
    this.element.hidden = view.hidden.has(this.run);
    this.runName.textContent = this.store.runs.length > 1 ? this.store.runs[this.run] : "";
    this.slider.max = series.length - 1;
    this.slider.hidden = series.length < 2;
    if (this.follows) this.slider.value = series.length - 1;
    this.show(Number(this.slider.value));
  }

  show(index) {
    const series = this.store.series("image", this.tag, this.run);
    const address = `image/${series.values[index]}`;
    if (this.picture.getAttribute("src") !== address) this.picture.src = address;
    this.value.replaceChildren(html("small", {}, `step ${series.steps[index]}`));
  }
}

/** A text of a run that opens when it is clicked. */
class Text {
  constructor(store, tag, run) {
    Object.assign(this, { store, tag, run });
    this.name = html("summary");
    this.text = html("pre");
    this.element = html("details", {}, this.name, this.text);
  }

  draw() {
    const series = this.store.series("text", this.tag, this.run);
    this.element.hidden = view.hidden.has(this.run);
    this.name.replaceChildren(this.tag.replace(/_/g, " "));
    if (this.store.runs.length > 1) this.name.append(html("small", {}, this.store.runs[this.run]));
    this.text.textContent = series.last.replace(/^```\w*\n|\n```$/g, "");
  }
}
