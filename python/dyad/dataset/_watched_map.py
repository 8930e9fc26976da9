"""A `map` that is carried out row by row: for callbacks, hooks, and rows that may fail."""

from dyad import _core
from dyad.dataset import _python_stages, config
from dyad.dataset._callables import PythonSteps, is_native
from dyad.dataset._error_text import name_of
from dyad.dataset.callback import DSRunContext
from dyad.dataset.debug import columns_after


def is_wanted(callbacks):
    """Returns whether a `map` must run row by row."""
    mode = config.get_error_samples_mode()
    return bool(callbacks) or config.get_debug_mode() or mode != config.ErrorSamplesMode.RETURN


def watched(dataset, run, transforms, take, order):
    """The native stage of a `map` that runs row by row."""
    callbacks, context = Callbacks(dataset.callbacks), DSRunContext()
    hooks = config.get_debug_hooks()
    apply = Hooked(dataset.operations, hooks) if hooks else Applied(transforms)
    apply = _tolerant(apply, config.get_error_samples_mode())

    def rows_of(epoch, rows):
        callbacks.begin_epoch(context, epoch)
        for number, row in enumerate(rows):
            callbacks.begin_step(context)
            others = [value for at, value in enumerate(row) if at not in take]
            key = _core.data.mix_keys(_core.data.mix_keys(run.seed, epoch), number)
            for made in apply(tuple(row[at] for at in take), key):
                yield _arranged(made, others, order)
            callbacks.end_step(context)
        callbacks.end_epoch(context)

    return _python_stages.in_python(dataset.children[0], run, rows_of, "map")


def _arranged(made, others, order):
    row = [*made, *others]
    if len(row) != len(order):
        raise ValueError(f"the operations gave {len(made)} columns; need {len(order) - len(others)}")
    return [row[at] for at in order]


class Applied:
    """Native transforms one after another."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, columns, key):
        for at, transform in enumerate(self.transforms):
            columns = transform(columns, _core.data.mix_keys(key, at))
        return [columns]


class Hooked:
    """Operations with hooks before the first and after each."""

    def __init__(self, operations, hooks):
        self.operations, self.hooks = operations, hooks

    def __call__(self, columns, key):
        columns = self._shown(columns, name_of(self.operations[0]), True)
        for at, operation in enumerate(self.operations):
            step = operation.native() if is_native(operation) else PythonSteps([operation])
            columns = self._shown(step(columns, _core.data.mix_keys(key, at)), name_of(operation), False)
        return [columns]

    def _shown(self, columns, name, first):
        for hook in self.hooks:
            hook.set_previous_op_name(name)
            hook.set_is_first(first)
            columns = columns_after(hook, columns)
        return columns


def _tolerant(apply, mode):
    """The same function, with rows that fail left out or replaced by the last that did not."""
    if mode == config.ErrorSamplesMode.RETURN:
        return apply
    last, waiting = None, 0

    def applied(columns, key):
        nonlocal last, waiting
        try:
            last = apply(columns, key)
        except Exception:
            if mode == config.ErrorSamplesMode.SKIP:
                return []
            waiting += last is None
            return last or []
        rows, waiting = last * (1 + waiting), 0
        return rows

    return applied


class Callbacks:
    """Calls the callbacks of a `map` with the current row and epoch."""

    def __init__(self, callbacks):
        self.callbacks = callbacks

    def begin_epoch(self, context, epoch):
        if epoch == 0:
            for callback in self.callbacks:
                callback.ds_begin(context)
        context.cur_epoch_num, context.cur_step_num_in_epoch = epoch + 1, 0
        for callback in self.callbacks:
            callback.ds_epoch_begin(context)

    def begin_step(self, context):
        context.cur_step_num_in_epoch += 1
        context.cur_step_num += 1
        for callback in self._due(context):
            callback.ds_step_begin(context)

    def end_step(self, context):
        for callback in self._due(context):
            callback.ds_step_end(context)

    def end_epoch(self, context):
        for callback in self.callbacks:
            callback.ds_epoch_end(context)

    def _due(self, context):
        step = context.cur_step_num_in_epoch - 1
        return [callback for callback in self.callbacks if step % callback.step_size == 0]
