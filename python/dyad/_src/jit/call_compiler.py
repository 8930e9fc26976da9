"""What happens when a jitted callable is called and no compiled graph fits the arguments."""

import collections
import inspect
import time

from dyad import _core
from dyad._src import environment
from dyad._src.jit.argument_shapes import ArgumentShapes
from dyad._src.jit.cause import cause_of, changed_outside
from dyad._src.jit.compile_cache import drop_entry, every_compiled_function, fits
from dyad._src.jit.report import CompileReport, location_of
from dyad._src.lazy_import import load
from dyad._src.mutable import require_one_type
from dyad._src.no_effect import say_unread_variables

# Compiled graphs that one callable keeps; the least recently used goes first.
CACHE_LIMIT = 64
# So often may graphs be made because something outside of the arguments has changed, if they are hardly used.
_MOST_CHANGES = 24


class CallCompiler:
    """Compiles the calls of one function. It is what `_core.CompiledFunction` asks when its entries do not fit.

    `templates` are those that `jit` was given. `waiting` holds entries that were compiled while running was switched
    off.
    """

    def __init__(self, function, options, templates=None):
        # The front end is no part of `import dyad`; it is loaded when something is jitted, before its first call.
        self.capture = load("dyad._src.capture.entry")
        self.function = function
        self.options = options
        self.shapes = ArgumentShapes(function, options, templates)
        say_unread_variables()
        self.report = CompileReport(function.__qualname__, location_of(function))
        self.waiting = []
        self.split = None  # the SplitFunction, if a graph cannot hold the function as a whole
        self.callees = None  # what host code calls, where the function itself is called by host code
        self._generalised = {}
        self._changes = collections.Counter()  # path of an object -> graphs made because it had changed

    def __call__(self, compiled, args, kwargs):
        if environment.jit_is_off() or _core.current_graph() is not None or not self.takes(args, kwargs):
            # While another graph is captured this call is part of that one. A call that does not fit the signature is
            # refused by Python itself, before anything runs.
            return self.function(*args, **kwargs)
        if environment.precompile_only():
            self.prepare(compiled, args, kwargs)
            return None
        if self.waiting:
            self._admit_waiting(compiled)
            return compiled(*args, **kwargs)
        if self.options.capture_mode == "trace":
            return self._trace(compiled, args, kwargs)
        entry = None if self.split is not None else self._add(compiled, args, kwargs)
        if entry is None:
            return self.run_split(args, kwargs)
        return compiled.run(entry, args, kwargs)

    def run_split(self, args, kwargs):
        """The call with Python running what no graph can hold."""
        return self.split(*args, **kwargs)

    def takes(self, args, kwargs):
        """Whether the call fits the signature of the function."""
        try:
            inspect.signature(self.function, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError:
            return False
        return True

    def prepare(self, compiled, args, kwargs):
        """Compile for such a call, unless that has been done, and run nothing."""
        if environment.precompile_only():
            if not any(fits(entry, args, kwargs) for entry in self.waiting):
                entry, _ = self._compile(compiled, args, kwargs)
                self.waiting += [entry] if entry is not None else []
        elif not any(fits(entry, args, kwargs) for entry in compiled.entries):
            self._add(compiled, args, kwargs)

    def options_for(self, args, kwargs, remember=True):
        """(the options to compile this call with, what calls share that one generalised graph serves).

        Without `remember` nothing is going to be compiled.
        """
        options = self.current_options(args)
        templates, kind = self.shapes.of_call(args, kwargs, remember)
        syntax_level = environment.syntax_level(options.syntax_level)
        jit_level = environment.jit_level(options.jit_level)
        return options.replace(templates=templates, syntax_level=syntax_level, jit_level=jit_level), kind

    def current_options(self, args):
        """The options to compile a call with these arguments with."""
        return self.options

    def _admit_waiting(self, compiled):
        waiting, self.waiting = self.waiting, []
        for entry in waiting:
            compiled.add(entry)

    def _add(self, compiled, args, kwargs):
        """The new entry for such calls; None if the function is split instead."""
        entry, kind = self._compile(compiled, args, kwargs)
        if entry is None:
            return None
        if kind is not None:
            # The new graph serves what the earlier one for such calls did, and more.
            earlier = self._generalised.get(kind)
            if earlier is not None:
                drop_entry(compiled, earlier)
            self._generalised[kind] = entry
        compiled.add(entry)
        return entry

    def _compile(self, compiled, args, kwargs):
        options, kind = self.options_for(args, kwargs)
        suspends = self._suspends()
        if suspends and options.lax:
            self.split_at(compiled, self.capture.Refusal(None, suspends), options)
            return None, None
        self.require_compilable(args, kwargs)
        cause = cause_of(compiled, args, kwargs)
        changed = changed_outside(compiled, args, kwargs)
        if changed:
            self._changes[changed] += 1
            if options.lax and self._changes_always(compiled):
                refusal = self.capture.Refusal(None, f"{changed} changes from call to call")
                self.split_at(compiled, refusal, options)
                return None, None
        options = options.replace(changes=self._changes)
        self.report.started()
        start = time.perf_counter()
        try:
            entry = self.capture.compile_call(compiled, self.function, args, kwargs, options)
        except Exception as error:
            refusal = self.capture.refusal_of(error)
            if refusal is None:
                raise
            if options.lax:
                error.__traceback__ = None  # its frames hold what the program gave
            entry, options = self._compile_less(compiled, args, kwargs, options, error)
            if entry is None:
                self.split_at(compiled, refusal, options)
                return None, None
            kind = None
        self.report.finished(cause, time.perf_counter() - start, options, entry)
        return entry, kind

    def _changes_always(self, compiled):
        """Whether something outside of the arguments is another with nearly every call."""
        made = self._changes.total()
        return made >= _MOST_CHANGES and compiled.hits < 2 * made

    def _compile_less(self, compiled, args, kwargs, options, error):
        """(an entry for this call alone, its options), where the general one is refused with `error`.

        Something may need to know a size or a number that was to be open. There is no entry if Python must help.
        """
        if isinstance(error, _core.CaptureError) and (options.templates or options.variable_numbers):
            options = options.replace(templates={}, variable_numbers=frozenset())
            try:
                entry = self.capture.compile_call(compiled, self.function, args, kwargs, options)
            except Exception as second:
                if not options.lax or self.capture.refusal_of(second) is None:
                    raise
                second.__traceback__ = None
            else:
                reason = str(error).splitlines()[0]
                self.report.falls_back(
                    f"sizes cannot be left open, so each gets a graph of its own: {reason}"
                )
                return entry, options
        if not options.lax:
            raise error
        return None, options

    def split_at(self, compiled, refusal, options):
        """Lets Python run the function from now on, with graphs for all of it but the statement that was refused."""
        self.report.splits(refusal.because)
        compiled.clear()
        try:
            self.split = load("dyad._src.jit.split.parts").split_function(
                compiled, self.function, options, callees=self.callees
            )
        except (OSError, TypeError):  # without its text it is not taken apart
            self.split = compiled.python_form = self.function
        else:
            self.split.on_slow = self.report.runs_slowly
            self.split.cut(refusal.statement, refusal.because, refusal.expression)

    def _trace(self, compiled, args, kwargs):
        """Run the function while its operators are recorded; what is recorded serves later calls."""
        self.require_compilable(args, kwargs)
        options, _ = self.options_for(args, kwargs)
        cause = cause_of(compiled, args, kwargs)
        self.report.started()
        start = time.perf_counter()
        entry, result = self.capture.trace_call(compiled, self.function, args, kwargs, options)
        self.report.finished(cause, time.perf_counter() - start, options, entry)
        if entry is not None:
            compiled.add(entry)
        return result

    def _suspends(self):
        """Why the function cannot be run from start to end, in words; empty if it can."""
        if inspect.iscoroutinefunction(self.function) or inspect.isasyncgenfunction(self.function):
            return "it is an async function"
        return "it is a generator function" if inspect.isgeneratorfunction(self.function) else ""

    def require_compilable(self, args, kwargs):
        """Refuses functions and arguments that no graph can have, whatever is in them."""
        name = self.function.__qualname__
        if inspect.iscoroutinefunction(self.function):
            raise TypeError(
                f"jit: {name} is an async function; a graph runs from start to end, take async off"
            )
        if inspect.isgeneratorfunction(self.function) or inspect.isasyncgenfunction(self.function):
            raise RuntimeError(
                f"jit: {name} is a generator function; a graph has no yield, return a list instead"
            )
        for value in (*args, *kwargs.values()):
            require_one_type(name, value)


def make_compiled(function, options, templates=None, compiler_kind=CallCompiler):
    """(the compiled callable over a function, its compiler): entries first, the compiler when none fits."""
    compiler = compiler_kind(function, options, templates)
    compiled = _core.CompiledFunction(compiler, limit=CACHE_LIMIT, name=function.__qualname__)
    every_compiled_function.add(compiled)
    return compiled, compiler
