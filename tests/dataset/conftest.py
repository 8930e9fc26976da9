"""Every test of the pipeline starts with the first settings."""

import copy

import pytest


@pytest.fixture(autouse=True)
def first_settings():
    from dyad.dataset import _settings, config

    kept, hooks = copy.deepcopy(_settings.settings), config.get_debug_hooks()
    _settings.settings.update(_settings.first_settings())
    yield
    _settings.settings.clear()
    _settings.settings.update(kept)
    config._debug_hooks[:] = hooks
