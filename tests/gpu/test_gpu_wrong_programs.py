"""Wrong programs on the device: what each raises, and that the device still works afterwards."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, hal, nn, ops, runtime
from dyad import dataset as ds
from dyad.device_context import gpu


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def wait():
    runtime.synchronize()


def fill_memory():
    """Asks for more than there may be; the limit is that of the test below."""
    return [ops.zeros((1 << 20, 64), dyad.float32) for _ in range(64)]


# (name, program, exception, text). What a kernel finds is raised at the synchronisation at the end of the program.
WRONG = [
    ("host and device", lambda: ones(3).to("CPU") + ones(3), RuntimeError, "one operand lies on"),
    (
        "product of two devices",
        lambda: ones(3, 3) @ ones(3, 3).to("CPU"),
        RuntimeError,
        "matmul: one operand lies on GPU 0 and another on the CPU",
    ),
    ("two GPUs", lambda: ones(3) + ones(3).to("GPU:1"), RuntimeError, "one operand lies on GPU"),
    (
        "a list over two devices",
        lambda: ops.concat([ones(2), ones(2).to("CPU")]),
        RuntimeError,
        "concat: one operand lies on GPU 0 and another on the CPU",
    ),
    (
        "written from the host",
        lambda: ones(3).copy_(ones(3).to("CPU").reshape(3)) + ones(3).to("CPU"),
        RuntimeError,
        "move one of them with Tensor.to",
    ),
    ("no such GPU", lambda: ones(2).to("GPU:7"), ValueError, "there is no GPU 7; the GPUs of this machine"),
    ("no such device", lambda: ones(2).to("TPU"), ValueError, "device is 'TPU'; the devices here are"),
    ("a number that is none", lambda: ones(2).to("GPU:x"), ValueError, "device is 'GPU:x'"),
    (
        "negative number",
        lambda: ones(2).to("GPU:-1"),
        ValueError,
        "there is no GPU -1; the GPUs of this machine are 0 to",
    ),
    ("another device", lambda: dyad.set_device("GPU", 1), RuntimeError, "a process sets it once"),
    ("back to the CPU", lambda: dyad.set_device("CPU"), RuntimeError, "already GPU:0"),
    ("a device of text", lambda: dyad.set_device("GPU", "0"), TypeError, "device_id is '0'; need an int"),
    ("unknown target", lambda: dyad.set_device("gpu"), ValueError, "need one of"),
    (
        "target that is not there",
        lambda: dyad.set_context(device_target="Ascend"),
        RuntimeError,
        "there is CPU, GPU",
    ),
    ("properties of no GPU", lambda: hal.get_device_name(9, "GPU"), ValueError, "device_id is 9"),
    ("index behind the end", lambda: (ones(4)[Tensor([4])], wait()), IndexError, "index 4 is out of range"),
    (
        "index before the start",
        lambda: (ones(4)[Tensor([-5])], wait()),
        IndexError,
        "index -5 is out of range",
    ),
    ("number as index", lambda: ones(4)[7], IndexError, "7 is out of range for dimension 0 of size 4"),
    ("gather", lambda: (ops.gather(ones(4), Tensor([0, 8]), 0), wait()), IndexError, "gather: index 8"),
    (
        "gather_elements",
        lambda: (ops.gather_elements(ones(2, 2), 1, Tensor([[5, 0]])), wait()),
        IndexError,
        "gather_elements: index 5 is out of range",
    ),
    ("embedding", lambda: (nn.Embedding(3, 2)(Tensor([3])), wait()), IndexError, "Embedding: index 3"),
    (
        "class of a loss",
        lambda: (ops.cross_entropy(ones(2, 3), Tensor([0, 5], dyad.int32)), wait()),
        IndexError,
        "target holds class 5; accepted are 0 to 2",
    ),
    (
        "index in a gradient",
        lambda: (grad(lambda x: ops.gather(x, Tensor([6]), 0).sum())(ones(4)), wait()),
        IndexError,
        "index 6 is out of range",
    ),
    (
        "read finds the fault",
        lambda: ops.gather(ones(4), Tensor([9]), 0).asnumpy(),
        IndexError,
        "gather: index 9 is out of range",
    ),
    ("axis", lambda: ones(2, 2).sum(5), ValueError, "axis 5 is out of range for a tensor of 2 dimensions"),
    ("shapes of a product", lambda: ones(2, 3) @ ones(2, 3), ValueError, "matmul: inner sizes differ"),
    ("shapes that do not broadcast", lambda: ones(2, 3) + ones(4), ValueError, "broadcast"),
    (
        "too many elements",
        lambda: ones(6).reshape(4, 2),
        ValueError,
        "has 6 elements and cannot take the shape (4, 2)",
    ),
    ("channels", lambda: nn.Conv2d(3, 4, 3)(ones(1, 2, 8, 8)), ValueError, "Conv2d: input has 2 channels"),
    (
        "window over nothing",
        lambda: nn.Conv2d(1, 1, 9, pad_mode="valid")(ones(1, 1, 4, 4)),
        ValueError,
        "is larger than the padded input",
    ),
    ("dtype of indices", lambda: ops.gather(ones(4), ones(2), 0), IndexError, "has dtype Float32"),
    ("dtype of bits", lambda: ops.bitwise_and(ones(2), ones(2)), TypeError, "meet in Float32"),
    (
        "solver of integers",
        lambda: ops.cholesky(Tensor([[2, 1], [1, 2]])),
        TypeError,
        "dtype Int64 is not accepted",
    ),
    (
        "solver of an oblong",
        lambda: ops.inverse(ones(2, 3)),
        ValueError,
        "its last two dimensions must be equal",
    ),
    (
        "truth of many",
        lambda: bool(ones(3)),
        ValueError,
        "is ambiguous. Use any() or all() of the tensor of shape (3,)",
    ),
    ("number of many", lambda: ones(3).item(), ValueError, "item: Only one element tensors can be converted"),
    (
        "written in a wrong dtype",
        lambda: Tensor([1, 2]).add_(ones(2)),
        TypeError,
        "is written into an Int64 tensor",
    ),
    ("memory that was given away", lambda: given_twice(), ValueError, "was consumed already"),
    (
        "memory for one Tensor",
        lambda: ops.zeros((1 << 50,), dyad.float32),
        MemoryError,
        "out of memory on GPU 0",
    ),
    ("limit of memory", fill_memory, MemoryError, "the limit is 1024.0 MiB"),
    (
        "limit that is a number",
        lambda: runtime.set_memory(max_size=4),
        TypeError,
        "max_size is 4 of type int",
    ),
    (
        "limit without unit",
        lambda: runtime.set_memory(max_size="4"),
        ValueError,
        "a positive number followed by GB",
    ),
    ("limit of nothing", lambda: runtime.set_memory(max_size="0GB"), ValueError, "max_size is '0GB'"),
    ("limit below zero", lambda: runtime.set_memory(max_size="-1GB"), ValueError, "max_size is '-1GB'"),
    (
        "stream that is none",
        lambda: runtime.set_cur_stream(3),
        TypeError,
        "stream is of type int; need a Stream",
    ),
    (
        "context that is none",
        lambda: runtime.StreamCtx("side"),
        TypeError,
        "StreamCtx: stream is of type str",
    ),
    ("priority of text", lambda: runtime.Stream("high"), TypeError, "priority is 'high' of type str"),
    (
        "stream with unknown settings",
        lambda: runtime.Stream(depth=1),
        TypeError,
        "unexpected keyword argument 'depth'",
    ),
    (
        "event that is none",
        lambda: runtime.Stream().wait_event(1),
        TypeError,
        "event is of type int; need an Event",
    ),
    ("time without timing", lambda: timed(False), RuntimeError, "has no time"),
    (
        "time before a record",
        lambda: runtime.Event(True).elapsed_time(runtime.Event(True)),
        RuntimeError,
        "has no time",
    ),
    (
        "time that is not over",
        lambda: time_too_early(),
        RuntimeError,
        "not done yet; call synchronize() first",
    ),
    (
        "event of another GPU",
        lambda: event_of_two(),
        ValueError,
        "the event belongs to GPU 0 and the stream to GPU 1",
    ),
    (
        "stream of the CPU",
        lambda: runtime.set_cur_stream(stream_of_cpu()),
        ValueError,
        "was made for the CPU",
    ),
    (
        "memory of the device as host memory",
        lambda: np.from_dlpack(ones(3)),
        (BufferError, RuntimeError),
        "nsupported device",
    ),
    ("TF32 of text", lambda: gpu.op_precision.matmul_allow_tf32("on"), TypeError, "need a bool"),
    (
        "unknown entry",
        lambda: dyad.set_context(gpu_config={"algo": 1}),
        ValueError,
        "gpu_config has the entry 'algo'",
    ),
    ("waiting as a number", lambda: dyad.set_context(pynative_synchronize=1), TypeError, "need bool"),
    ("iterator that was stopped", lambda: next(stopped()), RuntimeError, "the iterator was stopped"),
    ("ragged batch", lambda: list(ragged()), RuntimeError, "rows of a batch need the same dtype and shape"),
]


def given_twice():
    capsule = ones(3).__dlpack__()
    first = dyad._core.from_dlpack(capsule)
    return first, dyad._core.from_dlpack(capsule)


def timed(timing):
    begin, end = runtime.Event(timing), runtime.Event(timing)
    begin.record()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def time_too_early():
    begin, end = runtime.Event(True), runtime.Event(True)
    begin.record()
    values = ones(1 << 24)  # each step takes the device longer than the host takes to ask for it
    for _ in range(25):
        values = values + 1
    end.record()
    return begin.elapsed_time(end)


def event_of_two():
    event = runtime.Event()
    event.record()
    dyad.set_context(device_id=1)
    try:
        event.record(runtime.Stream())
    finally:
        dyad.set_context(device_id=0)


def stream_of_cpu():
    dyad.set_context(device_target="CPU")
    try:
        return runtime.Stream()
    finally:
        dyad.set_context(device_target="GPU")


def stopped():
    iterator = (
        ds.NumpySlicesDataset(np.ones((8, 2)), shuffle=False).batch(2).create_tuple_iterator(num_epochs=1)
    )
    next(iterator)
    iterator.stop()
    return iterator


def ragged():
    rows = [np.ones(2), np.ones(3)]
    return ds.GeneratorDataset(rows, ["x"], shuffle=False).batch(2).create_tuple_iterator(num_epochs=1)


NEED_TWO = {"two GPUs", "event of another GPU"}


@pytest.fixture
def limited():
    runtime.empty_cache()
    runtime.set_memory(max_size="1GB")
    yield
    runtime.set_memory(max_size="1024GB")
    runtime.empty_cache()


@pytest.mark.parametrize(("name", "program", "kind", "text"), WRONG, ids=[entry[0] for entry in WRONG])
def test_wrong_program(name, program, kind, text, limited):
    if name in NEED_TWO and hal.device_count("GPU") < 2:
        pytest.skip("needs two GPUs")
    with pytest.raises(kind) as caught:
        program()
    assert text in str(caught.value), str(caught.value)
    runtime.synchronize()  # nothing is left behind
    assert runtime.current_stream() == runtime.default_stream()
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.allclose((Tensor(x) @ Tensor(x.T) + 1).sum().asnumpy(), (x @ x.T + 1).sum())


def test_there_are_enough():
    assert len(WRONG) >= 40
    assert len({entry[0] for entry in WRONG}) == len(WRONG)
