"""Searches for faults of the hardware, which only the drivers of another kind of accelerator offer."""

from dyad._src.base.host_only import host_only

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "stress_detect"]


def _refuse(name):
    raise RuntimeError(
        f"{name}: only an accelerator of another kind can search itself for faults; "
        "the CPU and GPUs are checked by the tools of their makers"
    )


@host_only
def stress_detect(detect_type="aic"):
    """Loads the processor until a faulty one shows itself; an error on the CPU and GPUs."""
    _refuse("stress_detect")


@host_only
def sdc_detect_start():
    """Begins to look for results that a faulty processor got wrong; an error on the CPU and GPUs."""
    _refuse("sdc_detect_start")


@host_only
def sdc_detect_stop():
    """Ends the search, of which there is none."""


@host_only
def get_sdc_detect_result():
    """True if wrong results were found. Always False, since no check is made."""
    return False
