"""When two forms of a layer agree: structure and whole numbers exactly, floats but for rounding."""

import numpy as np

# An optimized graph adds up in another order than the operators by themselves. In units in the last place of the
# largest number beside it.
UNITS = 64


def require_agreement(found, truth, units=UNITS):
    if isinstance(truth, np.ndarray):
        require_close(found, truth, units)
    elif isinstance(truth, (list, tuple)):
        assert type(found) is type(truth) and len(found) == len(truth), f"{found} against {truth}"
        for ours, theirs in zip(found, truth, strict=True):
            require_agreement(ours, theirs, units)
    elif isinstance(truth, dict):
        assert list(found) == list(truth)
        for key in truth:
            require_agreement(found[key], truth[key], units)
    else:
        np.testing.assert_equal(found, truth)


def require_close(found, truth, units=UNITS):
    assert found.dtype == truth.dtype and found.shape == truth.shape, f"{found} against {truth}"
    if not np.issubdtype(truth.dtype, np.inexact):
        np.testing.assert_array_equal(found, truth)
        return
    largest = np.abs(truth[np.isfinite(truth)]).max(initial=0)
    bound = units * np.finfo(truth.dtype).eps * float(largest)
    np.testing.assert_allclose(found, truth, rtol=0, atol=bound)
