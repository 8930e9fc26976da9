"""A network that would be spread over devices by the framework."""

from collections.abc import Callable

from dyad._src.base.argument_checks import require_choice, require_int
from dyad.nn import Cell

__all__ = ["AutoParallel"]

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")


class AutoParallel(Cell):
    """A network, or a function, with settings of how it is spread over devices; one process runs it as it is.

    `parallel_mode` is 'semi_auto', 'sharding_propagation' or 'recursive_programming'. The methods note what they are
    given; a pipeline of more than one stage raises ValueError.
    """

    def __init__(self, network: Callable, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError(
                f"AutoParallel: network is of type {type(network).__name__}; need a Cell or a function"
            )
        self.network = network
        self.parallel_mode = require_choice("AutoParallel", "parallel_mode", parallel_mode, _MODES)
        self.settings: dict = {}

    def _note(self, **given):
        self.settings = {**self.settings, **given}

    def construct(self, *args, **kwargs):
        """Returns the network's result."""
        return self.network(*args, **kwargs)

    def no_init_parameters_in_compile(self) -> None:
        """Has no effect: Parameters are always initialized when they are constructed."""
        self._note(init_param_in_compile=False)

    def dataset_strategy(self, config: str | tuple) -> None:
        """Sets the split of batches: 'data_parallel', 'full_batch', or a tuple of strategies."""
        if not isinstance(config, (str, tuple)):
            raise TypeError(f"AutoParallel.dataset_strategy: config is {config!r}; need a str or tuple")
        self._note(dataset_strategy=config)

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Sets the split of optimizer states over devices."""
        owner = "AutoParallel.hsdp"
        require_int(owner, "shard_size", shard_size)
        require_int(owner, "threshold", threshold, low=0)
        require_choice(owner, "optimizer_level", optimizer_level, ("level1", "level2", "level3"))
        self._note(hsdp=(shard_size, threshold, optimizer_level))

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler="1f1b"
    ) -> None:
        """Sets the number of pipeline stages, one per group of devices: 1."""
        if require_int("AutoParallel.pipeline", "stages", stages, low=1) != 1:
            raise ValueError(f"AutoParallel.pipeline: stages is {stages}; need 1, there is one process")
        self._note(pipeline=(stages, output_broadcast, interleave, scheduler))

    def get_pipeline_stages(self):
        """Number of pipeline stages: 1."""
        return 1

    def comm_fusion(self, config: dict) -> None:
        """Sets which messages are sent together."""
        if not isinstance(config, dict):
            raise TypeError(f"AutoParallel.comm_fusion: config is {config!r}; need a dict")
        self._note(comm_fusion=config)

    def enable_fp32_communication(self) -> None:
        """Gradients are sent as float32."""
        self._note(force_fp32_communication=True)

    def enable_gradients_mean(self) -> None:
        """Gradients of several devices are averaged, not summed."""
        self._note(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """Gradients are sent in their own dtype."""
        self._note(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """A loss that several devices compute alike is not divided by their number."""
        self._note(loss_repeated_mean=False)
