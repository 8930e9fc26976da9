"""Random programs agree under `jit` with the dynamic graph; `generator/many.py` runs thousands."""

from generator.comparing import compare_many
from generator.programs import as_program, sources
from hypothesis import HealthCheck, given, settings
from session import dynamic, run


@settings(
    max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(sources())
def test_generated_programs_mean_something(source):
    """They are Python, they end, and what stops them is what the generator wrote into them."""
    ran = run(as_program(source), dynamic)
    unforeseen = [
        e for e in ran.raised if not isinstance(e, (type(None), ValueError, AssertionError, IndexError))
    ]
    assert not unforeseen, f"{unforeseen}\n{source}"


def test_generated_programs_agree():
    tally = compare_many(300)
    assert tally.share_refused < 0.05, tally.refused
