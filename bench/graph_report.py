"""The tables of `./dev bench graph`, their page, and what docs/benchmarks.md shows of them."""

from __future__ import annotations

from chart import write_chart
from graph_rows import GUARDED_CELLS, KEEPS_COMPILED, LAYER_COUNTS, LAYERS_BAR, PEERS, ROWS, TITLES, GraphRow
from process import THREADS
from report import ROOT, machine, mark, shown, spread, write_summary

FIRST_FORMS = tuple(form for form in TITLES if form in KEEPS_COMPILED)


def best_peer(found: dict) -> tuple[str, float] | None:
    times = {form: found["times"][form] for form in PEERS if form in found["times"]}
    return min(times.items(), key=lambda item: item[1]) if times else None


def ratio(found: dict) -> float | None:
    best, ours = best_peer(found), found["times"].get("dyad")
    return ours / best[1] if best and ours else None


def met(row: GraphRow, found: dict) -> bool | None:
    """None without a bar or without a time to compare with it."""
    reached = ratio(found)
    if row.bar is None or reached is None:
        return None
    times = found["times"]
    kept = [times["dyad"] <= bar * times[peer] for peer, bar in row.bar_of.items() if peer in times]
    return reached <= row.bar and all(kept)


def limit_fraction(row: GraphRow, found: dict, limits: dict) -> str:
    ours = found["times"].get("dyad")
    return f"{row.work.least_seconds(limits['flop'], limits['bytes']) / ours:.0%}" if ours else ""


def bar_text(row: GraphRow) -> str:
    of = "".join(f" (≤ {bar} of {TITLES[peer]})" for peer, bar in row.bar_of.items())
    return "" if row.bar is None else f"≤ {row.bar}{of}"


def verdict(kept: bool | None) -> str:
    return "" if kept is None else "yes" if kept else "**no**"


def spread_text(found: dict) -> str:
    """Spread of Dyad's turns and of the fastest peer's."""
    best, turns = best_peer(found), found.get("turns", {})
    forms = [form for form in ("dyad", best and best[0]) if form in turns]
    return ", ".join(f"{spread(turns[form]):.0%}" for form in forms)


def time_cell(row: GraphRow, found: dict, form: str) -> str:
    if form in found["failures"]:
        return "failed"
    if form not in found["times"]:
        return "-"
    best = best_peer(found)
    text = shown(found["times"][form])
    return f"**{text}**" if best and form == best[0] else text


