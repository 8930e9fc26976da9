"""Policies: AutoAugment, RandAugment, TrivialAugmentWide, UniformAugment, RandomSelectSubpolicy."""

import math

import numpy as np
import pytest
from PIL import Image

import dyad.dataset.vision as vision
from dyad.dataset import config
from dyad.dataset.vision import AutoAugmentPolicy, Inter


def picture(shape=(24, 32, 3)):
    return np.random.default_rng(0).integers(20, 180, shape, dtype=np.uint8)


@pytest.fixture(autouse=True)
def seed():
    before = config.get_seed()
    config.set_seed(1)
    yield
    config.set_seed(before)


def sheared(image, x, y, fill):
    angles = (math.degrees(x), math.degrees(y))
    return vision.Affine(0, (0, 0), 1.0, angles, Inter.NEAREST, fill)(image)


def moved(image, x, y, fill):
    made = np.full_like(image, fill)
    height, width = image.shape[:2]
    made[max(0, y) : height + min(0, y), max(0, x) : width + min(0, x)] = image[
        max(0, -y) : height - max(0, y), max(0, -x) : width - max(0, x)
    ]
    return made


def changes(image, part, fill, shear, moves, degrees, factor, bits):
    """Everything that one step of a policy may make of an image at this part of its largest strength."""
    x, y = int(part * moves[0]), int(part * moves[1])
    made = {
        "identity": image,
        "auto contrast": vision.AutoContrast()(image),
        "equalize": vision.Equalize()(image),
        "posterize": vision.Posterize(8 - round(part * bits))(image),
        "solarize": vision.Solarize((255 * (1 - part), 255))(image) if part else image,
    }
    for sign in (-1, 1):
        made |= {
            f"shear x {sign}": sheared(image, sign * part * shear, 0, fill),
            f"shear y {sign}": sheared(image, 0, sign * part * shear, fill),
            f"move x {sign}": moved(image, sign * x, 0, fill),
            f"move y {sign}": moved(image, 0, sign * y, fill),
            f"rotate {sign}": vision.Rotate(sign * part * degrees, fill_value=fill)(image),
            f"brightness {sign}": vision.AdjustBrightness(1 + sign * part * factor)(image),
            f"color {sign}": vision.AdjustSaturation(1 + sign * part * factor)(image),
            f"contrast {sign}": vision.AdjustContrast(1 + sign * part * factor)(image),
            f"sharpness {sign}": vision.AdjustSharpness(1 + sign * part * factor)(image),
        }
    return made


@pytest.mark.parametrize("magnitude", [10, 20])
def test_rand_augment_makes_one_of_the_known_changes(magnitude):
    image = picture()
    most = (150 / 331 * 32, 150 / 331 * 24)
    known = changes(image, magnitude / 30, 7, 0.3, most, 30, 0.9, 4)
    names = {array.tobytes(): name for name, array in known.items()}
    operation = vision.RandAugment(1, magnitude, fill_value=7)
    seen = [names[operation(image).tobytes()] for _ in range(1500)]
    assert set(seen) == set(names.values())
    assert 60 < sum(name == "equalize" for name in seen) < 160  # one of 14
    assert 25 < sum(name == "rotate 1" for name in seen) < 90  # one of 14, in one of two directions


def test_rand_augment_of_several_steps():
    image = picture()
    np.testing.assert_array_equal(vision.RandAugment(0)(image), image)
    once = {vision.RandAugment(1)(image).tobytes() for _ in range(400)}
    thrice = {vision.RandAugment(3)(image).tobytes() for _ in range(400)}
    assert len(once) <= 23 < 200 < len(thrice)


def test_trivial_augment_makes_one_of_the_known_changes():
    image = picture((40, 48, 3))
    names = {}
    for part in (0, 0.5, 1):
        known = changes(image, part, 0, 0.99, (32, 32), 135, 0.99, 6)
        names |= {array.tobytes(): (name, part) for name, array in known.items()}
    operation = vision.TrivialAugmentWide(3)
    seen = {names[operation(image).tobytes()] for _ in range(2500)}
    assert seen == set(names.values())


@pytest.mark.parametrize("policy", list(AutoAugmentPolicy))
@pytest.mark.parametrize("shape", [(24, 32, 3), (1, 1, 3), (1, 7, 3), (7, 1, 3)])
@pytest.mark.parametrize("inter", [Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC])
def test_auto_augment_keeps_shape_and_type(policy, shape, inter):
    image = picture(shape)
    for _ in range(60):
        made = vision.AutoAugment(policy, inter, (1, 2, 3))(image)
        assert made.shape == shape and made.dtype == np.uint8


def test_auto_augment_draws_from_the_policy_of_its_data():
    image = picture()
    count = 4000
    made = {}
    for policy in AutoAugmentPolicy:
        operation = vision.AutoAugment(policy)
        made[policy] = [operation(image).tobytes() for _ in range(count)]
    equalized, inverted = vision.Equalize()(image).tobytes(), vision.Invert()(image).tobytes()
    # From the published tables: how often an image is only equalized, or only inverted.
    imagenet = np.mean(np.array(made[AutoAugmentPolicy.IMAGENET]) == equalized)
    assert 0.2 < imagenet < 0.33
    assert np.mean(np.array(made[AutoAugmentPolicy.CIFAR10]) == inverted) < 0.02
    assert 0.08 < np.mean(np.array(made[AutoAugmentPolicy.SVHN]) == inverted) < 0.16
    assert all(30 < len(set(results)) < 200 for results in made.values())


