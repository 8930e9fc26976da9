"""Datasets of one directory per class with a layout of their own."""

import numpy as np
import pytest
from image_files import picture, save_picture, source_rows, write_text

from dyad.dataset import image_datasets as sources


def save_all(folder, *names):
    """Images with seeds 0, 1, ...; decoded images tell them apart."""
    for seed, name in enumerate(names):
        save_picture(folder / name, seed)


def seeds_and_labels(dataset):
    """(seed of the image, label) of all rows."""
    rows = source_rows(dataset)
    known = {picture(seed).tobytes(): seed for seed in range(12)}
    return [(known[row["image"].tobytes()], int(row["label"])) for row in rows]


def label_dtype(dataset):
    return source_rows(dataset)[0]["label"].dtype


def test_caltech256_labels_are_numbers_of_directories(tmp_path):
    save_all(tmp_path, "001.ak47/001_0001.png", "010.beer/1.png", "002.flag/2.png", "002.flag/1.png")
    dataset = sources.Caltech256Dataset(str(tmp_path), decode=True, shuffle=False)
    assert seeds_and_labels(dataset) == [(0, 0), (3, 1), (2, 1), (1, 2)]
    assert label_dtype(dataset) == np.int32


def test_omniglot_has_a_class_per_character(tmp_path):
    top = "images_background"
    save_all(
        tmp_path,
        f"{top}/Beta/character01/1.png",
        f"{top}/Alpha/character02/1.png",
        f"{top}/Alpha/character01/1.png",
        "images_evaluation/Gamma/character01/1.png",
    )
    assert seeds_and_labels(sources.OmniglotDataset(str(tmp_path), decode=True)) == [(2, 0), (1, 1), (0, 2)]
    dataset = sources.OmniglotDataset(str(tmp_path), background=False, decode=True)
    assert seeds_and_labels(dataset) == [(3, 0)]
    assert label_dtype(dataset) == np.int32
    with pytest.raises(TypeError, match="OmniglotDataset: background is 3 of type int; need a bool"):
        sources.OmniglotDataset(str(tmp_path), 3)


def test_rendered_sst2(tmp_path):
    names = [
        f"{usage}/{label}/1.png" for usage in ("train", "test", "valid") for label in ("negative", "positive")
    ]
    save_all(tmp_path, *names)
    expected = {"train": [(0, 0), (1, 1)], "test": [(2, 0), (3, 1)], "val": [(4, 0), (5, 1)]}
    for usage, rows in expected.items():
        assert seeds_and_labels(sources.RenderedSST2Dataset(str(tmp_path), usage, decode=True)) == rows
    every = seeds_and_labels(sources.RenderedSST2Dataset(str(tmp_path), decode=True))
    assert every == expected["test"] + expected["train"] + expected["val"]
    assert label_dtype(sources.RenderedSST2Dataset(str(tmp_path))) == np.uint32


def test_sun397_labels_follow_the_list_of_classes(tmp_path):
    save_all(tmp_path, "a/abbey/1.png", "b/bank/outdoor/1.png", "c/cave/1.png")
    write_text(tmp_path / "ClassName.txt", "/b/bank/outdoor\n/a/abbey\n")
    assert seeds_and_labels(sources.SUN397Dataset(str(tmp_path), decode=True)) == [(1, 0), (0, 1)]
    write_text(tmp_path / "ClassName.txt", "/a/none\n")
    with pytest.raises(RuntimeError, match=r"SUN397Dataset: the folder .*a/none' cannot be listed"):
        sources.SUN397Dataset(str(tmp_path)).open_source()


def test_lsun_labels_follow_the_directories_that_are_read(tmp_path):
    names = ["bedroom_train", "bedroom_val", "classroom_train", "classroom_val", "test"]
    save_all(tmp_path, *(f"{name}/1.png" for name in names))

    def rows(*options):
        return seeds_and_labels(sources.LSUNDataset(str(tmp_path), *options, decode=True, shuffle=False))

    assert rows("train") == [(0, 0), (2, 1)]
    assert rows("valid") == [(1, 0), (3, 1)]
    assert rows("test") == [(4, 0)]
    assert rows() == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert rows("train", ["classroom"]) == [(2, 0)]
    with pytest.raises(RuntimeError, match="LSUNDataset: there is no folder 'kitchen_train'"):
        rows("train", ["kitchen"])
    with pytest.raises(TypeError, match="LSUNDataset: classes is 'kitchen'; need a list of str"):
        rows("train", "kitchen")


@pytest.mark.parametrize("name", ["Caltech256Dataset", "LSUNDataset"])
def test_an_empty_folder(tmp_path, name):
    with pytest.raises(RuntimeError, match=f"{name}: no data was found"):
        getattr(sources, name)(str(tmp_path)).open_source()
