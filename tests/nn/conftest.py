import pytest

from dyad import set_seed


@pytest.fixture(autouse=True)
def seeded():
    """Weights and inputs are the same in every run of a test."""
    set_seed(7)
