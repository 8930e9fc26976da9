"""`OnRequestExit`: ends a run in order when a signal arrives."""

import json
import os
import signal

from dyad import log
from dyad._src.base.argument_checks import with_article
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint
from dyad.train import serialization
from dyad.train.callback._callback import Callback, made_directory

_KEY = "GracefulExit"


def _require(name, value, kind):
    if not isinstance(value, kind):
        raise ValueError(
            f"OnRequestExit: {name} is {value!r} of type {type(value).__name__}; need {with_article(kind.__name__)}"
        )
    return value


class OnRequestExit(Callback):
    """Ends training or evaluation after the step in which the signal `sig` arrives, and writes what it had reached.

    A JSON file `config_file` has the same effect once it contains `{"GracefulExit": 1}`. Written are the Parameters
    (`save_ckpt`) and the graph (`save_mindir`), as `file_name` with `_train` or `_eval` in the directory `rank_0` of
    `directory`. The next run starts with the Parameters that it finds there.
    """

    def __init__(
        self,
        save_ckpt=True,
        save_mindir=True,
        file_name="Net",
        directory="./",
        config_file=None,
        sig=signal.SIGTERM,
    ):
        self.save_ckpt = _require("save_ckpt", save_ckpt, bool)
        self.save_mindir = _require("save_mindir", save_mindir, bool)
        self.sig = _require("sig", sig, int)
        if sig in (getattr(signal, "SIGKILL", None), getattr(signal, "SIGSTOP", None)):
            raise ValueError(f"OnRequestExit: sig is {sig!r}, which no program can catch; need another one")
        self.save_path, self.remote_config_file = directory, config_file
        self.exit = self._trains = False
        self._handler_before = None
        if save_ckpt or save_mindir:
            _require("file_name", file_name, str)
            folder = made_directory(
                "OnRequestExit", "directory", os.path.join(_require("directory", directory, str), "rank_0")
            )
            self.train_name, self.eval_name = (
                os.path.join(folder, f"{file_name}_{of}") for of in ("train", "eval")
            )

    def __exit__(self, *error):
        self._let_go()

    def on_train_begin(self, run_context):
        """Starts handling the signal; loads the file of an earlier run."""
        self._listen()
        self._trains = True
        self._load(run_context.original_args()["train_network"], ("train",))

    def on_train_step_end(self, run_context):
        """Requests a stop if the signal has arrived."""
        self._stop_if_asked(run_context)

    def on_train_epoch_end(self, run_context):
        """Requests a stop if the signal has arrived."""
        self._stop_if_asked(run_context)

    def on_train_end(self, run_context):
        """Writes what was reached, if the signal ended the run."""
        self._trains = False
        run = run_context.original_args()
        if self.exit:
            self._save(run["train_network"], run["train_dataset_element"], "train")
        self._let_go()

    def on_eval_begin(self, run_context):
        """As for training; an evaluation during training continues with the state of training."""
        if not self._trains:
            self._listen()
            self._load(run_context.original_args()["eval_network"], ("eval", "train"))

    def on_eval_step_end(self, run_context):
        """Requests a stop if the signal has arrived."""
        self._stop_if_asked(run_context)

    def on_eval_end(self, run_context):
        """Writes what was evaluated, if the signal ended the run."""
        if self._trains:
            return
        run = run_context.original_args()
        if self.exit:
            self._save(run["eval_network"], run["eval_dataset_element"], "eval")
        self._let_go()

    def _listen(self):
        self.exit = False
        self._handler_before = signal.signal(self.sig, self._handle_signal)

    def _let_go(self):
        """Returns the signal back to whom it was for before."""
        before, self._handler_before = self._handler_before, None
        if before is not None:
            signal.signal(self.sig, before)

    def _handle_signal(self, number, frame):
        self.exit = True

    def _stop_if_asked(self, run_context):
        self.exit = self.exit or self._file_asks()
        if self.exit:
            run_context.request_stop()

    def _file_asks(self):
        if self.remote_config_file is None or not os.path.exists(self.remote_config_file):
            return False
        try:
            with open(self.remote_config_file, encoding="utf-8") as file:
                return json.load(file).get(_KEY) == 1
        except (json.JSONDecodeError, AttributeError) as error:
            log.warning("OnRequestExit: config_file %s is no JSON object: %s", self.remote_config_file, error)
            return False

    def _path(self, of):
        return self.train_name if of == "train" else self.eval_name

    def _load(self, network, candidates):
        """Loads the first of the files that exists."""
        if not self.save_ckpt:
            return
        for path in (f"{self._path(of)}.ckpt" for of in candidates):
            if os.path.isfile(path):
                load_checkpoint(path, net=network)
                return

    def _save(self, network, inputs, of):
        if self.save_ckpt:
            save_checkpoint(network, self._path(of))
        if self.save_mindir:
            serialization.export(network, *inputs, file_name=self._path(of), file_format="MINDIR")
