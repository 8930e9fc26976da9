"""Bools that come from outside may be any byte; inside a Tensor they are 0 or 1."""

import io
import pickle

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core, ops

BYTES = np.array([0, 1, 2, 128, 255, 0, 7, 1], np.uint8)
TRUTH = BYTES != 0


def as_bytes(tensor):
    return np.asarray(tensor.asnumpy()).view(np.uint8).ravel().tolist()


def require_plain(tensor, truth=TRUTH):
    assert tensor.dtype == dyad.bool_
    assert as_bytes(tensor.copy()) == truth.astype(np.uint8).ravel().tolist()
    # Kernels that add, compare or select count on it.
    assert int(tensor.astype(dyad.int32).sum().asnumpy()) == int(truth.sum())
    assert (tensor == Tensor(truth)).asnumpy().all()
    assert (~tensor).asnumpy().tolist() == (~truth).tolist()


@pytest.mark.parametrize(
    "view",
    [
        lambda array: array,
        lambda array: array[::-1],
        lambda array: array.reshape(2, 4).T,
        lambda array: array.reshape(2, 4)[:, 1:3],
    ],
)
def test_bools_from_arrays_are_0_or_1(view):
    truth = view(TRUTH)
    require_plain(Tensor(view(BYTES.copy().view(bool))), truth)
    require_plain(dyad.from_numpy(view(BYTES.copy().view(bool))), truth)


def test_a_read_only_array():
    array = BYTES.copy().view(bool)
    array.flags.writeable = False
    require_plain(Tensor(array))
    require_plain(dyad.from_numpy(array))
    assert array.view(np.uint8).tolist() == BYTES.tolist()


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_memory_stays_shared():
    array = BYTES.copy().view(bool)
    shared = dyad.from_numpy(array)
    shared[0] = True
    assert array[0]


def test_bools_from_a_buffer_are_0_or_1():
    require_plain(Tensor(np.frombuffer(BYTES.tobytes(), dtype=bool)))


@pytest.mark.cpu("an array of NumPy lies on the CPU")
def test_bools_from_dlpack_are_0_or_1():
    array = BYTES.copy().view(bool)
    require_plain(dyad.from_dlpack(array.__dlpack__()))


def test_bools_from_a_pickle_are_0_or_1():
    stream = io.BytesIO(pickle.dumps(Tensor(TRUTH)))
    data = stream.getvalue()
    plain = TRUTH.astype(np.uint8).tobytes()
    assert data.count(plain) == 1
    require_plain(pickle.loads(data.replace(plain, BYTES.tobytes())))


def test_bytes_of_files():
    require_plain(_core.from_bytes(BYTES.tobytes(), dyad.bool_, (8,)))


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_bools_from_a_checkpoint_are_0_or_1(format, tmp_path):
    path = tmp_path / f"saved.{format}"
    dyad.save_checkpoint([{"name": "x", "data": Tensor(TRUTH)}], str(path), format=format)
    data, plain = path.read_bytes(), TRUTH.astype(np.uint8).tobytes()
    assert data.count(plain) == 1
    path.write_bytes(data.replace(plain, BYTES.tobytes()))
    loaded = dyad.load_checkpoint(str(path), format=format)["x"]
    require_plain(ops.stop_gradient(loaded))
