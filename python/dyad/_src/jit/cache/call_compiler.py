"""Compiles a jitted callable when no cached graph matches the arguments."""

import collections
import inspect
import time
from typing import Any

from dyad import _core
from dyad._src.base.break_reasons import BYTECODE, UNKNOWN, YIELD
from dyad._src.base.lazy_import import load
from dyad._src.base.no_effect import say_unread_variables
from dyad._src.capture.errors import is_interruption
from dyad._src.context import environment
from dyad._src.jit.cache.cause import cause_of, changed_outside
from dyad._src.jit.cache.compile_cache import drop_entry, every_compiled_function, fits, keep_within
from dyad._src.jit.cache.redundant_entries import RedundantEntries
from dyad._src.jit.cache.report import CompileReport, location_of
from dyad._src.jit.dynamic_shapes.argument_shapes import (
    ArgumentShapes,
    constant_values_of,
    static_attempts_of,
)
from dyad._src.jit.dynamic_shapes.dynamic_inputs import DynamicInputs, sizes_of_call
from dyad._src.jit.dynamic_shapes.dynamic_numbers import NumberPolicy
from dyad._src.jit.dynamic_shapes.dynamic_sizes import OuterShapes
from dyad._src.jit.options.options import GuardStrictness
from dyad._src.tensor.mutable import require_one_type

