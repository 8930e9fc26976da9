"""ImageFolderDataset: images in one directory per class."""

import numpy as np
import pytest
from image_files import picture, save_picture, source_rows, write_text

from dyad.dataset.image_datasets import ImageFolderDataset


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(["9/v.png", "10/v.png", "a/x.bmp", "a/w.jpg", "b/2.png"]):
        save_picture(tmp_path / name, seed)
    save_picture(tmp_path / "top.png")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_classes_in_the_order_of_their_names(folder):
    dataset = ImageFolderDataset(str(folder), shuffle=False)
    rows = source_rows(dataset)
    files = ["10/v.png", "9/v.png", "a/w.jpg", "a/x.bmp", "b/2.png"]
    for row, name in zip(rows, files, strict=True):
        np.testing.assert_array_equal(row["image"], np.frombuffer((folder / name).read_bytes(), np.uint8))
    assert [int(row["label"]) for row in rows] == [0, 1, 2, 2, 3]
    assert rows[0]["label"].dtype == np.int32 and rows[0]["label"].shape == ()
    assert dataset.get_class_indexing() == {"10": 0, "9": 1, "a": 2, "b": 3, "empty": 4}
    assert dataset.num_classes() == 5
    assert dataset.open_source().classes == [0, 1, 2, 2, 3]


def test_only_files_with_the_extensions_are_read(folder):
    rows = source_rows(ImageFolderDataset(str(folder), extensions=[".jpg", ".bmp"], shuffle=False))
    assert [int(row["label"]) for row in rows] == [2, 2]
    with pytest.raises(RuntimeError, match="ImageFolderDataset: no image was found"):
        ImageFolderDataset(str(folder), extensions=[".PNG"]).open_source()


def test_class_indexing(folder):
    dataset = ImageFolderDataset(str(folder), class_indexing={"b": 7, "a": 3}, shuffle=False)
    assert [int(row["label"]) for row in source_rows(dataset)] == [3, 3, 7]
    assert dataset.get_class_indexing() == {"b": 7, "a": 3} and dataset.num_classes() == 2
    with pytest.raises(RuntimeError, match="class_indexing names the class zebra; there is no such folder"):
        ImageFolderDataset(str(folder), class_indexing={"zebra": 1}).open_source()


def test_image_folder_decodes_images(folder):
    rows = source_rows(ImageFolderDataset(str(folder), extensions=[".png"], decode=True, shuffle=False))
    for row, seed in zip(rows, [1, 0, 4], strict=True):
        np.testing.assert_array_equal(row["image"], picture(seed))


def test_a_corrupt_image_is_named(folder):
    (folder / "a" / "w.jpg").write_bytes(b"no image at all")
    dataset = ImageFolderDataset(str(folder), class_indexing={"a": 0}, decode=True)
    with pytest.raises(RuntimeError, match=r"ImageFolderDataset: the file .*a/w\.jpg cannot be read"):
        source_rows(dataset)


@pytest.mark.parametrize("contents,message", [(b"", "is empty"), (None, "cannot be opened: No such file")])
def test_a_file_is_read_with_its_row(folder, contents, message):
    source = ImageFolderDataset(str(folder), shuffle=False).open_source()
    (folder / "a" / "x.bmp").unlink()
    if contents is not None:
        (folder / "a" / "x.bmp").write_bytes(contents)
    assert source[2][1] == 2
    with pytest.raises(RuntimeError, match=rf"ImageFolderDataset: the file .*a/x\.bmp {message}"):
        source[3]


def test_a_folder_inside_of_a_class(folder):
    save_picture(folder / "a" / "deep" / "y.png")
    with pytest.raises(RuntimeError, match="a/deep is a folder inside of a class; need files only"):
        ImageFolderDataset(str(folder)).open_source()
    assert len(source_rows(ImageFolderDataset(str(folder), extensions=[".bmp"]))) == 1


def test_image_folder_decrypts_files(folder):
    def reversed_bytes(path):
        with open(path, "rb") as file:
            return file.read()[::-1]

    plain = (folder / "a" / "x.bmp").read_bytes()
    (folder / "a" / "x.bmp").write_bytes(plain[::-1])
    options = {"extensions": [".bmp"], "decrypt": reversed_bytes}
    rows = source_rows(ImageFolderDataset(str(folder), **options))
    assert rows[0]["image"].tobytes() == plain
    rows = source_rows(ImageFolderDataset(str(folder), **options, decode=True))
    np.testing.assert_array_equal(rows[0]["image"], picture(2))


def test_what_decrypt_raises_or_gives(folder):
    def broken(path):
        raise OSError("the key is lost")

    for function, message in (
        (broken, "the key is lost"),
        (lambda path: "text", "decrypt gave 'text' of type str"),
    ):
        with pytest.raises(RuntimeError, match=rf"ImageFolderDataset: the file .*(?s:.*){message}"):
            ImageFolderDataset(str(folder), decrypt=function).open_source()[0]


@pytest.mark.parametrize(
    "options,error,message",
    [
        ({"extensions": ".jpg"}, TypeError, "extensions is '.jpg'; need a list"),
        ({"extensions": [3]}, TypeError, "extensions has 3; need str"),
        ({"extensions": ["jpg"]}, ValueError, "extensions has 'jpg'; need a dot in front"),
        ({"class_indexing": ["a"]}, TypeError, r"class_indexing is \['a'\]; need a dict"),
        ({"class_indexing": {1: 1}}, TypeError, "class_indexing has the key 1; need str"),
        ({"class_indexing": {"a": "x"}}, TypeError, r"class_indexing\['a'\] is 'x' of type str; need an int"),
        (
            {"class_indexing": {"a": -1}},
            ValueError,
            r"class_indexing\['a'\] is -1; need an int of at least 0",
        ),
        (
            {"class_indexing": {"a": 1 << 31}},
            ValueError,
            r"class_indexing\['a'\] is 2147483648; need an int up to",
        ),
        ({"decode": 3}, TypeError, "decode is 3 of type int; need a bool"),
        ({"decrypt": 3}, TypeError, "decrypt is 3; need a function"),
    ],
)
def test_wrong_arguments(folder, options, error, message):
    with pytest.raises(error, match=f"ImageFolderDataset: {message}"):
        ImageFolderDataset(str(folder), **options)


def test_no_class(tmp_path):
    write_text(tmp_path / "note.txt", "nothing")
    with pytest.raises(RuntimeError, match=r"no image was found in .*; need one folder per class"):
        ImageFolderDataset(str(tmp_path)).open_source()
