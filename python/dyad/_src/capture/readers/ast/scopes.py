"""Which names a function binds, which it declares global or nonlocal."""

import ast

from dyad._src.capture.semantics.code import Parameters, Scope


class _Collector(ast.NodeVisitor):
    """Collects the names that statements bind, without entering nested functions."""

    def __init__(self, scope):
        self.scope = scope

    def visit_Name(self, node):
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.scope.bound.add(node.id)

    def visit_Global(self, node):
        self.scope.global_names.update(node.names)

    def visit_Nonlocal(self, node):
        self.scope.nonlocal_names.update(node.names)

    def _visit_definition(self, node):
        self.scope.bound.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)

    def visit_FunctionDef(self, node):
        self._visit_definition(node)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = _visit_definition

    def visit_Lambda(self, node):
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)

    def _visit_import(self, node):
        for alias in node.names:
            self.scope.bound.add(alias.asname or alias.name.split(".")[0])

    visit_Import = _visit_import
    visit_ImportFrom = _visit_import

    def _visit_named(self, node):
        if node.name:
            self.scope.bound.add(node.name)
        self.generic_visit(node)

    visit_ExceptHandler = _visit_named
    visit_MatchAs = _visit_named
    visit_MatchStar = _visit_named

    def visit_MatchMapping(self, node):
        if node.rest:
            self.scope.bound.add(node.rest)
        self.generic_visit(node)

    def _visit_comprehension(self, node):
        # Its targets are names of its own; the first iterable and `:=` belong to the function around it.
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                self.scope.bound.add(part.target.id)

    visit_ListComp = _visit_comprehension
    visit_SetComp = _visit_comprehension
    visit_DictComp = _visit_comprehension
    visit_GeneratorExp = _visit_comprehension


def parameters_of(arguments):
    """The parameters that an `ast.arguments` lists."""
    return Parameters(
        tuple(argument.arg for argument in (*arguments.posonlyargs, *arguments.args)),
        len(arguments.posonlyargs),
        tuple(argument.arg for argument in arguments.kwonlyargs),
        None if arguments.vararg is None else arguments.vararg.arg,
        None if arguments.kwarg is None else arguments.kwarg.arg,
    )


def scope_of_function(node):
    scope = Scope()
    collector = _Collector(scope)
    body = node.body if isinstance(node.body, list) else [node.body]
    for statement in body:
        collector.visit(statement)
    scope.bound.update(parameters_of(node.args).names())
    scope.bound -= scope.global_names | scope.nonlocal_names
    return scope


def scope_of_comprehension(node):
    scope = Scope()
    scope.is_comprehension = True
    collector = _Collector(scope)
    for generator in node.generators:
        collector.visit(generator.target)
    return scope
