"""The text of a Cell: class name, own information, and one line per child."""


def format_cell(cell):
    own = cell.extend_repr()
    lines = [f"({name}): {_indent(repr(child))}" for name, child in cell._cells.items()]
    if not lines:
        return f"{type(cell).__name__}({own})"
    if own:
        lines.insert(0, own)
    return f"{type(cell).__name__}(\n  " + "\n  ".join(lines) + "\n)"


def _indent(text):
    return text.replace("\n", "\n  ")
