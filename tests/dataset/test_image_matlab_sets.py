"""SVHN, Flowers-102, Caltech-101 and SBD, and the MATLAB files they are in."""

import io

import numpy as np
import pytest
from image_files import save_picture, source_rows, write_text
from scipy import io as scipy_io
from scipy import sparse

from dyad.dataset import _mat_file
from dyad.dataset.image_datasets import Caltech101Dataset, Flowers102Dataset, SBDataset, SVHNDataset


def mat_bytes(variables, compressed=False):
    file = io.BytesIO()
    scipy_io.savemat(file, variables, do_compression=compressed)
    return file.getvalue()


def save_mat(path, **variables):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(mat_bytes(variables, compressed=True))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 7), (2, 3, 4), (0, 3)])
def test_load_mat_keeps_dtype_and_values(compressed, dtype, shape):
    array = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    found = _mat_file.load_mat(mat_bytes({"x": array, "other": np.eye(2)}, compressed))
    assert [*found] == ["x", "other"] and found["x"].dtype == array.dtype
    np.testing.assert_array_equal(found["x"], array)


def test_structs_cells_and_sparse_matrices():
    cells = np.empty((2, 1), object)
    cells[:, 0] = [sparse.csc_matrix(np.arange(6.0).reshape(2, 3)), np.eye(2)]
    found = _mat_file.load_mat(mat_bytes({"s": {"cells": cells, "a_long_name": np.arange(3)}}))["s"]
    np.testing.assert_array_equal(found["cells"][0], np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(found["cells"][1], np.eye(2))
    np.testing.assert_array_equal(found["a_long_name"], [[0, 1, 2]])


def test_damaged_files_are_told(tmp_path):
    whole = mat_bytes({"s": {"x": np.eye(2), "y": sparse.csc_matrix(np.eye(3))}, "u": np.arange(5)})
    generator = np.random.default_rng(0)
    faults = 0
    for _ in range(400):
        changed = bytearray(whole)
        for position in generator.integers(0, len(whole), 2):
            changed[position] = generator.integers(0, 256)
        try:
            _mat_file.load_mat(changed[: generator.integers(0, 2 * len(whole))])
        except _mat_file.MatFault:
            faults += 1
    assert faults > 100
    for text in (b"", b"x" * 200, whole[:200]):
        with pytest.raises(_mat_file.MatFault):
            _mat_file.load_mat(text)


def svhn_images(count, seed):
    return np.random.default_rng(seed).integers(0, 256, (32, 32, 3, count), np.uint8)


def test_one_image_without_its_last_dimension(tmp_path):
    save_mat(tmp_path / "train_32x32.mat", X=svhn_images(1, 0)[..., 0], y=np.uint8([[4]]))
    (row,) = source_rows(SVHNDataset(str(tmp_path), "train"))
    np.testing.assert_array_equal(row["image"], svhn_images(1, 0)[..., 0])


def test_svhn_has_the_images_of_each_usage(tmp_path):
    images = {"train": svhn_images(3, 0), "test": svhn_images(2, 1), "extra": svhn_images(1, 2)}
    labels = {"train": [10, 1, 9], "test": [5, 10], "extra": [3]}
    for usage in images:
        save_mat(tmp_path / f"{usage}_32x32.mat", X=images[usage], y=np.uint8(labels[usage])[:, None])
    for usage, names in (("train", ["train"]), ("extra", ["extra"]), (None, ["train", "test", "extra"])):
        rows = source_rows(SVHNDataset(str(tmp_path), usage, shuffle=False))
        expected = np.concatenate([images[name] for name in names], 3).transpose(3, 0, 1, 2)
        np.testing.assert_array_equal(np.stack([row["image"] for row in rows]), expected)
        assert [int(row["label"]) for row in rows] == [label % 10 for name in names for label in labels[name]]
        assert rows[0]["label"].dtype == np.uint32
    save_mat(tmp_path / "test_32x32.mat", X=np.eye(3), y=np.uint8([[1]]))
    with pytest.raises(
        RuntimeError, match=r"SVHNDataset: the file .*test_32x32.mat' cannot be read: it has no array 'X'"
    ):
        SVHNDataset(str(tmp_path), "test").open_source()
    save_mat(tmp_path / "test_32x32.mat", X=svhn_images(4, 0), y=np.uint8([[1], [2]]))
    with pytest.raises(RuntimeError, match=r"images of shape \(32, 32, 3, 4\) and 2 labels"):
        SVHNDataset(str(tmp_path), "test").open_source()


@pytest.fixture
def flowers(tmp_path):
    for number in range(1, 5):
        save_picture(tmp_path / "jpg" / f"image_{number:05d}.jpg", number)
        save_picture(tmp_path / "segmim" / f"segmim_{number:05d}.jpg", number + 10)
    save_mat(tmp_path / "imagelabels.mat", labels=np.uint8([[77, 1, 102, 3]]))
    save_mat(
        tmp_path / "setid.mat", trnid=np.uint16([[3, 1]]), valid=np.uint16([[2]]), tstid=np.uint16([[4]])
    )
    return tmp_path


def test_flowers102_has_the_images_of_each_usage(flowers):
    expected = {"train": [3, 1], "valid": [2], "test": [4], "all": [3, 1, 4, 2]}
    labels = [76, 0, 101, 2]
    for usage, numbers in expected.items():
        rows = source_rows(Flowers102Dataset(str(flowers), "Segmentation", usage, shuffle=False))
        for row, number in zip(rows, numbers, strict=True):
            assert row["image"].tobytes() == (flowers / "jpg" / f"image_{number:05d}.jpg").read_bytes()
            assert (
                row["segmentation"].tobytes()
                == (flowers / "segmim" / f"segmim_{number:05d}.jpg").read_bytes()
            )
            assert int(row["label"]) == labels[number - 1]
    dataset = Flowers102Dataset(str(flowers))
    assert [*source_rows(dataset)[0]] == ["image", "label"]
    assert dataset.num_classes() == 102 and dataset.get_class_indexing()["sunflower"] == 53
    save_mat(flowers / "setid.mat", trnid=np.uint16([[9]]), valid=np.uint16([[2]]), tstid=np.uint16([[4]]))
    with pytest.raises(
        RuntimeError, match=r"Flowers102Dataset: setid.mat in .* names no images, or some that"
    ):
        Flowers102Dataset(str(flowers), usage="train").open_source()


@pytest.fixture
def caltech(tmp_path):
    for category, folder in (("Faces", "Faces_2"), ("BACKGROUND_Google", None), ("ant", "ant")):
        for number in (1, 2):
            save_picture(tmp_path / "101_ObjectCategories" / category / f"image_{number:04d}.jpg", number)
            if folder:
                outline = np.arange(6.0).reshape(2, 3) + number
                save_mat(
                    tmp_path / "Annotations" / folder / f"annotation_{number:04d}.mat", obj_contour=outline
                )
    return tmp_path


def test_caltech101_has_categories_and_outlines(caltech):
    dataset = Caltech101Dataset(str(caltech), "all", shuffle=False)
    rows = source_rows(dataset)
    assert [*rows[0]] == ["image", "category", "annotation"]
    assert [int(row["category"]) for row in rows] == [0, 0, 1, 1] and rows[0]["category"].dtype == np.int64
    np.testing.assert_array_equal(rows[3]["annotation"], np.arange(6.0).reshape(2, 3) + 2)
    assert dataset.get_class_indexing() == {"Faces": 0, "ant": 1} and dataset.num_classes() == 2
    assert [*source_rows(Caltech101Dataset(str(caltech)))[0]] == ["image", "category"]
    assert [*source_rows(Caltech101Dataset(str(caltech), "annotation"))[0]] == ["image", "annotation"]


def test_damaged_caltech101(caltech):
    save_mat(caltech / "Annotations" / "ant" / "annotation_0001.mat", other=np.eye(2))
    source = Caltech101Dataset(str(caltech), "annotation", shuffle=False).open_source()
    with pytest.raises(
        RuntimeError, match=r"(?s)annotation_0001.mat cannot be read: .*it has no array 'obj_contour'"
    ):
        source[2]


@pytest.fixture
def boundaries(tmp_path):
    cells = np.empty((20, 1), object)
    cells[:, 0] = [sparse.csc_matrix(np.arange(20).reshape(5, 4) % (i + 2) == 0) for i in range(20)]
    for name in "abc":
        save_picture(tmp_path / "img" / f"{name}.jpg")
        pixels = (np.arange(20).reshape(5, 4) + ord(name)).astype(np.uint8)
        save_mat(tmp_path / "cls" / f"{name}.mat", GTcls={"Boundaries": cells, "Segmentation": pixels})
    for usage, names in (("train", "a\nb\n"), ("val", "c\n"), ("train_noval", "b\n")):
        write_text(tmp_path / f"{usage}.txt", names)
    return tmp_path


def test_sbd_has_a_plane_of_boundaries_per_class(boundaries):
    rows = source_rows(SBDataset(str(boundaries), usage="train", shuffle=False))
    expected = np.stack([np.arange(20).reshape(5, 4) % (i + 2) == 0 for i in range(20)])
    assert [*rows[0]] == ["image", "task"] and rows[0]["task"].dtype == np.uint8
    np.testing.assert_array_equal(rows[1]["task"], expected)
    for usage, names in (("all", "abc"), ("val", "c"), ("train_noval", "b")):
        rows = source_rows(SBDataset(str(boundaries), "Segmentation", usage, shuffle=False))
        assert [row["task"][0, 0] for row in rows] == [ord(name) for name in names]
    save_mat(boundaries / "cls" / "c.mat", GTcls=np.eye(2))
    with pytest.raises(
        RuntimeError, match=r"(?s)SBDataset: .*c.mat cannot be read: .*it has no struct 'GTcls'"
    ):
        source_rows(SBDataset(str(boundaries), usage="val"))
