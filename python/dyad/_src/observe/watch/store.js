"use strict";

/** The values of one tag in one run, by step. A run that begins again from an earlier step replaces what follows it. */
class Series {
  constructor() {
    this.steps = [];
    this.times = [];
    this.values = [];
  }

  add(step, time, value) {
    while (this.steps.length && this.steps[this.steps.length - 1] >= step) {
      this.steps.pop();
      this.times.pop();
      this.values.pop();
    }
    this.steps.push(step);
    this.times.push(time);
    this.values.push(value);
  }

  get length() {
    return this.steps.length;
  }

  get last() {
    return this.values[this.values.length - 1];
  }
}

/** All that the server has told of the runs: series by kind, tag and number of the run. */
class Store {
  constructor() {
    this.clear();
  }

  clear() {
    this.boot = null;
    this.next = 0;
    this.runs = [];
    this.began = []; // the wall time of each run's first value
    this.newest = 0;
    this.kinds = { scalar: new Map(), histogram: new Map(), image: new Map(), text: new Map() };
  }

  /** Takes an answer of the server; returns the tags that changed, as "kind tag". */
  take(answer) {
    this.boot = answer.boot;
    this.next = answer.next;
    this.runs = answer.runs;
    const changed = new Set();
    for (const [run, kind, tag, step, time, content] of answer.values) {
      if (!(run in this.began)) this.began[run] = time;
      if (time > this.newest) this.newest = time;
      this.series(kind, tag, run, true).add(step, time, kind === "scalar" ? Number(content) : content);
      changed.add(`${kind} ${tag}`);
    }
    return changed;
  }

  /** The series of a tag in a run; null if there is none, unless it is to be made. */
  series(kind, tag, run, make = false) {
    let runs = this.kinds[kind].get(tag);
    if (!runs && make) this.kinds[kind].set(tag, (runs = new Map()));
    if (runs && !runs.has(run) && make) runs.set(run, new Series());
    return (runs && runs.get(run)) || null;
  }

  tags(kind) {
    return [...this.kinds[kind].keys()];
  }
}

/** A moving average that weighs the past by `factor`; without the pull to zero that such averages begin with. */
function smoothed(values, factor) {
  if (!factor) return values;
  const result = new Array(values.length);
  let mean = 0;
  let weight = 0;
  for (let i = 0; i < values.length; ++i) {
    if (Number.isFinite(values[i])) {
      mean = mean * factor + values[i] * (1 - factor);
      weight = weight * factor + (1 - factor);
    }
    result[i] = Number.isFinite(values[i]) ? mean / weight : NaN;
  }
  return result;
}

/** The index of the element of a growing array that is nearest to a number. */
function nearest(sorted, number) {
  let low = 0;
  let high = sorted.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < number) low = middle;
    else high = middle;
  }
  return Math.abs(sorted[low] - number) <= Math.abs(sorted[high] - number) ? low : high;
}