def times_table(rows: list[GraphRow], results: dict) -> list[str]:
    measured = [row for row in rows if row.key in results["rows"]]
    if not measured:
        return []
    heads = ["workload", *TITLES.values(), "ours ÷ best", "bar", "met", "spread", "of the limit"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for row in measured:
        found = results["rows"][row.key]
        reached = ratio(found)
        cells = [row.name, *(time_cell(row, found, form) for form in TITLES)]
        cells += ["" if reached is None else f"{reached:.2f}", bar_text(row), verdict(met(row, found))]
        cells += [spread_text(found), limit_fraction(row, found, results["limits"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def first_table(rows: list[GraphRow], results: dict) -> list[str]:
    measured = [row for row in rows if row.first_bar is not None and row.key in results["rows"]]
    if not measured:
        return []
    forms = [f"{TITLES[form]}{way}" for form in FIRST_FORMS for way in ("", ", again")]
    heads = ["first call", *forms, "bars", "met"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for row in measured:
        first = results["rows"][row.key]["first"]
        spent = [first.get(form, {}).get(way) for form in FIRST_FORMS for way in ("cold", "warm")]
        cells = [row.name, *("-" if value is None else shown(value) for value in spent)]
        bars = (row.first_bar, row.first_bar / 2)
        cells.append(" and ".join(f"≤ {shown(bar)}" for bar in bars))
        ours = spent[:2]
        kept = None if None in ours else all(value <= bar for value, bar in zip(ours, bars, strict=True))
        lines.append("| " + " | ".join([*cells, verdict(kept)]) + " |")
    return lines


def memory_table(rows: list[GraphRow], results: dict) -> list[str]:
    measured = [row for row in rows if row.memory_bar is not None and row.key in results["rows"]]
    if not measured:
        return []
    lines = ["| peak memory | " + " | ".join(TITLES.values()) + " | ours ÷ best | bar | met |"]
    lines.append("|---|" + "--:|" * (len(TITLES) + 3))
    for row in measured:
        memory = results["rows"][row.key]["memory"]
        cells = [f"{memory[form] / 1e9:.2f} GB" if form in memory else "-" for form in TITLES]
        peers = [memory[form] for form in PEERS if form in memory]
        judged = ["", "", ""]
        if peers and "dyad" in memory:
            value = memory["dyad"] / min(peers)
            judged = [f"{value:.2f}", f"≤ {row.memory_bar}", mark(value, row.memory_bar)]
        lines.append("| " + " | ".join([row.name, *cells, *judged]) + " |")
    return lines


def layers_table(results: dict) -> list[str]:
    if "layers" not in results:
        return []
    spent = [results["layers"][str(count)] for count in LAYER_COUNTS]
    heads = [f"{count} layers" for count in LAYER_COUNTS]
    last = [f"≤ {shown(LAYERS_BAR)}", mark(spent[-1], LAYERS_BAR)]
    return [
        "| first call of an MLP | " + " | ".join(heads) + " | bar | met |",
        "|---|" + "--:|" * (len(heads) + 2),
        "| Dyad | " + " | ".join([*map(shown, spent), *last]) + " |",
    ]


def figures_tables(results: dict) -> list[list[str]]:
    if "figures" not in results:
        return []
    guards, names = results["figures"]["guards"], {row.program: row.name for row in ROWS}
    keys = ("planned", "unplanned", "static", "dynamic")
    checked = [
        "| guards of a Cell | guards | check of all | per Cell inside |",
        "|---|--:|--:|--:|",
        f"| {GUARDED_CELLS} Cells inside | {guards['count']} | {shown(guards['seconds'])} | "
        f"{shown(guards['seconds'] / GUARDED_CELLS)} |",
    ]
    planned = [
        "| memory of the values between input and result | planned | without reuse | peak | peak, dynamic |",
        "|---|--:|--:|--:|--:|",
    ]
    for program, found in results["figures"]["memory"].items():
        cells = [f"{found[key] / 1e6:.1f} MB" for key in keys]
        planned.append(f"| {names[program]} | " + " | ".join(cells) + " |")
    return [planned, checked]


def limits_sentence(results: dict) -> str:
    limits = results["limits"]
    return (
        f"The machine's limits in this run: {limits['flop'] / 1e9:.0f} GFLOP/s in a product of 2048x2048 matrices, "
        f"{limits['bytes'] / 1e9:.1f} GB/s in a copy of 256 MB."
    )


def all_tables(results: dict, rows: list[GraphRow]) -> list[list[str]]:
    held = [row for row in rows if row.bar is not None]
    others = [row for row in rows if row.bar is None]
    tables = [times_table(held, results), first_table(held, results), memory_table(held, results)]
    unseen = times_table(others, results)
    if unseen:
        unseen = ["Programs of kinds for which there is no bar:", "", *unseen]
    return [lines for lines in [*tables, layers_table(results), *figures_tables(results), unseen] if lines]


def failures(results: dict, rows: list[GraphRow]) -> list[str]:
    return [
        f"- {row.name}, {TITLES[form]}: {why}"
        for row in rows
        for form, why in results["rows"].get(row.key, {}).get("failures", {}).items()
    ]


def left_out(results: dict, rows: list[GraphRow]) -> list[str]:
    """Reasons for missing times, each with the frameworks and rows it concerns."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.key not in results["rows"]:
            continue
        found = results["rows"][row.key]
        for form, why in row.left_out.items():
            reasons.setdefault((form, why), []).append(row.name)
        for form in row.forms:
            if form not in found["times"] and form not in found["failures"]:
                reasons.setdefault((form, "not asked for, or not installed"), []).append(row.name)
    lines = [f"- {TITLES[form]}: {why} ({'; '.join(names)})" for (form, why), names in reasons.items()]
    return ["Left out:", "", *lines] if lines else []


def profiles(results: dict, rows: list[GraphRow]) -> list[str]:
    """Profiles of the rows that miss their bars."""
    missed = [
        row for row in rows if row.key in results["rows"] and met(row, results["rows"][row.key]) is False
    ]
    lines = []
    for row in missed:
        lines += [f"### {row.name}", "", "```text", results["rows"][row.key].get("profile", ""), "```", ""]
    return ["## Where the time goes in the rows that miss their bar", "", *lines] if missed else []


def terminal_text(results: dict, rows: list[GraphRow]) -> str:
    parts = [
        *all_tables(results, rows),
        failures(results, rows),
        left_out(results, rows),
        [limits_sentence(results)],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def short_line(row: GraphRow, results: dict) -> str:
    found = results["rows"][row.key]
    reached = ratio(found)
    times = ", ".join(f"{form} {shown(spent)}" for form, spent in found["times"].items())
    judged = "" if reached is None else f": {reached:.2f} of the best peer, bar {row.bar}"
    failed = "".join(f"; {form} {why}" for form, why in found["failures"].items())
    return f"{row.key}: {times}{judged}{failed}"


def introduction(results: dict) -> str:
    versions = results["versions"]
    named = ", ".join(f"{name} {number}" for name, number in versions.items())
    return (
        "# Static graphs: Dyad and its peers on the CPU\n\n"
        f"Written by `./dev bench graph` in one run on {machine()}, {THREADS} threads each, float32 unless a row\n"
        f"says otherwise, {named}. The same programs with the same weights in every\n"
        "framework; each gives the same result within the row's tolerance, or the row says that it failed. Every\n"
        "form runs in a process of its own and all take turns; a time is the median over the turns of the fastest\n"
        "calls in a turn, and *spread* how far the middle half of the turns lies apart, Dyad's and the fastest\n"
        "peer's; while one is measured, the others stand still. In bold: the fastest peer, against which the bar is.\n"
        "Optimisers of PyTorch are in their fastest form (`fused=True`); *frozen* is torch.compile with freezing,\n"
        "which packs weights as Dyad does.\n\n"
        f"{limits_sentence(results)}\n"
        "*Of the limit* is the least time that these allow for the row's products and for moving its inputs,\n"
        "weights and results once, divided by the time taken. Tensors that stay in the caches may be above 100 %.\n\n"
        "A first call captures, compiles and runs once; the time is what it takes beyond a later call, in a fresh\n"
        "process in which nothing ran before. *Again* is another process that finds on disk what the first one\n"
        "compiled. Peak memory is that of the process, libraries included."
    )


def write_pages(results: dict) -> None:
    """Writes docs/bench-graph.md, the chart, and the table of docs/benchmarks.md."""
    busy = [[results["busy"]]] if results.get("busy") else []
    parts = [*busy, *all_tables(results, ROWS), failures(results, ROWS), left_out(results, ROWS)]
    parts.append(profiles(results, ROWS))
    text = "\n\n".join("\n".join(lines) for lines in parts if lines)
    (ROOT / "docs/bench-graph.md").write_text(
        f"{introduction(results)}\n\n![times](bench-graph.svg)\n\n{text}\n"
    )
    charted = [row for row in ROWS if row.key in results["rows"]]
    write_chart(
        ROOT / "docs/bench-graph.svg",
        [(row.name.replace("`", ""), results["rows"][row.key]["times"], row.bar) for row in charted],
        PEERS,
        TITLES,
    )
    summarize(results, busy)


def summarize(results: dict, busy: list[list[str]]) -> None:
    lines = [
        "| workload | Dyad | fastest peer | | ours ÷ best | bar | met |",
        "|---|--:|--:|---|--:|--:|---|",
    ]
    for row in ROWS:
        found = results["rows"].get(row.key)
        best = found and best_peer(found)
        if not best or "dyad" not in found["times"]:
            continue
        kept = met(row, found)
        text = f"{ratio(found):.2f}" if kept is not False else f"**{ratio(found):.2f}**"
        cells = [
            shown(found["times"]["dyad"]),
            shown(best[1]),
            TITLES[best[0]],
            text,
            bar_text(row),
            verdict(kept),
        ]
        lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
    parts = [*busy, ["![times](bench-graph.svg)"], lines]
    write_summary("graph", "\n\n".join("\n".join(part) for part in parts))
