"""Batch normalization over several processes."""

from dyad import _core
from dyad._src.base.argument_checks import SettingError
from dyad._src.context.process_groups import require_rank
from dyad.nn.normalization import _BatchNorm

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, H, W) over the batches of all processes; there is one process.

    `process_groups` lists groups of ranks that share their batches; the only rank is 0. The other arguments are those
    of `BatchNorm2d`.
    """

    _dimensions = (2, 4)

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine: bool = True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        process_groups=None,
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )
        if process_groups not in (None, 0):
            _require_rank_groups(process_groups)
        self.process_groups = process_groups


def _require_rank_groups(groups):
    lists = isinstance(groups, list) and all(isinstance(group, list) for group in groups)
    if not lists:
        raise SettingError(f"SyncBatchNorm: process_groups is {groups!r}; need a list of lists of ranks")
    ranks = [require_rank("SyncBatchNorm", "process_groups", rank) for group in groups for rank in group]
    if len(ranks) > 1:
        raise ValueError(f"SyncBatchNorm: process_groups is {groups}; need every rank once")
