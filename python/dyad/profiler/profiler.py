"""Profilers with MindSpore's names, and the output of their recordings."""

from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.missing import suggested
from dyad._src.base.no_effect import say_no_effect
from dyad.profiler.operator_report import operator_report
from dyad.profiler.options import DEFAULTS, EXPERIMENTAL_DEFAULTS, FORMER
from dyad.profiler.output import folders, write_tables
from dyad.profiler.session import Session

__all__ = ["Profile", "Profiler", "analyse", "tensorboard_trace_handler"]

OUTPUT_PATH = "./data"


def tensorboard_trace_handler(
    dir_name=None, worker_name=None, analyse_flag: bool = True, async_mode: bool = False
):
    """A function for `on_trace_ready`: writes each recording below `dir_name`, "./data" by default.

    Each has a directory of its own, named after the worker and the time, with a Chrome trace and, unless
    `analyse_flag` is False, tables of kernels and steps.
    """
    for name, value in (("dir_name", dir_name), ("worker_name", worker_name)):
        if value is not None and not isinstance(value, str):
            raise TypeError(
                f"tensorboard_trace_handler: {name} is of type {type(value).__name__}; need a str"
            )
    require_bool("tensorboard_trace_handler", "analyse_flag", analyse_flag)
    if require_bool("tensorboard_trace_handler", "async_mode", async_mode):
        say_no_effect("tensorboard_trace_handler(async_mode=)", "tensorboard_trace_handler: async_mode")

    def handle(profiler):
        folder = profiler.save(dir_name or OUTPUT_PATH, worker_name)
        if analyse_flag:
            write_tables(folder)

    return handle


class Profile(Session):
    """Records the kernels that run, from the start or in the steps that `schedule` chooses, until `stop`.

    `on_trace_ready(profiler)` is called when a recording is complete; without it the files go into a directory below
    "./data". Use it in a `with` statement, or with `start` and `stop`, and call `step` after each step.
    """

    def __init__(
        self,
        activities=None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule=None,
        on_trace_ready=None,
        experimental_config=None,
    ) -> None:
        given = locals()
        super().__init__({name: given[name] for name in DEFAULTS}, OUTPUT_PATH)


class Profiler(Session):
    """The older form of `profiler.profile`: also accepts `output_path`, and writes its files when `analyse` is
    called.
    """

    _writes_when_stopped = False

    def __init__(self, **kwargs):
        known = {"output_path", *DEFAULTS, *EXPERIMENTAL_DEFAULTS, *FORMER}
        for name in kwargs:
            if name not in known:
                raise TypeError(f"Profiler: there is no option {name!r}{suggested('Profiler', name, known)}")
        output_path = kwargs.pop("output_path", None)
        super().__init__(kwargs, OUTPUT_PATH if output_path is None else output_path)

    def op_analyse(self, op_name, device_id=None) -> str:
        """The recording of an operator, or of a list of them, as JSON: occurrences and times by types of operands.

        Stops the recording first if necessary.
        """
        if self._has_started:
            self.stop()
        return operator_report("Profiler.op_analyse", self._runs, op_name, device_id)

    @classmethod
    def offline_analyse(
        cls, path, pretty: bool = False, step_list=None, data_simplification: bool = True
    ) -> None:
        """Writes the tables of the recordings at a path."""
        analyse(path, pretty=pretty, step_list=step_list, data_simplification=data_simplification)


def analyse(
    profiler_path,
    max_process_number: int = 1,
    pretty: bool = False,
    step_list=None,
    data_simplification: bool = True,
) -> None:
    """Writes the tables of a recording, or of all recordings below a path, for all steps or for those listed."""
    require_int("analyse", "max_process_number", max_process_number, low=1)
    found = folders(profiler_path)
    if not found:
        raise ValueError(
            f"analyse: there is no recording at {profiler_path!r}; need a folder that a profiler wrote, or one above"
        )
    for folder in found:
        write_tables(folder, step_list)
