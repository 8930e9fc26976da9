"""Programs that change which Cells and Parameters a Cell has, and look at it from both sides afterwards."""

from program import Scene, scene

from dyad import Parameter, Tensor, nn

X = Tensor([[1.0, 2.0]])


def dense(value):
    return nn.Dense(2, 2, weight_init=value, bias_init="zeros")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.CellDict({"first": dense(1.0), "second": dense(2.0)})
        self.row = nn.CellList([dense(1.0), dense(2.0)])
        self.chain = nn.SequentialCell(dense(1.0), nn.ReLU())
        self.single = dense(4.0)
        self.spare = (dense(3.0), dense(5.0))
        self.weight = Parameter(Tensor([1.0, 1.0]), name="weight")


def members_scene(construct):
    class Made(Net):
        pass

    Made.construct = construct
    net = Made()

    def watch():
        lengths = [len(held) for held in (net.table, net.row, net.chain)]
        names = [parameter.name for parameter in net.get_parameters()]
        return lengths, list(net.table), names

    return Scene(net, watch=watch)


@scene(X, strict=False)
def entry_of_a_cell_dict_is_replaced():
    def construct(self, x):
        before = self.table["first"](x)
        self.table["first"] = self.spare[0]
        return before, self.table["first"](x), self.table.first(x), self.table["first"] is self.spare[0]

    return members_scene(construct)


@scene(X, strict=False)
def entry_of_a_cell_dict_is_deleted_and_made_again():
    def construct(self, x):
        del self.table["second"]
        left = list(self.table.keys()), hasattr(self.table, "second")
        self.table["second"] = self.spare[1]
        return left, self.table.second(x), list(self.table.keys())

    return members_scene(construct)


@scene(X, strict=False)
def cell_dict_is_emptied_and_filled():
    def construct(self, x):
        self.table.clear()
        empty = len(self.table)
        self.table.update([["a", self.spare[0]], ["b", self.spare[1]]])
        for cell in self.table.values():
            x = cell(x)
        taken = self.table.pop("a")
        return empty, x, taken is self.spare[0], list(self.table.keys()), taken(x)

    return members_scene(construct)


@scene(X, strict=False)
def cell_list_grows_and_shrinks():
    def construct(self, x):
        self.row.append(self.spare[0])
        grown = len(self.row), self.row[-1](x)
        self.row.insert(0, self.spare[1])
        first = self.row[0](x)
        del self.row[0]
        del self.row[-1]
        for cell in self.row:
            x = cell(x)
        return grown, first, x, len(self.row)

    return members_scene(construct)


@scene(X, strict=False)
def member_of_a_list_is_replaced():
    def construct(self, x):
        self.row[1] = self.spare[0]
        self.chain[0] = self.spare[1]
        return [cell(x) for cell in self.row], self.chain(x)

    return members_scene(construct)


@scene(X, strict=False)
def part_of_a_list_grows_alone():
    def construct(self, x):
        part = self.row[1:]
        part.append(self.spare[0])
        return [cell(x) for cell in part], len(self.row), len(part)

    return members_scene(construct)


@scene(X, strict=False)
def attribute_becomes_a_child():
    def construct(self, x):
        self.late = self.spare[0]
        self.single = self.spare[1]
        names = [name for name, _ in self.name_cells().items()]
        return self.late(x), self.single(x), "late" in names, len(names)

    return members_scene(construct)


@scene(X, strict=False)
def child_is_deleted():
    def construct(self, x):
        had = hasattr(self, "single")
        if had:
            x = self.single(x)
            del self.single
        return x, had, hasattr(self, "single"), len(list(self.cells()))

    return members_scene(construct)


@scene(X, strict=False)
def parameter_is_added():
    def construct(self, x):
        self.bias = Parameter(Tensor([2.0, 3.0]), name="bias")
        return x + self.bias, [parameter.name for parameter in self.get_parameters()][-1]

    return members_scene(construct)
