"""Transforms made of transforms."""

import io
import pickle

import numpy
import pytest
from PIL import Image

import dyad
from dyad import dataset
from dyad.dataset import config, transforms, vision
from dyad.dataset.transforms.transforms import PyTensorOperation

VALUES = numpy.array([1, 2, 3], numpy.int32)


@pytest.fixture(autouse=True)
def _seed():
    before = config.get_seed()
    config.set_seed(7)
    yield
    config.set_seed(before)


def test_compose_mixes_native_and_python():
    chain = transforms.Compose([transforms.TypeCast(dyad.float32), lambda x: x + 0.5, transforms.Duplicate()])
    first, second = chain(VALUES)
    assert first.dtype == numpy.float32
    assert first.tolist() == second.tolist() == [1.5, 2.5, 3.5]


def test_compose_is_flat():
    inner = transforms.Compose([transforms.Fill(1), transforms.Fill(2)])
    assert len(transforms.Compose([inner, transforms.Fill(3)]).transforms) == 3


def test_compose_hands_on_objects():
    chain = transforms.Compose([lambda x: {"values": x}, lambda d: d["values"] * 2])
    assert chain(VALUES).tolist() == [2, 4, 6]


def test_python_error_names_the_line():
    with pytest.raises(RuntimeError, match=r"(?s)ZeroDivisionError"):
        transforms.Compose([lambda x: 1 // 0])(VALUES)


def test_compose_can_be_pickled():
    chain = transforms.Compose([transforms.TypeCast(dyad.float32), transforms.OneHot(3), abs])
    chain.native()
    assert len(pickle.loads(pickle.dumps(chain)).transforms) == 3


@pytest.mark.parametrize("kind", ["Compose", "RandomApply", "RandomChoice", "RandomOrder"])
def test_lists_are_checked(kind):
    make = getattr(transforms, kind)
    with pytest.raises(ValueError, match=rf"{kind}: transforms is \[\]"):
        make([])
    with pytest.raises(TypeError, match=rf"{kind}: transforms\[1\] is 3"):
        make([abs, 3])
    with pytest.raises(TypeError, match=f"{kind}: transforms is"):
        make((abs,))


def test_random_apply_draws_with_its_probability():
    drawn = [transforms.RandomApply([transforms.Fill(0)], 0.3)(VALUES)[0] == 0 for _ in range(2000)]
    assert abs(numpy.mean(drawn) - 0.3) < 0.04
    assert transforms.RandomApply([transforms.Fill(0)], 0.0)(VALUES).tolist() == [1, 2, 3]
    assert transforms.RandomApply([transforms.Fill(0), lambda x: x + 1], 1.0)(VALUES).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match=r"prob is 1.5"):
        transforms.RandomApply([abs], 1.5)


def test_random_choice_draws_each():
    choice = transforms.RandomChoice([transforms.Fill(i) for i in range(4)])
    counts = numpy.bincount([choice(VALUES)[0] for _ in range(2000)])
    assert (abs(counts - 500) < 100).all()


def test_random_order_draws_every_order():
    seen = {
        tuple(transforms.RandomOrder([lambda x: x * 2, lambda x: x + 1])(VALUES).tolist()) for _ in range(50)
    }
    assert seen == {(3, 5, 7), (4, 6, 8)}


def test_a_seed_repeats_the_draws():
    choice = transforms.RandomChoice([transforms.Fill(i) for i in range(100)])
    runs = []
    for seed in (3, 4, 3):
        config.set_seed(seed)
        runs.append([int(choice(VALUES)[0]) for _ in range(10)])
    assert runs[0] == runs[2] != runs[1]


def test_python_operations_get_their_own_numbers():
    class Draw(PyTensorOperation):
        def apply(self, columns, random):
            return (numpy.array(random.random()),)

    first = transforms.Compose([Draw(), transforms.Duplicate(), lambda a, b: a])
    assert first(VALUES) != first(VALUES)


def test_older_spellings():
    assert transforms.c_transforms.TypeCast is transforms.TypeCast
    assert transforms.py_transforms.OneHotOp(3)(1).tolist() == [0, 1, 0]
    assert transforms.not_random(lambda x: x).random is False


IMAGE = numpy.arange(60, dtype=numpy.uint8).reshape(4, 5, 3)


@pytest.mark.parametrize(
    ("steps", "of_array", "of_pil"),
    [
        ([lambda x: x], numpy.ndarray, tuple),
        ([vision.Resize(3)], numpy.ndarray, tuple),
        ([vision.Resize(3), vision.ToTensor()], numpy.ndarray, tuple),
        ([vision.ToPIL(), vision.Resize(3)], tuple, tuple),
        ([lambda x: x, vision.ToPIL(), vision.ToTensor()], tuple, tuple),
        ([transforms.Compose([vision.ToPIL()]), vision.HWC2CHW()], tuple, tuple),
        ([transforms.RandomOrder([vision.Resize(3)])], tuple, tuple),
    ],
)
def test_compose_of_pil_images_returns_a_tuple(steps, of_array, of_pil):
    chain = transforms.Compose(steps)
    for image, kind in ((IMAGE, of_array), (Image.fromarray(IMAGE), of_pil)):
        made = chain(image)
        assert type(made) is kind
        assert kind is not tuple or len(made) == 1
    if of_array is not tuple:
        rows = list(
            dataset.NumpySlicesDataset([IMAGE, IMAGE], ["image"])
            .map(chain)
            .create_dict_iterator(num_epochs=1)
        )
        assert [type(row["image"]) for row in rows] == [dyad.Tensor] * 2


def test_compose_of_bytes_to_pil_images_returns_a_tuple():
    file = io.BytesIO()
    Image.fromarray(IMAGE).save(file, "png")
    data = numpy.frombuffer(file.getvalue(), numpy.uint8)
    (made,) = transforms.Compose([vision.Decode(to_pil=True), vision.ToTensor()])(data)
    assert made.shape == (3, 4, 5)
    assert transforms.Compose([vision.Decode(), vision.HWC2CHW()])(data).shape == (3, 4, 5)
