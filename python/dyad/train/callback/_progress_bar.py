"""`ProgressBar`: the progress of an epoch in one line."""

import sys
import time
from typing import Any

from dyad._src.base.argument_checks import require_above
from dyad.train.callback._callback import Callback
from dyad.train.callback._run_context import loss_of

_WIDTH = 24


class PlainBar:
    """A line that is rewritten in place, for use without tqdm."""

    def __init__(self, total, desc, file):
        self._total, self._title, self._file = total, desc, file
        self._done, self._length, self._began = 0, 0, time.perf_counter()

    def update(self, steps):
        """Advances by `steps` steps."""
        self._done += steps

    def set_postfix_str(self, text):
        """Writes the line with this string at its end."""
        filled = _WIDTH * min(self._done, self._total) // self._total
        rate = self._done / max(time.perf_counter() - self._began, 1e-9)
        bar = "#" * filled + "." * (_WIDTH - filled)
        line = f"{self._title} [{bar}] {self._done}/{self._total} {rate:.1f} steps/s {text}".rstrip()
        self._file.write("\r" + line.ljust(self._length))
        self._file.flush()
        self._length = len(line)

    def close(self):
        """Ends the line."""
        self._file.write("\n")
        self._file.flush()


def _new_bar(total, title, file):
    try:
        from tqdm import tqdm
    except ImportError:
        return PlainBar(total, title, file)
    return tqdm(total=total, desc=title, file=file, unit="step", miniters=1, mininterval=0)


class ProgressBar(Callback):
    """Shows the progress of an epoch, its loss and the results of evaluations; with tqdm if it is installed.

    It writes to `file`, by default standard output, only if that is a terminal; `show` overrides this. The line
    changes at most once per `interval` seconds, so that it costs no time.
    """

    def __init__(self, show=None, file=None, interval=0.1):
        self._show, self._file = show, file
        self._interval = require_above("ProgressBar", "interval", interval, 0)
        self._bar: Any = None
        self._last_epoch = None
        self._unshown, self._next_time, self._text = 0, 0.0, ""

    def __exit__(self, *error):
        self._close("")

    def on_train_begin(self, run_context):
        """Forgets earlier runs."""
        self._last_epoch = None

    def on_train_epoch_begin(self, run_context):
        """Starts the line of an epoch."""
        run = run_context.original_args()
        if self._last_epoch is None:
            self._last_epoch = run["cur_epoch_num"] + run["epoch_num"] - 1
        self._open(run, f"epoch {run['cur_epoch_num']}/{self._last_epoch}")

    def on_train_step_end(self, run_context):
        """Advances by one step."""
        self._advance(run_context.original_args())

    def on_train_epoch_end(self, run_context):
        """Ends the line."""
        self._close(_loss_text(run_context.original_args()))

    def on_eval_epoch_begin(self, run_context):
        """Starts the line of an evaluation, and ends that of training if there is one."""
        run = run_context.original_args()
        self._close(_loss_text(run))
        self._open(run, "evaluation")

    def on_eval_step_end(self, run_context):
        """Advances by one step."""
        self._advance(run_context.original_args())

    def on_eval_end(self, run_context):
        """Ends the line with the results."""
        found = run_context.original_args().get("metrics") or {}
        self._close(", ".join(f"{name} {_short(value)}" for name, value in found.items()))

    def _open(self, run, title):
        file = sys.stdout if self._file is None else self._file
        shown = file.isatty() if self._show is None else self._show
        self._bar = _new_bar(run["batch_num"], title, file) if shown else None
        self._unshown, self._next_time = 0, 0.0

    def _advance(self, run):
        self._unshown += 1
        now = time.perf_counter()
        if self._bar is not None and now >= self._next_time:
            self._next_time = now + self._interval
            self._write(_loss_text(run))

    def _write(self, text):
        self._bar.update(self._unshown)
        self._unshown = 0
        if text or not self._text:
            self._text = text
        self._bar.set_postfix_str(self._text)

    def _close(self, text):
        if self._bar is not None:
            self._write(text)
            self._bar.close()
        self._bar, self._text = None, ""


def _loss_text(run):
    loss = loss_of(run.get("net_outputs"))
    return f"loss {loss:.4g}" if isinstance(loss, float) else ""


def _short(value):
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)
