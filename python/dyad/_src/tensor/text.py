"""Tensors as strings: `str` is NumPy's, `repr` has shape, dtype and values; notebooks show tables."""

from dyad import _core

# A vector of more elements than this shows only the first and last few; of a matrix every long dimension does.
_ELISION_THRESHOLD = 1000
_EDGE = 3
_MOST_ROWS = _MOST_COLUMNS = 12  # of a table in a notebook


def text(tensor):
    if _has_no_values(tensor):
        return representation(tensor)
    return str(tensor.asnumpy())


def representation(tensor):
    if _core.is_symbolic(tensor):
        sizes = ", ".join(str(size) if isinstance(size, int) else "?" for size in tensor.shape)
        comma = "," if tensor.ndim == 1 else ""
        return f"Tensor(shape=({sizes}{comma}), dtype={tensor.dtype}, value=<known when the graph runs>)"
    shape = ", ".join(map(str, tensor.shape))
    opening = f"Tensor(shape=[{shape}], dtype={tensor.dtype}, value="
    if _has_no_values(tensor):
        return f"{opening}\n<uninitialized>)"
    values = tensor.asnumpy()
    if values.ndim == 0:
        return f"{opening} {_single(values[()])})"
    line_break = " " if values.ndim == 1 else "\n"
    if values.size == 0:
        return f"{opening}{line_break})"
    elide = values.ndim > 1 or values.size > _ELISION_THRESHOLD
    element, width = _element_format(values, tensor.dtype, elide)
    return f"{opening}{line_break}{_rows(values, element, width, elide, 1)})"


def html(tensor):
    """HTML for notebooks: vectors and matrices as abbreviated tables, otherwise the string."""
    name = f" {tensor.name}" if hasattr(tensor, "is_named") else ""
    kind = type(tensor).__name__
    caption = escaped(f"{kind}{name}: {tensor.dtype}, shape {tuple(tensor.shape)}")
    if _has_no_values(tensor) or tensor.ndim not in (1, 2) or tensor.size == 0:
        return f"<div>{caption}<pre>{escaped(text(tensor))}</pre></div>"
    values = tensor.asnumpy()
    rows = [values] if values.ndim == 1 else values
    lines = [_html_row(row) for row in _shortened(list(rows), _MOST_ROWS)]
    return f"<div>{caption}<table>{''.join(lines)}</table></div>"


def escaped(text):
    """A string escaped for HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _html_row(row):
    """A row of numbers, or the one that marks omitted rows."""
    if row is None:
        return '<tr><td style="text-align: left">...</td></tr>'
    cells = ["..." if value is None else _single(value) for value in _shortened(list(row), _MOST_COLUMNS)]
    return "<tr>" + "".join(f'<td style="text-align: right">{cell}</td>' for cell in cells) + "</tr>"


def _shortened(items, most):
    """The first and last items, with None for those between them, if there are more than `most`."""
    if len(items) <= most:
        return items
    return [*items[: most // 2], None, *items[-(most // 2) :]]


def formatted(tensor, spec):
    """`format(tensor, spec)`: any tensor without a spec; with one the single element is formatted."""
    if not spec:
        return str(tensor)
    if tensor.size != 1:
        raise TypeError(
            f"format: the format {spec!r} is for one number, the tensor has shape {tensor.shape}; "
            "format a single element or leave the format out"
        )
    return format(tensor.item(), spec)


def _has_no_values(tensor):
    return _core.is_symbolic(tensor) or tensor.has_init or any(size < 0 for size in tensor.shape)


def _single(value):
    kind = value.dtype.kind
    if kind == "c":
        return _complex_text(value)
    return format(value, "g") if kind == "f" else str(value)


def _complex_text(value):
    return f"{value.real:g}{value.imag:+g}j"


def _element_format(values, dtype, elide):
    """A function from an element to its string, and the width all strings are padded to."""
    kind = values.dtype.kind
    if kind == "f" and dtype != _core.bfloat16:
        digits = 4 if dtype == _core.float16 else 8
        return (lambda value: f"{value:.{digits}e}"), digits + 7
    if kind == "f":
        element = lambda value: f"{value:g}"  # noqa: E731 - a name for one of four formats
    elif kind == "c":
        element = _complex_text
    else:
        element = str
    shown = _corners(values) if elide else values
    shortest = len("False") if kind == "b" else 0
    return element, max([shortest, *(len(element(value)) for value in shown.ravel())])


def _corners(values):
    """The elements that elision leaves."""
    for axis, size in enumerate(values.shape):
        if size > 2 * _EDGE:
            values = values.take([*range(_EDGE), *range(size - _EDGE, size)], axis)
    return values


def _rows(values, element, width, elide, depth):
    cut = elide and len(values) > 2 * _EDGE
    picked = [*values[:_EDGE], *values[-_EDGE:]] if cut else list(values)
    if values.ndim == 1:
        texts = [element(value).rjust(width) for value in picked]
        if cut:
            return f"[{', '.join(texts[:_EDGE])} ... {', '.join(texts[_EDGE:])}]"
        return f"[{', '.join(texts)}]"
    rows = [_rows(row, element, width, elide, depth + 1) for row in picked]
    lines = [f"{row}," for row in rows[:-1]] + rows[-1:]
    if cut:
        lines.insert(_EDGE, "...")
    return "[" + f"\n{' ' * depth}".join(lines) + "]"
