"""`BackupAndRestore`: resumes interrupted training."""

import contextlib
import os

from dyad import log
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint
from dyad.train.callback._callback import Callback, made_directory


class BackupAndRestore(Callback):
    """Writes the network to `backup.ckpt` in a directory, and loads it from there when training starts.

    The file is written after each epoch, or after every `save_freq`-th. `delete_checkpoint` removes it when training
    has ended normally, so that a file found at the start belongs to an interrupted run.
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True):
        owner = "BackupAndRestore"
        self.backup_file = os.path.join(made_directory(owner, "backup_dir", backup_dir), "backup.ckpt")
        self.save_freq = 1 if save_freq == "epoch" else require_int(owner, "save_freq", save_freq, low=1)
        self.delete_checkpoint = require_bool(owner, "delete_checkpoint", delete_checkpoint)

    def on_train_begin(self, run_context):
        """Loads the file if it exists."""
        if os.path.exists(self.backup_file):
            log.info("BackupAndRestore: training goes on from %s", self.backup_file)
            load_checkpoint(self.backup_file, net=run_context.original_args()["train_network"])

    def on_train_epoch_end(self, run_context):
        """Writes the file, if it is due."""
        run = run_context.original_args()
        if run["cur_epoch_num"] % self.save_freq == 0:
            save_checkpoint(run["train_network"], self.backup_file)

    def on_train_end(self, run_context):
        """Removes the file if `delete_checkpoint` is set."""
        if self.delete_checkpoint:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.backup_file)
