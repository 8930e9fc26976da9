const store = new Store();
const panels = new Map(); // what is on the page, by its key
const sections = new Map();

/** Charts that every run has, in their order; each says which tags it takes. */
const CHARTS = [
  { id: "loss", section: "Training", title: "Loss", size: "wide", height: 300, smooth: true, takes: (tag) => /^(train[/_])?loss(\/auto)?$/.test(tag) },
  { id: "learning-rate", section: "Training", title: "Learning rate", height: 300, fromZero: true, takes: (tag) => /^(learning_rate|lr)(\/|$)/.test(tag), label: (tag) => tag.replace(/^\w+\//, "").replace("_", " ") },
  { id: "gradient-norm", section: "Training", title: "Gradient norm", size: "half", smooth: true, takes: (tag) => tag === "gradient_norm/auto" },
  { id: "gradient-norms", section: "Training", title: "Gradient norm", unit: "by parameter", size: "half", smooth: true, logarithmic: true, takes: (tag) => /^gradient_norm\/(?!auto$)/.test(tag), label: (tag) => tag.replace("gradient_norm/", "") },
  { id: "time", section: "Cost", title: "Time per step", unit: "ms", size: "half", smooth: true, robust: true, fromZero: true, takes: (tag) => /^time\/\w+_ms$/.test(tag), label: (tag) => ({ "time/step_ms": "step", "time/wait_ms": "between steps" })[tag] || tag },
  { id: "memory", section: "Cost", title: "Memory", unit: "MB", size: "half", fromZero: true, takes: (tag) => /^memory\/\w+_mb$/.test(tag), label: (tag) => ({ "memory/tensors_mb": "tensors", "memory/peak_mb": "peak of tensors", "memory/process_mb": "process" })[tag] || tag },
];
const SECTIONS = ["Training", "Evaluation", "Cost", "Recorded by the program", "Weights and activations", "Pictures", "About the run"];

function sectionOf(name) {
  if (!sections.has(name)) {
    const grid = html("div", { class: "grid" });
    const element = html("section", { "data-section": name }, html("h2", {}, name), grid);
    sections.set(name, { element, grid });
    const order = [...sections.keys()].sort((a, b) => SECTIONS.indexOf(a) - SECTIONS.indexOf(b));
    document.getElementById("sections").append(...order.map((each) => sections.get(each).element));
  }
  return sections.get(name).grid;
}

function panel(key, section, make, rank = 0) {
  if (!panels.has(key)) {
    const made = make();
    made.rank = rank;
    panels.set(key, made);
    const grid = sectionOf(section);
    const after = [...grid.children].find((each) => Number(each.dataset.rank) > rank);
    made.element.dataset.rank = rank;
    grid.insertBefore(made.element, after || null);
  }
  return panels.get(key);
}

/** The chart that shows a tag, made if it is the first of its kind. */
function chartOf(tag) {
  let spec = CHARTS.find((each) => each.takes(tag));
  if (!spec) {
    const metric = tag.startsWith("eval/");
    const title = metric ? tag.slice(5) : tag;
    spec = { id: `scalar:${tag}`, section: metric ? "Evaluation" : "Recorded by the program", title, smooth: !metric, dots: metric };
  }
  const chart = panel(spec.id, spec.section, () => new Chart(store, spec, redraw), CHARTS.indexOf(spec));
  if (!chart.tags.includes(tag)) chart.tags = [...chart.tags, tag];
  return chart;
}

function panelsOf(kind, tag) {
  if (kind === "scalar") return [chartOf(tag)];
  if (kind === "histogram") return [panel(`histogram:${tag}`, "Weights and activations", () => new Ridges(store, tag))];
  const runs = [...store.kinds[kind].get(tag).keys()];
  const [section, Made] = kind === "image" ? ["Pictures", Pictures] : ["About the run", Text];
  return runs.map((run) => panel(`${kind}:${run}:${tag}`, section, () => new Made(store, tag, run)));
}

/** The numbers at the top: the newest of the first run that is shown. */
function drawTiles() {
  const run = store.runs.findIndex((_, number) => !view.hidden.has(number));
  const tiles = [];
  const add = (title, tag, unit = "") => {
    const series = run < 0 ? null : store.series("scalar", tag, run);
    if (!series) return;
    const value = html("strong", {}, shown(series.last, 4));
    if (unit) value.append(html("small", {}, unit));
    tiles.push(html("div", { class: "tile" }, html("h3", {}, title), value));
  };
  const loss = run < 0 ? null : store.series("scalar", "loss/auto", run);
  if (loss) {
    const value = html("strong", {}, loss.steps[loss.length - 1].toLocaleString("en"));
    if (store.runs.length > 1) value.append(html("small", {}, store.runs[run]));
    tiles.push(html("div", { class: "tile" }, html("h3", {}, "Step"), value));
  }
  add("Loss", "loss/auto");
  for (const tag of store.tags("scalar").filter((each) => each.startsWith("eval/")).slice(0, 2)) add(`Eval ${tag.slice(5)}`, tag);
  add("Learning rate", "learning_rate/auto");
  add("Gradient norm", "gradient_norm/auto");
  add("Time per step", "time/step_ms", "ms");
  add("Memory of tensors", "memory/tensors_mb", "MB");
  document.getElementById("tiles").replaceChildren(...tiles);
}

function drawRuns() {
  const area = document.getElementById("runs");
  area.hidden = store.runs.length < 2;
  if (area.children.length === store.runs.length) return;
  area.replaceChildren(
    ...store.runs.map((name, run) => {
      const button = html("button", { "aria-pressed": String(!view.hidden.has(run)), style: `--colour: ${colour(run)}` }, html("i"), name);
      button.onclick = () => {
        if (!view.hidden.delete(run)) view.hidden.add(run);
        button.setAttribute("aria-pressed", String(!view.hidden.has(run)));
        redraw("runs");
      };
      return button;
    }),
  );
}

function redraw(what) {
  document.getElementById("reset").hidden = view.range === null;
  for (const each of panels.values()) {
    if (what !== "hover") each.draw();
    else if (each instanceof Chart) each.drawHover();
  }
  if (what !== "hover") drawTiles();
}

function drawStatus(isLost) {
  const status = document.getElementById("status");
  const age = Date.now() / 1000 - store.newest;
  const live = !isLost && store.newest > 0 && age < 30;
  status.className = isLost ? "lost" : live ? "live" : "";
  const since = new Date(store.newest * 1000).toLocaleTimeString();
  status.lastChild.textContent = isLost ? "the server is gone" : !store.newest ? "waiting" : live ? "live" : `quiet since ${since}`;
}

function take(answer) {
  const changed = store.take(answer);
  drawRuns();
  const dirty = new Set();
  for (const each of changed) {
    const space = each.indexOf(" ");
    for (const found of panelsOf(each.slice(0, space), each.slice(space + 1))) dirty.add(found);
  }
  for (const each of dirty) each.draw();
  if (changed.size) drawTiles();
  drawAround(answer);
  document.documentElement.dataset.values = store.next;
}

function drawAround(answer) {
  const folder = document.getElementById("folder");
  folder.textContent = answer.folder.split("/").pop();
  folder.title = answer.folder;
  document.title = `${folder.textContent} · dyad watch`;
  const empty = document.getElementById("empty");
  empty.hidden = store.next > 0;
  empty.textContent = `Nothing is recorded in ${answer.folder} yet. This page fills as soon as a SummaryRecord or a SummaryCollector writes there.`;
  const damage = document.getElementById("damage");
  damage.hidden = !answer.damage.length;
  damage.replaceChildren(...answer.damage.map((text) => html("li", {}, text)));
}

function forget() {
  store.clear();
  panels.clear();
  sections.clear();
  view.hidden.clear();
  document.getElementById("sections").replaceChildren();
}

async function follow() {
  let pause = 1000;
  try {
    const answer = await (await fetch(`updates?from=${store.next}`)).json();
    const isKnown = store.boot === null || store.boot === answer.boot;
    if (isKnown) take(answer);
    else forget(); // another server: what it has is read from the beginning
    if (answer.more || !isKnown) pause = 0;
    drawStatus(false);
  } catch (error) {
    drawStatus(true);
    pause = 3000;
  }
  setTimeout(follow, pause);
}

function start() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = new URLSearchParams(location.search).get("theme") || localStorage.getItem("dyad-watch-theme");
  root.dataset.theme = chosen || (dark.matches ? "dark" : "light");
  document.getElementById("theme").onclick = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("dyad-watch-theme", root.dataset.theme);
  };
  const slider = document.getElementById("smoothing");
  const smooth = () => {
    view.smoothing = Number(slider.value);
    document.getElementById("smoothing-value").textContent = view.smoothing.toFixed(2);
    redraw("smoothing");
  };
  slider.oninput = smooth;
  smooth();
  for (const button of document.querySelectorAll("#axis button")) {
    button.onclick = () => {
      view.axis = button.dataset.axis;
      view.range = null;
      for (const each of document.querySelectorAll("#axis button")) each.setAttribute("aria-pressed", String(each === button));
      redraw("axis");
    };
  }
  document.getElementById("reset").onclick = () => {
    view.range = null;
    redraw("range");
  };
  follow();
}

start();
