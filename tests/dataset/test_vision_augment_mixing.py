"""CutMixBatch, MixUpBatch and MixUp."""

import pickle

import numpy as np
import pytest

import dyad.dataset.vision as vision
from dyad.dataset import config
from dyad.dataset.vision import ImageBatchFormat


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


def batch(channels_last=True, dtype=np.uint8, count=5):
    """Images of one value each, 10 times their number from 1, and labels of one class each."""
    shape = (12, 16, 3) if channels_last else (3, 12, 16)
    images = np.stack([np.full(shape, 10 * (i + 1), dtype) for i in range(count)])
    return images, np.eye(count, dtype=np.int32)


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_cutmix_labels_say_what_the_images_show(channels_last, dtype):
    images, labels = batch(channels_last, dtype)
    form = ImageBatchFormat.NHWC if channels_last else ImageBatchFormat.NCHW
    operation = vision.CutMixBatch(form, 1.0, 1.0)
    shares = []
    for _ in range(50):
        made, weights = operation(images, labels)
        assert made.shape == images.shape and made.dtype == dtype and weights.dtype == np.float32
        for image, weight in zip(made, weights, strict=True):
            shown = [(image == 10 * (i + 1)).mean() for i in range(5)]
            np.testing.assert_allclose(weight, shown, atol=1e-6)
            planes = np.moveaxis(image, -1, 0) if channels_last else image
            np.testing.assert_array_equal(planes[0], planes[2])
            shares.append(max(weight))
    assert min(shares) < 0.6 and np.mean(np.array(shares) < 1) > 0.5
    np.testing.assert_array_equal(images, batch(channels_last, dtype)[0])


def test_cutmix_cuts_rectangles():
    images, labels = batch()
    for image in np.concatenate(
        [vision.CutMixBatch(ImageBatchFormat.NHWC)(images, labels)[0] for _ in range(20)]
    ):
        values, counts = np.unique(image[:, :, 0], return_counts=True)
        assert len(values) <= 2
        if len(values) == 2:
            boxes = [np.nonzero(image[:, :, 0] == value) for value in values]
            areas = [(np.ptp(y) + 1) * (np.ptp(x) + 1) for y, x in boxes]
            assert any(area == count for area, count in zip(areas, counts, strict=True))


def test_cutmix_with_a_chance_and_rows_of_labels():
    images, labels = batch()
    made, weights = vision.CutMixBatch(ImageBatchFormat.NHWC, prob=0.0)(images, labels)
    np.testing.assert_array_equal(made, images)
    np.testing.assert_array_equal(weights, labels)
    rows = np.stack([labels, labels], 1)
    _, weights = vision.CutMixBatch(ImageBatchFormat.NHWC)(images, rows)
    assert weights.shape == (5, 2, 5)
    np.testing.assert_allclose(weights.sum(2), 1, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float16])
def test_mixup_batch_mixes_images_and_labels_alike(dtype):
    images, labels = batch(dtype=dtype)
    weights_seen = []
    for _ in range(50):
        made, weights = vision.MixUpBatch(1.0)(images, labels)
        assert made.dtype == dtype and weights.dtype == np.float32
        np.testing.assert_allclose(weights.sum(1), 1, atol=1e-6)
        values = weights @ (10 * np.arange(1, 6))
        wanted = np.rint(values) if dtype == np.uint8 else values
        np.testing.assert_allclose(made[:, 0, 0, 0], wanted, rtol=1e-3, atol=1e-3)
        assert all(len(np.unique(image)) == 1 for image in made)
        weights_seen.append(float(np.diag(weights).min()))
    assert min(weights_seen) < 0.2 and len(set(weights_seen)) > 30


