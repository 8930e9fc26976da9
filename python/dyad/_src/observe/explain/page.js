"use strict";

// A line of the program and the nodes made from it carry the same data-at; a value and its uses the same data-value.
const group = (element, key) =>
  document.querySelectorAll(`[data-${key}="${CSS.escape(element.dataset[key])}"]`);

const mark = (element, key, name, on) =>
  group(element, key).forEach((member) => member.classList.toggle(name, on));

for (const key of ["at", "value"]) {
  for (const element of document.querySelectorAll(`[data-${key}]`)) {
    element.addEventListener("mouseenter", () => mark(element, key, "lit", true));
    element.addEventListener("mouseleave", () => mark(element, key, "lit", false));
  }
}

// A click keeps the marks and brings the other side into view; a second click takes them away.
for (const element of document.querySelectorAll("[data-at]")) {
  element.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const keep = !element.classList.contains("pinned");
    document.querySelectorAll(".pinned").forEach((member) => member.classList.remove("pinned"));
    if (!keep) return;
    mark(element, "at", "pinned", true);
    const side = element.closest(".program") ? "graph" : "program";
    const other = [...group(element, "at")].find(
      (member) => member.closest(`.${side}`) && !member.closest("[hidden]"));
    if (other) other.scrollIntoView({block: "center", behavior: "smooth"});
  });
}

for (const button of document.querySelectorAll("nav button")) {
  button.addEventListener("click", () => {
    for (const other of document.querySelectorAll("nav button")) {
      const chosen = other === button;
      other.setAttribute("aria-pressed", chosen);
      document.getElementById(other.dataset.stage).hidden = !chosen;
    }
  });
}
