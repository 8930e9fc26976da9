"""PIL images in chains of transforms, conversions, and the older spellings."""

import gc
import io
import pickle
import weakref

import numpy as np
import pytest
from pictures import drawn, encoded, noise, waves
from PIL import Image

import dyad.dataset.vision.c_transforms
import dyad.dataset.vision.py_transforms
from dyad import Tensor
from dyad.dataset import vision
from dyad.dataset.transforms import Compose


def test_a_chain_with_pil_images():
    data = encoded(waves(40, 60), "JPEG")
    chain = Compose(
        [
            vision.Decode(to_pil=True),
            vision.Resize(30),
            vision.RandomHorizontalFlip(1.0),
            vision.CenterCrop(20),
            vision.ToTensor(),
            vision.Normalize([0.5], [0.5], is_hwc=False),
        ]
    )
    picture = Image.open(io.BytesIO(data.tobytes())).resize((45, 30), Image.BILINEAR)
    picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT).crop((12, 5, 32, 25))
    wanted = (np.asarray(picture).transpose(2, 0, 1) / 255 - 0.5) / 0.5
    for made in (*chain(data), *chain.native()((data,), 7)):
        assert made.dtype == np.float32
        np.testing.assert_allclose(made, wanted, atol=1e-5)


def test_errors_of_pil_images_in_a_pipeline_name_the_transform():
    with pytest.raises(RuntimeError, match=r"^Resize: interpolation is <Inter.AREA: 4>"):
        drawn(vision.Resize(3, vision.Inter.AREA), 0, Image.fromarray(noise(5, 6)))
    with pytest.raises(RuntimeError, match=r"^Decode: image decode failed: cannot identify"):
        drawn(vision.Decode(to_pil=True), 0, np.arange(9, dtype=np.uint8))


@pytest.mark.parametrize("shape", [(5, 6), (5, 6, 1), (5, 6, 2), (5, 6, 3), (5, 6, 4)])
def test_to_pil_and_back(shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    picture = vision.ToPIL()(image)
    assert isinstance(picture, Image.Image) and picture.size == (6, 5)
    np.testing.assert_array_equal(
        vision.ToNumpy()(picture), image.reshape(5, 6) if shape[2:] == (1,) else image
    )
    assert vision.ToPIL()(picture) is picture


@pytest.mark.parametrize(
    ("image", "kind", "message"),
    [
        (noise(5, 6, 5), ValueError, "5 channels"),
        (noise(5, 6)[None], ValueError, r"shape \(1, 5, 6, 3\)"),
        (noise(5, 6).astype("float32"), TypeError, "float32"),
        ([1], TypeError, "type list"),
    ],
)
def test_to_pil_rejects_what_is_not_an_image(image, kind, message):
    with pytest.raises(kind, match=message):
        vision.ToPIL()(image)


def test_to_type_converts_to_the_dtype():
    assert vision.ToType("float16")(noise(3, 4)).dtype == np.float16
    assert vision.ToType(np.int32)(noise(3, 4)).dtype == np.int32
    with pytest.raises(TypeError, match="data_type is 3"):
        vision.ToType(3)


def test_tensors_are_images_too():
    image = noise(5, 6)
    np.testing.assert_array_equal(vision.HorizontalFlip()(Tensor(image)), image[:, ::-1])


@pytest.mark.parametrize(
    "operation",
    [
        vision.Resize((5, 6)),
        vision.RandomHorizontalFlip(0.0),
        vision.HWC2CHW(),
        vision.Pad(0),
        vision.CenterCrop((5, 6)),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_results_have_memory_of_their_own(operation):
    image = noise(5, 6, 1)
    made = operation(image)
    np.testing.assert_array_equal(made.reshape(5, 6), image[..., 0])
    made[:] = 0
    np.testing.assert_array_equal(image, noise(5, 6, 1))


OPERATIONS = [
    vision.Decode(True),
    vision.Resize(5),
    vision.RandomCrop(5),
    vision.RandomResizedCrop(5),
    vision.ToTensor("float16"),
    vision.Normalize([1.0], [2.0]),
    vision.BoundingBoxAugment(vision.HorizontalFlip()),
    vision.TenCrop(5),
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
def test_operations_can_be_sent_to_other_processes(operation):
    if hasattr(operation, "entry") and not isinstance(operation, vision.TenCrop):
        operation.native()
    again = pickle.loads(pickle.dumps(operation))
    assert type(again) is type(operation)
    kept = {name: value for name, value in vars(operation).items() if name not in ("_made", "transform")}
    assert {name: getattr(again, name) for name in kept} == kept


def test_operations_are_freed():
    operation = vision.RandomCrop(5)
    operation(Image.fromarray(noise(9, 9)))
    operation.native()
    gone = weakref.ref(operation)
    del operation
    gc.collect()
    assert gone() is None


def test_older_spellings():
    assert dyad.dataset.vision.c_transforms.Resize is vision.Resize
    assert dyad.dataset.vision.py_transforms.ToTensor is vision.ToTensor
    assert vision.transforms.Decode is vision.Decode
    assert vision.utils.Inter is vision.Inter
    assert vision.Inter.LINEAR is vision.Inter.BILINEAR and vision.Inter.CUBIC is vision.Inter.BICUBIC
    assert vision.Border.EDGE == "edge" and vision.Inter.AREA == 4
