"""`SymbolTree`: the `construct` of a network as Nodes that can be changed, and the network that comes of it."""

import ast
import inspect
import itertools
import linecache
import textwrap
import weakref
from pathlib import Path
from typing import Any

from dyad._src.base.argument_checks import a_value
from dyad._src.capture.readers.ast.source_text import text_lines
from dyad.compat.mindspore.rewrite.flattening import Flattener
from dyad.compat.mindspore.rewrite.node import Node, NodeType
from dyad.compat.mindspore.rewrite.resolving import Resolver
from dyad.compat.mindspore.rewrite.scoped_value import ValueType, as_expression, as_value, is_path
from dyad.nn import Cell

__all__ = ["SymbolTree"]

_BODIES = ("body", "orelse", "finalbody")
_numbers = itertools.count(1)


class SymbolTree:
    """The statements of a network's `construct`, each with one operation, as Nodes in order.

    Make one with `SymbolTree.create(network)`; the network itself stays as it is, and `get_network` gives a new one
    that shares its Cells and Parameters.

    Example:
        >>> import dyad
        >>> from dyad import nn
        >>> from dyad.rewrite import Node, SymbolTree
        >>> tree = SymbolTree.create(nn.Flatten())
        >>> [node.get_name() for node in tree.nodes()][0]
        'input_x'
    """

    def __init__(self, network, function):
        self._network, self._function = network, function
        self._resolver = Resolver(network, function)
        self._objects = {}  # what inserted statements call, by the name that they call it
        self._members = {}  # Cells that the new network has besides
        self._definition = _definition_of(function)
        taken = {node.id for node in ast.walk(self._definition) if isinstance(node, ast.Name)}
        taken |= {node.arg for node in ast.walk(self._definition) if isinstance(node, ast.arg)}
        self._flattener = Flattener(taken)
        self._definition.body = self._flattener.statements(self._definition.body)
        self._names = set()
        self._inputs = [self._input(argument) for argument in _arguments_of(self._definition.args)[1:]]
        self._nodes = {}  # by statement
        self._file_name = f"{type(network).__name__}Opt.py"
        self._adopt(self._definition.body)

    @classmethod
    def create(cls, network):
        """The tree of a network; TypeError if it is not a Cell, ValueError if its `construct` cannot be rewritten."""
        if not isinstance(network, Cell):
            raise TypeError(f"SymbolTree.create: network is {a_value(network)}; need a Cell")
        function = inspect.unwrap(type(network).construct)
        if not inspect.isfunction(function):
            raise ValueError(f"SymbolTree.create: construct of {type(network).__name__} is no plain function")
        return cls(network, function)

    def _input(self, argument):
        return Node(NodeType.Input, argument, self._unique(f"input_{argument.arg}"), tree=self)

    def _unique(self, stem):
        name, number = stem, 0
        while name in self._names:
            number += 1
            name = f"{stem}_{number}"
        self._names.add(name)
        return name

    def _adopt(self, body):
        for statement in body:
            kind, stem, instance = self._resolver.resolve(statement)
            self._nodes[statement] = Node(kind, statement, self._unique(stem), instance, self)
            for name in _BODIES:
                self._adopt(getattr(statement, name, ()))

    def _in_order(self, body):
        for statement in body:
            yield self._nodes[statement]
            for name in _BODIES:
                yield from self._in_order(getattr(statement, name, ()))

    def _all_nodes(self):
        return [*self._inputs, *self._in_order(self._definition.body)]

    def nodes(self, all_nodes=False):
        """The Nodes in order; with `all_nodes` also those inside branches and loops, and of networks inside it."""
        if not all_nodes:
            yield from self._inputs
            yield from (self._nodes[statement] for statement in self._definition.body)
            return
        for node in self._all_nodes():
            yield node
            if node.get_sub_tree() is not None:
                yield from node.get_sub_tree().nodes(True)

    def get_node(self, node_name):
        """The Node of a name; None if there is none."""
        return next((node for node in self._all_nodes() if node.get_name() == node_name), None)

    def get_inputs(self):
        """The Nodes of the arguments."""
        return list(self._inputs)

    def unique_name(self, name="output"):
        """A name that no variable of the network has."""
        return self._flattener.fresh(name)

    def before(self, node):
        """The position before a Node, for `insert`."""
        return self._found("SymbolTree.before", node), 0

    def after(self, node):
        """The position behind a Node, for `insert`."""
        return self._found("SymbolTree.after", node), 1

    def insert(self, position, node):
        """Put a new Node at a position that `before` or `after` gave; returns it."""
        if not isinstance(node, Node) or node._wanted is None:
            raise ValueError(f"SymbolTree.insert: node is {node!r}; need one that no tree has")
        neighbor, offset = position
        if neighbor.get_symbol_tree() is not self:
            raise ValueError("SymbolTree.insert: the position is one of another tree")
        if neighbor.get_node_type() is NodeType.Output and offset:
            raise ValueError("SymbolTree.insert: nothing is computed behind the output")
        body, place = self._place(neighbor)
        self._write(node)
        body.insert(place + offset, node._statement)
        return node

    def _place(self, node):
        """The statements among which a Node stands, and its place; an input stands before all of them."""
        if node.get_node_type() is NodeType.Input:
            return self._definition.body, -1
        for body in self._bodies(self._definition):
            if node._statement in body:
                return body, body.index(node._statement)
        raise ValueError(f"SymbolTree: {node.get_name()} was erased")

    def _bodies(self, statement):
        for name in _BODIES:
            body = getattr(statement, name, None)
            if body:
                yield body
                for each in body:
                    yield from self._bodies(each)

    def _write(self, node):
        """Gives a new Node its statement and its place among the names."""
        targets, args, kwargs = node._wanted
        stem = node.get_name()
        if isinstance(node.get_instance(), Cell):
            name, number = stem, 0
            while hasattr(self._network, name) or name in self._members:
                number += 1
                name = f"{stem}_{number}"
            self._members[name] = node.get_instance()
            owner = ast.Name(self._definition.args.args[0].arg, ast.Load())
            called = ast.Attribute(owner, name, ast.Load())
            stem = name
        else:
            called = self._named_object(node.get_instance(), stem)
        expressions = [self._expression(arg) for arg in args]
        keywords = [ast.keyword(name, self._expression(value)) for name, value in kwargs.items()]
        places = [_stored(self._expression(target)) for target in targets]
        target = places[0] if len(places) == 1 else ast.Tuple(places, ast.Store())
        node._statement = ast.Assign([target], ast.Call(called, expressions, keywords))
        node._wanted, node._tree, node._name = None, self, self._unique(stem)
        self._nodes[node._statement] = node

    def _named_object(self, value, stem):
        """The name under which statements of the new network find an object."""
        for name, known in self._objects.items():
            if known is value:
                return ast.Name(name, ast.Load())
        name = self._flattener.fresh(stem if stem.isidentifier() else "value")
        self._objects[name] = value
        return ast.Name(name, ast.Load())

    def _expression(self, value):
        return as_expression(value, lambda each: self._named_object(each, type(each).__name__.lower()))

    def erase(self, node):
        """Take a Node away; returns it. Inputs and the output stay."""
        node = self._found("SymbolTree.erase", node)
        if node.get_node_type() in (NodeType.Input, NodeType.Output):
            raise ValueError(f"SymbolTree.erase: {node.get_name()} is an input or the output")
        body, place = self._place(node)
        if len(body) == 1:
            body.append(ast.Pass())
            self._adopt(body[1:])
        del body[place]
        self._names.discard(node.get_name())
        return node

    def replace(self, old_node, new_nodes):
        """Put new Nodes, in order, where an old one was; returns the last."""
        old = self._found("SymbolTree.replace", old_node)
        if not isinstance(new_nodes, list) or not new_nodes:
            raise TypeError(f"SymbolTree.replace: new_nodes is {new_nodes!r}; need a list of Nodes")
        for node in new_nodes:
            self.insert(self.before(old), node)
        self.erase(old)
        return new_nodes[-1]

    def _has(self, node):
        """True if a Node is still among the statements."""
        inputs = node.get_node_type() is NodeType.Input
        return inputs or any(node._statement in body for body in self._bodies(self._definition))

    def _take_over_targets(self, new, old):
        """Lets a new Node give its values the names that those of an old one have."""
        names = old.get_targets()
        if len(new._wanted[0]) != len(names):
            raise ValueError(
                f"SymbolTree: {new.get_name()} gives {len(new._wanted[0])} values in place of {old.get_name()}, "
                f"which gives {len(names)}; need as many"
            )
        new._wanted = (names, *new._wanted[1:])

    def _found(self, owner, node):
        found = self.get_node(node) if isinstance(node, str) else node
        if not isinstance(found, Node) or found.get_symbol_tree() is not self:
            raise ValueError(f"{owner}: node is {node!r}; need a Node of this tree, or its name")
        return found

    def _provider(self, node, value):
        """The Node before `node` that gives a value, among its neighbors and those around them."""
        if value.type is not ValueType.NamingValue:
            return None
        body, place = self._place(node)
        while True:
            for statement in reversed(body[: max(place, 0)]):
                if value in self._nodes[statement].get_targets():
                    return self._nodes[statement]
            around = self._around(body)
            if around is None:
                return next((each for each in self._inputs if value in each.get_targets()), None)
            body, place = self._place(around)

    def _around(self, body):
        """The Node whose statement has this body; None for the body of the function."""
        for statement, node in self._nodes.items():
            if any(getattr(statement, name, None) is body for name in _BODIES):
                return node
        return None

    def get_code(self):
        """The text of the new network's class."""
        name = type(self._network).__name__
        body = textwrap.indent(ast.unparse(ast.fix_missing_locations(self._definition)), "    ")
        return f"class {name}Opt({name}):\n\n{body}\n"

    def get_handler(self):
        """The tree itself."""
        return self

    def all_nodes(self, subtree_nodes=True):
        """All Nodes, also those inside branches and loops, and with `subtree_nodes` of networks inside it."""
        yield from self.nodes(True) if subtree_nodes else self._all_nodes()

    def set_output(self, index, return_value):
        """Return another variable at a place of the output; gives the Node of the output."""
        output = next(node for node in self.nodes() if node.get_node_type() is NodeType.Output)
        output.set_arg(index, return_value)
        return output

    def get_saved_file_name(self):
        """The file that `save_network_to_file` writes."""
        return self._file_name

    def set_saved_file_name(self, file_name):
        """Choose the file that `save_network_to_file` writes; ".py" is put behind a name without it."""
        if not isinstance(file_name, str):
            raise TypeError(f"SymbolTree.set_saved_file_name: file_name is {a_value(file_name)}; need a str")
        self._file_name = file_name if file_name.endswith(".py") else f"{file_name}.py"

    def save_network_to_file(self):
        """Write the text of the new network's class into its file."""
        Path(self._file_name).write_text(self.get_code(), encoding="utf-8")

    def dump(self):
        """Print the table of the Nodes, and the text of the new network's class."""
        self.print_node_tabulate()
        print(self.get_code())

    def flatten_static_if_control_flow(self):
        """Put the branch that is taken in the place of each `if` that only asks for settings of the network."""
        for body in [*self._bodies(self._definition)]:
            for statement in [each for each in body if isinstance(each, ast.If)]:
                known, value = self._static(self._nodes[statement], statement.test)
                if known:
                    chosen = statement.body if value else statement.orelse
                    place = body.index(statement)
                    body[place : place + 1] = chosen
                    self._names.discard(self._nodes[statement].get_name())
        if any(isinstance(each, ast.If) and self._is_static(each) for each in self._definition.body):
            self.flatten_static_if_control_flow()  # what stood inside a branch is seen now

    def _is_static(self, statement):
        return self._static(self._nodes[statement], statement.test)[0]

    def _static(self, node, expression):
        """(whether an expression is the same in every call, its value): constants, and settings of the network."""
        if isinstance(expression, ast.Constant):
            return True, expression.value
        if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.Not):
            known, value = self._static(node, expression.operand)
            return known, not value if known else None
        if isinstance(expression, ast.Name):
            provider = self._provider(node, as_value(expression))
            if provider is None or not isinstance(provider._statement, ast.Assign):
                return False, None
            return self._static(provider, provider._statement.value)
        if not is_path(expression) or not isinstance(expression, ast.Attribute):
            return False, None
        first, *rest = ast.unparse(expression).split(".")
        if first != self._definition.args.args[0].arg:
            return False, None
        value = self._network
        for name in rest:
            value = getattr(value, name, ...)
        return isinstance(value, (bool, int, float, str, type(None))), value

    def print_node_tabulate(self, all_nodes=False):
        """Print a table of the Nodes: their types, names, statements, and where their values come from and go to."""
        rows = [("node type", "name", "codes", "arg providers", "target users")]
        for node in self.nodes(all_nodes):
            code = (
                "" if isinstance(node._statement, ast.arg) else ast.unparse(node._statement).splitlines()[0]
            )
            inputs, users = (
                [each.get_name() for each in found] for found in (node.get_inputs(), node.get_users())
            )
            rows.append(
                (node.get_node_type().name, node.get_name(), code, ", ".join(inputs), ", ".join(users))
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())

    def get_origin_network(self):
        """The network that the tree was made of."""
        return self._network

    def get_network(self):
        """A new network that computes what the tree says, with the Cells and Parameters of the old one."""
        kind = type(self._network)
        made_class: Any = type(f"{kind.__name__}Opt", (kind,), {"construct": self._construct()})
        made_class.__module__ = kind.__module__
        made = made_class.__new__(made_class)
        Cell.__init__(made, auto_prefix=self._network._auto_prefix)
        own = set(vars(made))
        for name, value in vars(self._network).items():
            if name not in own:
                setattr(made, name, value)
        made.training = self._network.training
        made._flags.update(self._network.get_flags())
        for name, cell in self._members.items():
            setattr(made, name, cell)
        for node in self._all_nodes():
            if node._sub_tree is not None:
                setattr(made, node._statement.value.func.attr, node._sub_tree.get_network())
        return made

    def _construct(self):
        """The function of the tree, whose text can be read again."""
        definition = ast.fix_missing_locations(self._definition)
        text = ast.unparse(definition) + "\n"
        filename = f"<rewritten {type(self._network).__name__} {next(_numbers)}>"
        namespace = {**self._resolver.names, **self._objects}
        exec(compile(text, filename, "exec"), namespace)
        function = namespace[definition.name]
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        weakref.finalize(function, linecache.cache.pop, filename, None)
        return function


def _definition_of(function):
    code = function.__code__
    lines = inspect.getblock(text_lines(code, function.__globals__)[code.co_firstlineno - 1 :])
    definition: Any
    [definition] = ast.parse(textwrap.dedent("".join(lines))).body
    refused = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
    for node in ast.walk(definition):
        if isinstance(node, refused) or (isinstance(node, ast.Name) and node.id in ("super", "__class__")):
            raise ValueError(
                f"SymbolTree.create: {code.co_qualname} uses {ast.unparse(node)!r}, which cannot be rewritten"
            )
    definition.decorator_list = []
    if not isinstance(definition.body[-1], ast.Return):
        definition.body.append(ast.Return(ast.Constant(None)))
    if ast.get_docstring(definition) is not None:
        del definition.body[0]
    return definition


def _arguments_of(arguments):
    found = [
        *arguments.posonlyargs,
        *arguments.args,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
    ]
    return [argument for argument in found if argument is not None]


def _stored(expression):
    expression.ctx = ast.Store()
    return expression
