"""Datasets of images that text files list."""

import json

import numpy as np
import pytest
from image_files import save_picture, source_rows, write_text

from dyad.dataset import image_datasets as sources


def contents(row, column="image"):
    return row[column].tobytes()


def test_food101_labels_are_names_of_dishes(tmp_path):
    files = {name: save_picture(tmp_path / "images" / f"{name}.jpg", seed).tobytes()
             for seed, name in enumerate(["pie/1", "soup/2", "pie/3"])}  # fmt: skip
    write_text(tmp_path / "meta" / "train.txt", "soup/2\npie/1\n")
    write_text(tmp_path / "meta" / "test.txt", "pie/3\n")
    for usage, names in (
        ("train", ["soup/2", "pie/1"]),
        ("test", ["pie/3"]),
        (None, ["soup/2", "pie/1", "pie/3"]),
    ):
        rows = source_rows(sources.Food101Dataset(str(tmp_path), usage, shuffle=False))
        assert [contents(row) for row in rows] == [files[name] for name in names]
        assert [str(row["label"]) for row in rows] == [name.split("/")[0] for name in names]
    (tmp_path / "meta" / "test.txt").unlink()
    with pytest.raises(RuntimeError, match=r"Food101Dataset: the file .*test\.txt' cannot be read"):
        sources.Food101Dataset(str(tmp_path)).open_source()


def test_places365_labels_are_those_of_the_list(tmp_path):
    write_text(tmp_path / "places365_train_standard.txt", "/a/abbey/1.jpg 0\n/b/bank/x 2.jpg 7\n")
    write_text(tmp_path / "places365_val.txt", "v.jpg 300\n")
    small = save_picture(tmp_path / "data_256_standard" / "b/bank/x 2.jpg", 1).tobytes()
    save_picture(tmp_path / "data_256_standard" / "a/abbey/1.jpg", 0)
    large = save_picture(tmp_path / "val_large" / "v.jpg", 2).tobytes()
    rows = source_rows(sources.Places365Dataset(str(tmp_path), shuffle=False))
    assert [int(row["label"]) for row in rows] == [0, 7] and contents(rows[1]) == small
    assert rows[0]["label"].dtype == np.uint32
    (row,) = source_rows(sources.Places365Dataset(str(tmp_path), "val", small=False))
    assert int(row["label"]) == 300 and contents(row) == large
    write_text(tmp_path / "places365_val.txt", "v.jpg\n")
    with pytest.raises(
        RuntimeError, match=r"places365_val.txt' has the line 'v.jpg'; need a file and its class"
    ):
        sources.Places365Dataset(str(tmp_path), "val").open_source()


def test_flickr_has_the_captions_of_each_image(tmp_path):
    files = [
        save_picture(tmp_path / "images" / f"{name}.jpg", seed).tobytes() for seed, name in enumerate("ab")
    ]
    captions = tmp_path / "results.token"
    write_text(captions, "".join(f"{name}.jpg#{i}\t{name} {i} .\n" for name in "ba" for i in range(5)))
    rows = source_rows(sources.FlickrDataset(str(tmp_path / "images"), str(captions), shuffle=False))
    assert [contents(row) for row in rows] == files
    assert [row["annotation"].tolist() for row in rows] == [
        [f"{name} {i} ." for i in range(5)] for name in "ab"
    ]
    write_text(captions, "a.jpg a caption\n")
    with pytest.raises(
        RuntimeError, match=r"FlickrDataset: .*results.token' has the line 'a.jpg a caption'; need"
    ):
        sources.FlickrDataset(str(tmp_path / "images"), str(captions)).open_source()


def test_sbu_skips_missing_photos(tmp_path):
    first = save_picture(tmp_path / "sbu_images" / "m_1_a.jpg", 0).tobytes()
    stem = "SBU_captioned_photo_dataset_"
    write_text(
        tmp_path / f"{stem}urls.txt",
        "http://static.flickr.com/9/gone.jpg\nhttp://static.flickr.com/1/a.jpg\n",
    )
    write_text(tmp_path / f"{stem}captions.txt", "lost\na cat \n")
    (row,) = source_rows(sources.SBUDataset(str(tmp_path)))
    assert contents(row) == first and str(row["caption"]) == "a cat"
    write_text(tmp_path / f"{stem}captions.txt", "one\n")
    with pytest.raises(RuntimeError, match=r"urls.txt has 2 lines, .*captions.txt 1; need as many"):
        sources.SBUDataset(str(tmp_path)).open_source()


@pytest.fixture
def manifest(tmp_path):
    files = [str(tmp_path / f"{name}.jpg") for name in "ab"]
    for seed, path in enumerate(files):
        save_picture(tmp_path / path, seed)
    lines = [
        {"source": files[0], "usage": "TRAIN", "annotation": [{"name": "dog"}, {"name": "cat"}]},
        {"source": files[1], "usage": "train", "annotation": [{"type": "x", "name": "cat"}]},
        {"source": files[1], "usage": "eval", "annotation": [{"name": "ant"}]},
    ]
    write_text(tmp_path / "set.manifest", "".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "set.manifest"


def test_a_manifest_numbers_its_classes_by_name(manifest):
    dataset = sources.ManifestDataset(str(manifest), shuffle=False)
    rows = source_rows(dataset)
    assert [row["label"].tolist() for row in rows] == [[1, 0], 0] and rows[0]["label"].dtype == np.int32
    assert dataset.get_class_indexing() == {"cat": 0, "dog": 1} and dataset.num_classes() == 2
    (row,) = source_rows(sources.ManifestDataset(str(manifest), "eval"))
    assert int(row["label"]) == 0 and contents(row) == (manifest.parent / "b.jpg").read_bytes()
    dataset = sources.ManifestDataset(str(manifest), class_indexing={"dog": 9}, shuffle=False)
    assert [row["label"].tolist() for row in source_rows(dataset)] == [9]
    with pytest.raises(RuntimeError, match="ManifestDataset: no data was found"):
        sources.ManifestDataset(str(manifest), "inference").open_source()


@pytest.mark.parametrize(
    "line", ["{", "3", "{}", '{"usage": 3}', '{"usage": "train", "source": "a", "annotation": 3}']
)
def test_damaged_manifest(manifest, line):
    write_text(manifest, line + "\n")
    with pytest.raises(
        RuntimeError, match=r"ManifestDataset: line 1 of .*set.manifest' is .*; need an object with"
    ):
        sources.ManifestDataset(str(manifest)).open_source()
