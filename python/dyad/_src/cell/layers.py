"""The layers of a network as rows: path, class, parameters."""

from dyad._src.cell.listing import join_path


class Layer:
    """One Cell at one path of a network.

    `parameters` counts the elements of its own Parameters, `shared` those of them that an earlier row counts.
    `same_as` is the path at which a Cell was first found, for a second occurrence. `outputs` has the string of every
    call's result and `flop` the operations of the calls; both are None if nothing was run.
    """

    def __init__(self, path, depth, cell, same_as=None):
        self.path, self.depth, self.cell, self.same_as = path, depth, cell, same_as
        self.parameters = self.trainable = self.shared = self.bytes = 0
        self.outputs = None
        self.flop = None

    @property
    def title(self):
        """The attribute and the class, as the tree of a network shows them."""
        name = self.path.rpartition(".")[2]
        kind = type(self.cell).__name__
        return f"{name}: {kind}" if name else kind

    def count(self, seen):
        """Counts the Parameters that are held here and not in `seen`, which they become part of."""
        for parameter in self.cell._params.values():
            if parameter is None:
                continue
            if id(parameter) in seen:
                self.shared += parameter.size
                continue
            seen.add(id(parameter))
            self.parameters += parameter.size
            self.trainable += parameter.size if parameter.requires_grad else 0
            self.bytes += parameter.nbytes


def layers_of(network):
    """A row for every path at which a Cell of the network occurs, parents before children, in order."""
    rows: list[Layer] = []
    _collect(network, "", 0, rows, {})
    seen: set[int] = set()
    for row in rows:
        if row.same_as is None:
            row.count(seen)
    return rows


def _collect(cell, path, depth, rows, places):
    """`places` has the path at which each Cell was first found; its children are listed only there."""
    row = Layer(path, depth, cell, places.get(id(cell)))
    rows.append(row)
    if row.same_as is not None:
        return
    places[id(cell)] = path
    for name, child in cell._cells.items():
        if child is not None:
            _collect(child, join_path(path, name), depth + 1, rows, places)
