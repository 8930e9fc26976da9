"""The table of a network's layers, for a terminal and for a notebook."""

from dyad._src.tensor.text import escaped

_HEADS = ("Layer", "Output shape", "Parameters", "FLOPs")
_LEFT = 2  # columns that hold words
_NONE = "-"
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def table_text(rows):
    """The rows under their heads, the sums below."""
    cells = [_HEADS, *(("  " * row.depth + row.title, *_figures(row)) for row in rows), _sums(rows)]
    kept = _kept_columns(rows)
    cells = [[line[i] for i in kept] for line in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = sum(i < _LEFT for i in kept)
    lines = [_aligned(line, widths, left) for line in cells]
    rule = "-" * max(map(len, lines))
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1], _remark(rows)])


def table_html(rows):
    """The same as an HTML table; everything that a program named is escaped."""
    kept = _kept_columns(rows)
    lines = [_html_row("th", _HEADS, kept)]
    for row in rows:
        indented = "&nbsp;" * 4 * row.depth + escaped(row.title)
        lines.append(_html_row("td", (indented, *map(escaped, _figures(row))), kept))
    lines.append(_html_row("th", _sums(rows), kept))
    return f"<table>\n{chr(10).join(lines)}\n</table>\n<p>{_remark(rows)}</p>"


def amount(number):
    """A large number with three digits and a letter; a small one as it is."""
    if number < 10_000:
        return f"{number:,.0f}"
    for letter, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if number >= scale:
            return f"{number / scale:.3g} {letter}"
    return f"{number / 1e3:.3g} K"


def _kept_columns(rows):
    """Columns of the table; without shapes and operations for a network that was not run."""
    return [0, 1, 2, 3] if rows[0].outputs is not None else [0, 2]


def _figures(row):
    """Output shape, Parameters and operations of a row."""
    if row.same_as is not None:
        return f"same as {row.same_as or 'the network'}", _NONE, _NONE
    outputs = " | ".join(dict.fromkeys(row.outputs or ())) or _NONE
    calls = len(row.outputs or ())
    if calls > 1:
        outputs += f" x{calls}"
    shared = f"{row.shared:,} shared" if row.shared else ""
    held = f"{row.parameters:,}" if row.parameters or not shared else ""
    parameters = " + ".join(filter(None, (held, shared))) if row.cell._params else _NONE
    return outputs, parameters, amount(row.flop) if calls else _NONE


def _sums(rows):
    return "Total", "", f"{sum(row.parameters for row in rows):,}", amount(sum(row.flop or 0 for row in rows))


def _remark(rows):
    parameters, trainable = sum(row.parameters for row in rows), sum(row.trainable for row in rows)
    size = sum(row.bytes for row in rows)
    unit, scale = next(((unit, scale) for unit, scale in _UNITS if size >= scale), ("bytes", 1))
    return (
        f"{trainable:,} trainable, {parameters - trainable:,} fixed, {size / scale:.3g} {unit} of Parameters"
    )


def _aligned(line, widths, left):
    cells = [
        c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _html_row(tag, line, kept):
    cells = []
    for i in kept:
        side = "left" if i < _LEFT else "right"
        cells.append(f'<{tag} style="text-align: {side}">{line[i]}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"
