"""A bar chart as SVG: times of several frameworks relative to the fastest peer's."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from pathlib import Path

LABELS, PLOT, LINE, TOP = 330, 560, 30, 64
LEAST, MOST = 0.1, 20.0  # of the fastest peer's time
# Tones that stand out from white and from black alike.
OURS = "#2f81f7"
COLOURS = ("#d29922", "#db61a2", "#f0883e", "#3fb950", "#a371f7", "#8b949e")
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .faint { fill: #6e7781 }
  .line { stroke: #6e7781; stroke-opacity: 0.35 }
  .even { stroke: #6e7781; stroke-width: 1.5 }
  .bar { stroke: #cf222e; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .faint { fill: #8b949e } .bar { stroke: #ff7b72 } }
"""

Row = tuple[str, dict[str, float], float | None]  # name, seconds by form, most of Dyad's ratio


def write_chart(path: Path, rows: list[Row], peers: tuple[str, ...], titles: dict[str, str]) -> None:
    shown = [row for row in rows if "dyad" in row[1] and any(peer in row[1] for peer in peers)]
    height = TOP + LINE * len(shown) + 34
    body = [*legend(peers, titles), *grid(height)]
    for place, row in enumerate(shown):
        body += row_marks(row, peers, TOP + LINE * place)
    size = f'width="{LABELS + PLOT + 70}" height="{height}" viewBox="0 0 {LABELS + PLOT + 70} {height}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{STYLE}</style>", *body, "</svg>"]
    path.write_text("\n".join(lines) + "\n")


def across(ratio: float) -> float:
    """Horizontal position of a ratio on a logarithmic scale."""
    ratio = min(max(ratio, LEAST), MOST)
    return LABELS + PLOT * math.log(ratio / LEAST) / math.log(MOST / LEAST)


def text(x: float, y: float, content: str, anchor: str = "start", kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{named}>{escape(content)}</text>'


def legend(peers: tuple[str, ...], titles: dict[str, str]) -> list[str]:
    marks: list[tuple[str, Callable[[float], str]]] = [
        ("Dyad", lambda x: f'<rect x="{x}" y="12" width="14" height="12" rx="2" fill="{OURS}"/>')
    ]
    for peer, colour in zip(peers, COLOURS, strict=True):
        marks.append(
            (titles[peer], lambda x, colour=colour: f'<circle cx="{x + 7}" cy="18" r="5" fill="{colour}"/>')
        )
    marks.append(("bar", lambda x: f'<path d="M{x + 7} 10v16" class="bar"/>'))
    x, lines = 12.0, []
    for title, mark in marks:
        lines += [mark(x), text(x + 19, 23, title)]
        x += 40 + 7.2 * len(title)
    return lines


def grid(height: int) -> list[str]:
    lines = [text(12, TOP - 16, "time ÷ the fastest peer's; shorter is faster", kind="faint")]
    for ratio in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        x = across(ratio)
        kind = "even" if ratio == 1 else "line"
        lines.append(f'<path d="M{x:.1f} {TOP - 10}V{height - 28}" class="{kind}"/>')
        lines.append(text(x, height - 10, f"{ratio:g}", "middle", "faint"))
    return lines


def row_marks(row: Row, peers: tuple[str, ...], y: float) -> list[str]:
    name, times, bar = row
    best = min(times[peer] for peer in peers if peer in times)
    ours = times["dyad"] / best
    width = max(across(ours) - LABELS, 2)
    lines = [
        text(LABELS - 10, y + 14, name, "end"),
        f'<rect x="{LABELS}" y="{y + 3}" width="{width:.1f}" height="14" rx="2" fill="{OURS}"/>',
        text(LABELS + PLOT + 60, y + 14, f"{ours:.2f}", "end"),
    ]
    if bar is not None:
        lines.append(f'<path d="M{across(bar):.1f} {y}v20" class="bar"/>')
    for peer, colour in zip(peers, COLOURS, strict=True):
        if peer in times:
            lines.append(
                f'<circle cx="{across(times[peer] / best):.1f}" cy="{y + 10}" r="4.5" fill="{colour}"/>'
            )
    return lines