def test_policies_repeat_with_the_seed():
    image = picture()
    for operation in (vision.AutoAugment(), vision.RandAugment(), vision.TrivialAugmentWide()):
        runs = []
        for _ in range(2):
            config.set_seed(11)
            config.set_seed(12)
            operation(image)  # the seed starts again with the first draw after it was set
            config.set_seed(11)
            runs.append([operation(image) for _ in range(10)])
        np.testing.assert_array_equal(*runs)


def test_uniform_augment_applies_each_choice_half_of_the_time():
    image = picture()
    operation = vision.UniformAugment([vision.Invert()], 1)
    assert 0.42 < np.mean([not np.array_equal(operation(image), image) for _ in range(500)]) < 0.58
    plus = [lambda x, add=add: x + np.int64(add) for add in (1, 10, 100, 1000)]
    operation = vision.UniformAugment(plus, 2)
    sums = [int(operation(np.array([0]))[0]) for _ in range(600)]
    assert set(sums) == {0, 1, 10, 100, 1000, 11, 101, 1001, 110, 1010, 1100}
    assert 100 < sums.count(0) < 200


def test_uniform_augment_of_pil_images():
    image = Image.fromarray(picture())
    operation = vision.UniformAugment([vision.Invert(), vision.RandomColor(), vision.RandomRotation(10)], 3)
    assert all(isinstance(operation(image), Image.Image) for _ in range(20))


def test_one_subpolicy_is_applied_per_image():
    image = picture()
    inverted, less = 255 - image, image & 0xC0
    policy = [
        [(vision.Invert(), 1)],
        [(vision.Posterize(2), 1.0), (vision.Invert(), 0.5)],
        [(vision.Invert(), 0)],
    ]
    names = {
        inverted.tobytes(): "invert",
        less.tobytes(): "posterize",
        (255 - less).tobytes(): "both",
        image.tobytes(): "nothing",
    }
    operation = vision.RandomSelectSubpolicy(policy)
    seen = [names[operation(image).tobytes()] for _ in range(900)]
    assert 240 < seen.count("invert") < 360 and 240 < seen.count("nothing") < 360
    assert 110 < seen.count("posterize") < 190 and 110 < seen.count("both") < 190
    assert isinstance(operation(Image.fromarray(image)), np.ndarray)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: vision.AutoAugment("imagenet"), TypeError, "AutoAugment: policy is 'imagenet'"),
        (lambda: vision.AutoAugment(fill_value=(1, 2)), TypeError, "AutoAugment: fill_value is"),
        (lambda: vision.AutoAugment(interpolation=2), TypeError, "AutoAugment: interpolation is 2"),
        (lambda: vision.RandAugment(-1), ValueError, "RandAugment: num_ops is -1"),
        (
            lambda: vision.RandAugment(2, 31, 31),
            ValueError,
            r"RandAugment: magnitude is 31; need a value in \[0, 30\]",
        ),
        (
            lambda: vision.RandAugment(num_magnitude_bins=1),
            ValueError,
            "RandAugment: num_magnitude_bins is 1",
        ),
        (lambda: vision.TrivialAugmentWide(1), ValueError, "TrivialAugmentWide: num_magnitude_bins is 1"),
        (lambda: vision.TrivialAugmentWide(2.0), TypeError, "TrivialAugmentWide: num_magnitude_bins is 2.0"),
        (lambda: vision.UniformAugment([], 1), ValueError, "UniformAugment: num_ops is 1"),
        (lambda: vision.UniformAugment([vision.Invert()], 0), ValueError, "UniformAugment: num_ops is 0"),
        (lambda: vision.UniformAugment([vision.Invert], 1), TypeError, r"UniformAugment: transforms\[0\] is"),
        (lambda: vision.UniformAugment(vision.Invert(), 1), TypeError, "UniformAugment: transforms is"),
        (lambda: vision.RandomSelectSubpolicy([]), ValueError, r"RandomSelectSubpolicy: policy is \[\]"),
        (
            lambda: vision.RandomSelectSubpolicy([[]]),
            ValueError,
            r"RandomSelectSubpolicy: policy\[0\] is \[\]",
        ),
        (lambda: vision.RandomSelectSubpolicy([[vision.Invert()]]), ValueError, r"policy\[0\]\[0\] is"),
        (
            lambda: vision.RandomSelectSubpolicy([[(vision.Invert(), 2.0)]]),
            ValueError,
            r"policy\[0\]\[0\]\[1\] is 2.0",
        ),
        (lambda: vision.RandomSelectSubpolicy([[(3, 1.0)]]), TypeError, r"policy\[0\]\[0\]\[0\] is 3"),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "operation", [vision.AutoAugment(), vision.RandAugment(), vision.TrivialAugmentWide()]
)
def test_wrong_images(operation):
    name = type(operation).__name__
    with pytest.raises(RuntimeError, match=f"{name}: the image is of float32; it must be of uint8"):
        operation(np.zeros((3, 4, 3), np.float32))
    with pytest.raises(RuntimeError, match=rf"{name}: the image has shape \(3, 4\) and so 1 channels"):
        operation(np.zeros((3, 4), np.uint8))
    assert isinstance(operation(Image.fromarray(picture())), np.ndarray)