# Compiled graphs that one callable keeps; the least recently used goes first.
CACHE_LIMIT = 64
_NO_LIMIT = 1 << 30
# A callable that is compiled this often, and whose graphs are hardly used, meets something new with nearly every call.
MOST_GRAPHS = 16
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
        self.numbers = NumberPolicy(constant_values_of(options, function))
        self._outer_shapes = OuterShapes(static_attempts_of(options, function))
        self._dynamic_inputs = DynamicInputs()
        self._redundant_entries = RedundantEntries()
        say_unread_variables()
        self.report = CompileReport(function.__qualname__, location_of(function))
        self.waiting = []
        self.split: Any = None  # the SplitFunction, if a graph cannot hold the function as a whole
        self._traces_own_gradients = False  # whether a trace met gradients that Python computes
        self._traces_random_weights = False  # whether one met weights that are drawn in each call
        self.callees = None  # what host code calls, where the function itself is called by host code
        self._refusal = None  # why the function was split, until it has run for the first time
        # path of an object -> graphs made because it had changed
        self._changes: collections.Counter = collections.Counter()

    def __call__(self, compiled, args, kwargs):
        if self.runs_as_written(args, kwargs):
            return self.function(*args, **kwargs)
        if environment.precompile_only():
            self.prepare(compiled, args, kwargs)
            return None
        if self.waiting:
            self._admit_waiting(compiled)
            return compiled(*args, **kwargs)
        if self.options.capture_mode == "trace":
            return self._trace(compiled, args, kwargs)
        if self.split is None and self.makes_too_many(compiled):
            self.report.falls_back(f"compiled {MOST_GRAPHS} times, so Python runs it where no graph fits")
            self.stop_compiling(compiled)
        entry = None if self.split is not None else self._add(compiled, args, kwargs)
        if entry is None:
            return self.run_split(args, kwargs)
        return compiled.run(entry, args, kwargs)

    def forget(self):
        """Lets go of entries that the compiled function does not have."""
        self.waiting.clear()

    def runs_as_written(self, args, kwargs):
        """Returns whether nothing is compiled for this call, whatever the function is.

        While another graph is captured this call is part of that one. A call that does not fit the signature is refused
        by Python itself, before anything runs.
        """
        return environment.jit_is_off() or _core.current_graph() is not None or not self.takes(args, kwargs)

    def makes_too_many(self, compiled):
        """Returns whether graphs are made with nearly every call: none is to be made any more then."""
        made = len(self.report.compilations)
        in_python = self.options.capture_mode == "bytecode" and not self.options.fullgraph
        return in_python and made >= MOST_GRAPHS and compiled.hits < 2 * made

    def stop_compiling(self, compiled):
        """Makes no more graphs; those that were hardly used go."""
        self.split = compiled.python_form = self.function
        if compiled.hits < MOST_GRAPHS:
            compiled.clear()

    def run_split(self, args, kwargs):
        """The call with Python running what no graph can hold."""
        refusal, self._refusal = self._refusal, None
        callees = getattr(self.split, "callees", None)
        if refusal is None or callees is None:
            return self.split(*args, **kwargs)
        with callees.splitting(refusal):
            return self.split(*args, **kwargs)

    def run_unrecorded(self, error, args, kwargs):
        """Has Python run a call whose graph a tape cannot have; raises `error`, which says so, where Python may not."""
        options = self.current_options(args)
        if not options.lax or options.raises_at_breaks:
            raise error
        self.report.falls_back(f"Python runs calls whose gradient is recorded: {error}")
        return self.run_in_python(args, kwargs)

    def run_in_python(self, args, kwargs):
        """The call without a graph of the function."""
        return self.function(*args, **kwargs)

    def takes(self, args, kwargs):
        """Returns whether the call fits the signature of the function."""
        try:
            inspect.signature(self.function, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError as error:
            if is_interruption(error):
                raise
            return False
        return True

    def prepare(self, compiled, args, kwargs):
        """Compile for such a call, unless that has been done, and run nothing."""
        if environment.precompile_only():
            if not any(fits(entry, args, kwargs) for entry in self.waiting):
                entry, _ = self._compile(compiled, args, kwargs, runs_nothing=True)
                self.waiting += [entry] if entry is not None else []
        elif not any(fits(entry, args, kwargs) for entry in compiled.entries):
            self._add(compiled, args, kwargs, runs_nothing=True)

    def options_for(self, args, kwargs, remember=True):
        """The options to compile this call with. Without `remember` nothing is going to be compiled."""
        options = self.current_options(args)
        keys = options.bytecode
        options = options.replace(
            templates=self.shapes.of_call(args, kwargs, remember),
            variable_numbers=self.numbers.variable(args, kwargs, remember),
            syntax_level=environment.syntax_level(options.syntax_level),
            jit_level=environment.jit_level(options.jit_level),
            guards=GuardStrictness(keys.specialize_container, same_tensors=keys.specialize_tensor),
        )
        return self._dynamic_inputs.reduced(options, args, kwargs)

    def current_options(self, args):
        """The options to compile a call with these arguments with."""
        return self.options

    def _admit_waiting(self, compiled):
        waiting, self.waiting = self.waiting, []
        for entry in waiting:
            compiled.add(entry)

    def _add(self, compiled, args, kwargs, runs_nothing=False):
        """The new entry for such calls; None if the function is split instead."""
        entry, options = self._compile(compiled, args, kwargs, runs_nothing)
        if entry is None:
            return None
        self._redundant_entries.note(entry, sizes_of_call(options, args, kwargs))
        dynamic_only = options.capture_mode != "bytecode"
        for earlier in self._redundant_entries.redundant(entry, compiled.entries, dynamic_only):
            drop_entry(compiled, earlier)
        compiled.add(entry)
        keep_within(compiled, options.bytecode.limit_graph_size)
        return entry

    def _compile(self, compiled, args, kwargs, runs_nothing=False):
        """(the new entry, the options that it was made with); no entry if the function is split."""
        options = self.options_for(args, kwargs).replace(runs_nothing=runs_nothing)
        known = self.known_refusal(args) if options.lax and not runs_nothing else None
        if known is not None:
            self.split_at(compiled, known, options)
            return None, None
        suspends = self._suspends()
        if suspends and options.lax:
            self.split_at(compiled, self.capture.Refusal(None, *suspends), options)
            return None, None
        self.require_compilable(args, kwargs)
        cause = cause_of(compiled, args, kwargs)
        changed = self.changed_path(compiled, args, kwargs)
        if changed:
            self._changes[changed] += 1
            if options.lax and self._changes_always(compiled):
                refusal = self.capture.Refusal(None, UNKNOWN, f"{changed} changes from call to call")
                self.split_at(compiled, refusal, options)
                return None, None
        options = options.replace(changes=self._changes, outer_shapes=self._outer_shapes)
        self.report.started()
        with self.report.progress(cause) as progress:
            try:
                entry = self.compile_entry(compiled, args, kwargs, options)
            except Exception as error:
                refusal = self.capture.refusal_of(error)
                if refusal is None:
                    raise
                if options.lax:
                    error.__traceback__ = None  # its frames hold what the program gave
                entry, options = self._compile_less(compiled, args, kwargs, options, error)
                if entry is None:
                    progress.outcome = f"Python runs it, with graphs for parts: {refusal.because}"
                    self.split_at(compiled, refusal, options)
                    return None, None
            progress.outcome = self.report.finished(
                cause, progress.seconds, options, entry, progress.captures, progress.retries
            )
        return entry, options

    def known_refusal(self, args):
        """The Refusal that capturing this call would end with, if the call around it has met it; else None."""
        if self.callees is None:
            return None
        return self.callees.take_refusal(self.function, args[0] if args else None)

    def compile_entry(self, compiled, args, kwargs, options):
        """A new entry for such calls; raises what capture raises."""
        return self.capture.compile_call(compiled, self.function, args, kwargs, options)

    def changed_path(self, compiled, args, kwargs):
        """The path of what has changed, and may become open or be left to Python if it goes on to; "" for nothing."""
        return changed_outside(compiled, args, kwargs)

    def _changes_always(self, compiled):
        """Returns whether something outside of the arguments is another with nearly every call."""
        made = self._changes.total()
        return made >= _MOST_CHANGES and compiled.hits < 2 * made

    def _compile_less(self, compiled, args, kwargs, options, error):
        """(an entry that leaves less open, its options), where the general one is refused with `error`.

        Something may need to know a size or a number that was to be open. There is no entry if Python must help.
        """
        fallbacks = self.capture.with_fewer_dynamic_inputs(options, error, self._dynamic_inputs, args, kwargs)
        for fallback in fallbacks:
            self.capture.note_retry(fallback.change)
            try:
                entry = self.compile_entry(compiled, args, kwargs, fallback.options)
            except Exception as second:
                if self.capture.refusal_of(second) is None or fallback.is_last:
                    raise
                second.__traceback__ = None
                continue
            if fallback.change == self.capture.FEWER_DYNAMIC_INPUTS:
                self._dynamic_inputs.note(options, fallback.options)
                reason = str(error).splitlines()[0]
                self.report.falls_back(
                    f"sizes cannot be left open, so each gets a graph of its own: {reason}"
                )
            return entry, fallback.options
        if not options.lax:
            raise error
        return None, options.replace(templates={}, variable_numbers=frozenset())

    def split_at(self, compiled, refusal, options):
        """Lets Python run the function from now on, with graphs for all of it but the statement that was refused."""
        self.report.splits(refusal.because)
        compiled.clear()
        self._refusal = refusal if refusal.callees else None
        try:
            self.split = load("dyad._src.jit.graph_break.parts").split_function(
                compiled, self.function, options, callees=self.callees
            )
        except (OSError, TypeError) as error:  # without its text it is not taken apart
            if is_interruption(error):
                raise
            self.split = compiled.python_form = self.function
        else:
            self.split.on_slow = self.report.runs_slowly
            self.split.cut(refusal.statement, refusal.because, refusal.expression)

    def _trace(self, compiled, args, kwargs):
        """Run the function while its operators are recorded; what is recorded serves later calls."""
        if self._traces_random_weights or (self._traces_own_gradients and _core.state("may_record")):
            return self.function(*args, **kwargs)
        self.require_compilable(args, kwargs)
        options = self.options_for(args, kwargs)
        cause = cause_of(compiled, args, kwargs)
        self.report.started()
        start = time.perf_counter()
        entry, result, why = self.capture.trace_call(compiled, self.function, args, kwargs, options)
        self.report.finished(cause, time.perf_counter() - start, options, entry)
        if entry is None:
            self.report.falls_back(f"Python runs calls like this one: {why}")
            self._traces_own_gradients = self._traces_own_gradients or why == self.capture.OWN_GRADIENTS
            self._traces_random_weights = why == self.capture.RANDOM_WEIGHTS
        else:
            compiled.add(entry)
        return result

    def _suspends(self):
        """Returns (kind of the break, why) if the function cannot be run from start to end; None if it can."""
        if inspect.iscoroutinefunction(self.function) or inspect.isasyncgenfunction(self.function):
            return BYTECODE, "it is an async function"
        return (YIELD, "it is a generator function") if inspect.isgeneratorfunction(self.function) else None

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
    limit = CACHE_LIMIT if options.capture_mode != "bytecode" else options.bytecode.graph_limit or _NO_LIMIT
    compiled = _core.CompiledFunction(compiler, limit=limit, name=function.__qualname__)
    every_compiled_function.add(compiled)
    return compiled, compiler
