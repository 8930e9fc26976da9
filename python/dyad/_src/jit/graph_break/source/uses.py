"""Which names statements read and write, told by their syntax trees."""

import ast
import functools

from dyad._src.capture.readers.ast.scopes import scope_of_comprehension, scope_of_function

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
# Built-in functions that take all elements of a generator expression before they return.
_CONSUMING = frozenset(
    ("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple")
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def own_nodes(*nodes):
    """The nodes that the function itself executes: nested functions and classes are given, and not entered."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, FUNCTIONS):
            stack.extend(
                (*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None))
            )
            stack.extend(getattr(node, "decorator_list", ()))
        else:
            stack.extend(ast.iter_child_nodes(node))


@functools.lru_cache(maxsize=8192)
def suspends(node):
    """Returns whether a statement hands control to the caller in the middle: `yield`, `await`."""
    return any(
        isinstance(part, _SUSPENDING) or (isinstance(part, ast.comprehension) and part.is_async)
        for part in own_nodes(node)
    )


@functools.lru_cache(maxsize=8192)
def returns(node):
    """Returns whether a statement may leave the function."""
    return any(isinstance(part, ast.Return) for part in own_nodes(node))


@functools.lru_cache(maxsize=8192)
def leaves_loop(node):
    """Returns whether a statement may leave, or go on with, a loop around it."""
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Break, ast.Continue)):
            return True
        if isinstance(part, _LOOPS):
            stack.extend(part.orelse)
        elif not isinstance(part, (*DEFINITIONS, ast.expr)):
            stack.extend(ast.iter_child_nodes(part))
    return False


@functools.lru_cache(maxsize=8192)
def names_read(node):
    """The names that a statement or expression may read from the function, nested functions included."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            found.add(part.target.id)
        elif isinstance(part, (ast.Nonlocal, ast.Global)):
            found.update(part.names)
    return frozenset(found - _names_of_comprehensions(node))


def _names_of_comprehensions(node):
    """Names that only comprehensions in an expression bind: they are not the function's."""
    if isinstance(node, ast.stmt) and not isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)):
        return frozenset()
    bound, outside = set(), set()
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, COMPREHENSIONS):
            bound |= scope_of_comprehension(part).bound
            stack.append(part.generators[0].iter)
        elif isinstance(part, FUNCTIONS):
            outside |= {name.id for name in ast.walk(part) if isinstance(name, ast.Name)}
        else:
            if isinstance(part, ast.Name):
                outside.add(part.id)
            stack.extend(ast.iter_child_nodes(part))
    return bound - outside


@functools.lru_cache(maxsize=8192)
def names_written(node):
    """The names that a statement may bind or delete."""
    scope = scope_of_block([node])
    return frozenset(scope.bound | scope.global_names | scope.nonlocal_names)


def scope_of_block(statements):
    """The scope of a function without parameters that has these statements."""
    return scope_of_function(ast.FunctionDef(name="", args=_NO_ARGUMENTS, body=statements, decorator_list=[]))


_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def names_bound_by(target):
    """The names that an assignment to a target binds for certain."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*(names_bound_by(element) for element in target.elts))
    if isinstance(target, ast.Starred):
        return names_bound_by(target.value)
    return set()


def names_certainly_bound(statement):
    """The names that a simple statement binds if it does not raise."""
    if isinstance(statement, ast.Assign):
        return set().union(*(names_bound_by(target) for target in statement.targets))
    if isinstance(statement, ast.AugAssign) or (
        isinstance(statement, ast.AnnAssign) and statement.value is not None
    ):
        return names_bound_by(statement.target)
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    return set()


def names_captured(function):
    """(names that functions, lambdas and classes inside may read later, those of them that they may write)."""
    read, written = set(), set()
    for part in _nested(function):
        read |= names_read(part)
        for inner in ast.walk(part):
            if isinstance(inner, ast.Nonlocal):
                written.update(inner.names)
    return read, written


def _nested(function):
    body = function.body if isinstance(function.body, list) else [function.body]
    return _lazy_parts(own_nodes(*body))


def _lazy_parts(nodes):
    """Those of the nodes that read names later: functions, classes, generator expressions not consumed at once."""
    nodes = list(nodes)
    consumed = {
        id(argument)
        for call in nodes
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _CONSUMING
        for argument in call.args
    }
    lazily = (*FUNCTIONS, ast.ClassDef, ast.GeneratorExp)
    return [part for part in nodes if isinstance(part, lazily) and id(part) not in consumed]


@functools.lru_cache(maxsize=8192)
def names_kept(node):
    """The names that functions and generator expressions in a statement read when they are called or asked."""
    return frozenset().union(*map(names_read, _lazy_parts(ast.walk(node))))


def names_bound_once(function):
    """Name -> the line in which it is bound, for the names of a function that are bound in one place, once."""
    once, again = dict.fromkeys(argument_names(function.args), 0), set()

    def note(name, in_loop):
        if in_loop or name in once:
            again.add(name)
        once[name] = part.lineno

    stack = [
        (part, False) for part in (function.body if isinstance(function.body, list) else [function.body])
    ]
    while stack:
        part, in_loop = stack.pop()
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            note(part.id, in_loop)
        elif isinstance(part, DEFINITIONS):
            note(part.name, in_loop)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            for alias in part.names:
                note(alias.asname or alias.name.split(".")[0], in_loop)
        elif isinstance(part, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and part.name:
            again.add(part.name)
        elif isinstance(part, ast.MatchMapping) and part.rest:
            again.add(part.rest)
        if not isinstance(part, (*FUNCTIONS, ast.ClassDef, *COMPREHENSIONS)):
            inside = in_loop or isinstance(part, _LOOPS)
            stack += [(child, inside) for child in ast.iter_child_nodes(part)]
        elif isinstance(part, COMPREHENSIONS):
            again |= {named.target.id for named in ast.walk(part) if isinstance(named, ast.NamedExpr)}
    return {name: line for name, line in once.items() if name not in again}


def argument_names(arguments):
    """The names of all parameters of a function."""
    named = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    return [argument.arg for argument in named if argument is not None]


def statements_with(names, statements):
    """The innermost statements that mention one of the names -> what `names` says of it."""
    found = {}
    stack = list(statements)
    while stack:
        statement = stack.pop()
        heads = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, _BLOCKS)]
        mentioned = [
            part.id
            for head in heads
            for part in ast.walk(head)
            if isinstance(part, ast.Name) and part.id in names
        ]
        if mentioned:
            found[statement] = names[mentioned[0]]
        stack += _statements_inside(statement)
    return found


def _statements_inside(statement):
    """The statements directly inside of a compound one."""
    for part in ast.iter_child_nodes(statement):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, (ast.ExceptHandler, ast.match_case)):
            yield from part.body
