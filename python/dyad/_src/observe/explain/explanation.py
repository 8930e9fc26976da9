"""The result of `dyad.explain`: the steps from a call to a graph, in words and figures."""

import dataclasses
import linecache

from dyad._src.jit.graph_break.bytecode.code_listing import instructions_text
from dyad._src.observe.explain.explanation_page import explanation_html
from dyad._src.observe.explain.explanation_text import explanation_text

_READERS = {
    "ast": "from its source",
    "bytecode": "from its bytecode",
    "trace": "by running it once",
}


@dataclasses.dataclass(frozen=True)
class Stage:
    """One step from the program to the executable: its duration, and the number of nodes after it."""

    name: str
    milliseconds: float
    nodes: int | None


@dataclasses.dataclass(frozen=True)
class MemoryPlan:
    """Bytes for the intermediate results of one run: as planned, without reuse of memory, and live at once.

    No plan for the same steps uses less than `least_bytes`.
    """

    planned_bytes: int
    unplanned_bytes: int
    least_bytes: int


@dataclasses.dataclass(frozen=True)
class GeneratedKernel:
    """A fused function of the graph and the code generated for it."""

    name: str
    function: str
    loops: str
    llvm: str
    assembly: str


@dataclasses.dataclass(frozen=True)
class FusedGroup:
    """Operators that are computed together. Without `has_code`, there is no code for them and they run one by one."""

    name: str
    operators: tuple
    has_code: bool


@dataclasses.dataclass(frozen=True)
class DerivedPair:
    """The two graphs of a recorded call: a forward that saves residuals, and a backward that reads them.

    `wanted` has for each input whether its gradient is requested. `backward_nodes` is 0 before the first backward. If
    `refusal` is not empty, it is the reason why the tape records each operator by itself.
    """

    wanted: tuple
    refusal: str
    forward_nodes: int
    backward_nodes: int
    residuals: int
    residual_bytes: int


_GROWING_INTS = {
    "number_add": "+",
    "number_sub": "-",
    "number_mul": "*",
    "number_pow": "**",
    "number_lshift": "<<",
    "number_neg": "-",
    "number_abs": "abs",
}


class Explanation:
    """Printing it shows everything; the attributes are its parts.

    `rejection` is the text of the error if the call is not a single graph, else None. `pieces` are then the parts of
    the function in order, graphs and the statements that Python runs, if it has been called. In bytecode mode
    `rewritten` are then the instructions that Python runs, including calls of the parts. `graph` is a GraphView,
    `guards` are lines of text, `compilations` those of the callable so far, `stages` list capture, passes and plan in
    order. `groups` are the groups of operators that are computed together, `alone` the other operators, each as often
    as it occurs. `derived` are the pairs of graphs that recorded calls have derived from this one, for their
    gradients. `slower` lists fallbacks to slower methods in words. `wide_ints` lists the lines where the graph
    computes ints, which have 64 bits there: larger values are an OverflowError, while Python's ints have no limit.
    """

    def __init__(self, inspection):
        target, report = inspection.target, inspection.report
        self.name = target.report.describe()
        self.capture_mode = inspection.options.capture_mode
        self.how = f"{_READERS[self.capture_mode]} (capture_mode={self.capture_mode!r}); {target.reason}"
        self.compilations = tuple(target.report.compilations)
        self.slower = tuple(target.report.slower)
        self.call = _call_text(inspection)
        error = inspection.error
        self.rejection = None if error is None else f"{type(error).__name__}: {error}"
        self.pieces = () if error is None else tuple(_pieces(target.compiler.split))
        self.rewritten = tuple(_rewritten(target.compiler.split)) if self.capture_mode == "bytecode" else ()
        self.runs_in_python = inspection.runs_in_python
        self.graph = inspection.view
        self.guards = () if error else tuple(inspection.tree.describe())
        self.stages = () if error else tuple(_stages(inspection))
        self.memory = (
            None
            if error
            else MemoryPlan(report["planned_bytes"], report["unplanned_bytes"], report["least_bytes"])
        )
        self.steps = None if error else report["steps"]
        self.groups: tuple
        self.alone: tuple
        self.groups, self.alone = ((), ()) if error else _groups(self.graph.compiled, report)
        self.wide_ints = () if error else tuple(_wide_ints(self.graph))
        self.derived = tuple(_derived(inspection.entry))
        self._program = inspection.program

    @property
    def nodes_before(self):
        """Nodes of the graph as it was captured."""
        return self.graph.nodes if self.graph else None

    @property
    def nodes_after(self):
        """Nodes of the graph that runs."""
        return self.graph.compiled.nodes if self.graph else None

    @property
    def kernels(self):
        """The generated code, a GeneratedKernel for each; it is listed on request."""
        code = [] if self._program is None else self._program.generated_code()
        return tuple(GeneratedKernel(**kernel) for kernel in code)

    def __str__(self):
        return explanation_text(self)

    def __repr__(self):
        state = (
            ("split" if self.runs_in_python else "rejected")
            if self.rejection
            else f"{self.nodes_before} nodes, {self.nodes_after} after the passes"
        )
        return f"<explanation of {self.name}: {state}>"

    def _repr_html_(self):
        return explanation_html(self)


def _pieces(split):
    return split.pieces() if hasattr(split, "pieces") else ()


def _rewritten(split):
    return instructions_text(split.runnable().__code__) if hasattr(split, "runnable") else ()


def _call_text(inspection):
    if not inspection.target.is_jitted:
        return "would be compiled when it is first called"
    if inspection.runs_in_python:
        return "is run by Python, with graphs for parts of it"
    if inspection.entry is None:
        return f"would be compiled: {inspection.cause}"
    compiled = inspection.target.report.compilation_of(inspection.entry)
    return "is served by a compiled graph" if compiled is None else f"is served by graph {compiled.number}"


def _groups(view, report):
    """(the fused functions of a graph, the operators outside of them)."""
    functions = view.functions.values()
    groups = tuple(
        FusedGroup(
            function.name,
            tuple(node.name for node in function.nodes if node.kind == "operator"),
            function.name not in report["without_code"],
        )
        for function in functions
        if function.fused
    )
    alone = tuple(
        node.name
        for function in functions
        if not function.fused
        for node in function.nodes
        if node.kind == "operator"
    )
    return groups, alone


def _wide_ints(view):
    """The lines in which the result of an operator on ints may need more than 64 bits."""
    found: dict = {}
    for function in view.functions.values():
        for node in function.nodes:
            if node.name not in _GROWING_INTS or node.results[0].type != "number int64" or not node.line:
                continue
            # A number that selects one of several results belongs to the statement, not to an expression.
            if not linecache.getline(node.file, node.line)[node.column :].startswith("return"):
                operators = found.setdefault((node.file, node.line), [])
                if _GROWING_INTS[node.name] not in operators:
                    operators.append(_GROWING_INTS[node.name])
    for (file, line), operators in sorted(found.items()):
        yield f"{file}:{line}: {', '.join(operators)}"


def _derived(entry):
    if entry is None or entry.program is None:
        return
    for figures in entry.program.derived:
        yield DerivedPair(**{**figures, "wanted": tuple(figures["wanted"])})


def _stages(inspection):
    report = inspection.report
    if inspection.capture_milliseconds is not None:
        yield Stage("capture", inspection.capture_milliseconds, inspection.view.nodes)
    for name, milliseconds, nodes in report["stages"]:
        yield Stage(name, milliseconds, nodes)