@pytest.mark.parametrize("alpha", [1e-3, 0.4, 1.0, 30.0])
def test_weights_have_a_beta_distribution(alpha):
    images, labels = np.zeros((2, 1, 1, 1), np.uint8), np.eye(2, dtype=np.float32)
    drawn = []
    for _ in range(3000):
        weights = vision.MixUpBatch(alpha)(images, labels)[1]
        if weights[0, 0] != 1 or alpha < 0.01:
            drawn.append(weights[0, 0])
    drawn = np.array(drawn)  # images that are mixed with themselves show no weight
    assert drawn.mean() == pytest.approx(0.5, abs=0.05 if alpha > 0.01 else 0.3)
    if alpha > 0.01:
        assert drawn.var() == pytest.approx(1 / (4 * (2 * alpha + 1)), rel=0.12)
    else:
        assert np.mean((drawn < 0.01) | (drawn > 0.99)) > 0.98


def test_mixup_mixes_with_the_next_image():
    images, labels = batch()
    made, weights = vision.MixUp(5, 0.5)(images, labels)
    assert made.dtype == weights.dtype == np.float64
    for i in range(5):
        following = (i + 1) % 5
        np.testing.assert_allclose(weights[i, i] + weights[i, following], 1)
        value = 10 * (i + 1) * weights[i, i] + 10 * (following + 1) * weights[i, following]
        np.testing.assert_allclose(made[i], value)
    assert len(set(np.diag(weights))) == 5


def test_mixup_with_the_batch_before():
    images, labels = batch()
    operation = vision.MixUp(5, 1.0, False)
    first, first_labels = operation(images, labels)
    np.testing.assert_allclose(first, images)
    np.testing.assert_array_equal(first_labels, labels)
    second, weights = operation(images * 2, labels[::-1])
    share = weights[0, 4]
    np.testing.assert_allclose(second[0], share * images[0] * 2 + (1 - share) * first[0])
    again = pickle.loads(pickle.dumps(operation))
    np.testing.assert_allclose(again(images, labels)[0], images)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.CutMixBatch("NHWC"), TypeError, "CutMixBatch: image_batch_format is 'NHWC'"),
        (lambda: vision.CutMixBatch(ImageBatchFormat.NHWC, 0.0), ValueError, "CutMixBatch: alpha is 0.0"),
        (lambda: vision.CutMixBatch(ImageBatchFormat.NHWC, 1, 2.0), ValueError, "CutMixBatch: prob is 2.0"),
        (lambda: vision.MixUpBatch(-1), ValueError, "MixUpBatch: alpha is -1"),
        (lambda: vision.MixUpBatch("a"), TypeError, "MixUpBatch: alpha is 'a'"),
        (lambda: vision.MixUp(0, 1.0), ValueError, "MixUp: batch_size is 0"),
        (lambda: vision.MixUp(4, 0), ValueError, "MixUp: alpha is 0"),
        (lambda: vision.MixUp(4, 1, 1), TypeError, "MixUp: is_single is 1"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("operation", [vision.CutMixBatch(ImageBatchFormat.NHWC), vision.MixUpBatch()])
def test_wrong_batches(operation):
    name = type(operation).__name__
    images, labels = batch()
    for columns, text in [
        ((images,), "1 columns were given"),
        ((images[0], labels), r"the images have shape \(12, 16, 3\)"),
        ((images, np.arange(5)), r"the labels have shape \(5,\)"),
        ((images, labels[:3]), "there are 5 images and 3 labels"),
        ((images > 3, labels), "the images are of bool"),
        ((images[:0], labels[:0]), "the images have shape"),
    ]:
        with pytest.raises(RuntimeError, match=f"{name}: {text}"):
            operation(*columns)


def test_wrong_batches_of_mixup():
    images, labels = batch()
    with pytest.raises(ValueError, match=r"MixUp: the images have shape \(5, 12, 16, 3\); need 4 rows"):
        vision.MixUp(4, 1.0)(images, labels)
    with pytest.raises(ValueError, match="MixUp: 1 columns were given"):
        vision.MixUp(5, 1.0)(images)
    with pytest.raises(TypeError, match="MixUp: the labels are of type list"):
        vision.MixUp(5, 1.0)(images, [1, 2, 3, 4, 5])
