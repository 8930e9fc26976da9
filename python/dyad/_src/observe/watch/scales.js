/** From numbers to pixels, and the numbers to write at an axis. */
class Scale {
  constructor(low, high, from, to, logarithmic = false) {
    Object.assign(this, { low, high, from, to, logarithmic });
    this.start = logarithmic ? Math.log10(low) : low;
    this.span = (logarithmic ? Math.log10(high) : high) - this.start || 1;
  }

  at(number) {
    const place = this.logarithmic ? Math.log10(number) : number;
    return this.from + ((place - this.start) / this.span) * (this.to - this.from);
  }

  number(pixel) {
    const place = this.start + ((pixel - this.from) / (this.to - this.from)) * this.span;
    return this.logarithmic ? 10 ** place : place;
  }

  ticks(count, whole = false) {
    return this.logarithmic ? this.powers(count) : this.even(count, whole);
  }

  even(count, whole) {
    const rough = (this.high - this.low) / count || 1;
    const unit = 10 ** Math.floor(Math.log10(rough));
    let step = unit * ([1, 2, 5, 10].find((factor) => factor * unit >= rough) || 10);
    if (whole) step = Math.max(1, step);
    const ticks = [];
    for (let i = Math.ceil(this.low / step); i * step <= this.high + step * 1e-9; ++i) ticks.push(i * step);
    return ticks;
  }

  powers(count) {
    const decades = this.span;
    const factors = decades < 1.2 ? [1, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / count));
    const ticks = [];
    for (let power = Math.floor(this.start); power <= this.start + decades; ++power) {
      if (factors.length === 1 && power % every) continue;
      for (const factor of factors) {
        const tick = factor * 10 ** power;
        if (tick >= this.low * 0.9999 && tick <= this.high * 1.0001) ticks.push(tick);
      }
    }
    return ticks;
  }
}

/** A number with so many digits as tell something. */
function shown(number, digits = 4) {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "NaN" : number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return minus(number.toExponential(Math.max(0, digits - 2)).replace("e+", "e").replace(/\.0+e/, "e"));
  return minus(String(Number(number.toPrecision(digits))));
}

function minus(text) {
  return text.replace(/-/g, "−");
}

/** A number beside an axis, as short as can be: 1500 is 1.5k. */
function shownShort(number) {
  const size = Math.abs(number);
  if (size >= 1e4 && size < 1e9) return size >= 1e6 ? `${shown(number / 1e6, 3)}M` : `${shown(number / 1e3, 3)}k`;
  return shown(number, Number.isInteger(number) ? 4 : 3);
}

/** Seconds as a person says them. */
function duration(seconds) {
  if (seconds < 60) return `${shown(seconds, seconds < 10 ? 2 : 3)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
