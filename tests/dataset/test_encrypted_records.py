"""Record files that are encrypted."""

import pytest

from dyad import dataset as ds
from dyad import mindrecord
from dyad.mindrecord import FileReader, FileWriter, set_dec_mode, set_enc_key, set_enc_mode
from dyad.mindrecord.common.exceptions import MRMOpenError

pytest.importorskip("cryptography")
KEY = "0123456789ABCDEF"


@pytest.fixture(autouse=True)
def no_key():
    yield
    set_enc_key(None)


def write(path, shards=1):
    writer = FileWriter(str(path), shards)
    writer.add_schema({"id": {"type": "int32"}, "text": {"type": "string"}}, "numbers")
    writer.write_raw_data([{"id": number, "text": f"secret {number}"} for number in range(6)])
    writer.commit()


def numbers(dataset):
    return sorted(int(row["id"]) for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def test_files_are_read_with_their_key(tmp_path):
    path = tmp_path / "a.mindrecord"
    set_enc_key(KEY)
    write(path)
    contents = path.read_bytes()
    assert contents.endswith(b"AES-GCMENCRYPT") and b"secret" not in contents
    assert (tmp_path / "a.mindrecord.db").read_bytes().endswith(b"AES-GCMENCRYPT")
    assert [row["id"] for row in FileReader(str(path)).get_next()] == list(range(6))
    assert numbers(ds.MindDataset(str(path))) == list(range(6))


def test_several_files(tmp_path):
    set_enc_key(KEY)
    write(tmp_path / "b.mindrecord", 2)
    assert numbers(ds.MindDataset(str(tmp_path / "b.mindrecord0"))) == list(range(6))


def test_without_the_key_they_are_not_read(tmp_path):
    path = tmp_path / "c.mindrecord"
    set_enc_key(KEY)
    write(path)
    set_enc_key(None)
    with pytest.raises(MRMOpenError, match=r"is encrypted; need its key, by mindrecord.set_enc_key"):
        FileReader(str(path))
    set_enc_key(KEY[::-1])
    with pytest.raises(MRMOpenError, match="cannot be decrypted: it was encrypted with another key"):
        FileReader(str(path))
    set_enc_key(None)
    write(tmp_path / "plain.mindrecord")
    assert numbers(ds.MindDataset(str(tmp_path / "plain.mindrecord"))) == list(range(6))


def test_keys_and_modes_that_there_are():
    set_enc_mode("AES-GCM")
    set_dec_mode("AES-GCM")
    set_dec_mode(None)
    assert mindrecord.set_enc_key is set_enc_key
    for action, text in [
        (lambda: set_enc_key("short"), "enc_key has 5 bytes; need 16, 24 or 32"),
        (lambda: set_enc_key(3), "enc_key is of type int; need a str or None"),
        (lambda: set_enc_mode("AES-CBC"), "enc_mode is 'AES-CBC'; need 'AES-GCM'"),
        (lambda: set_dec_mode(3), "dec_mode is 3; need 'AES-GCM'"),
    ]:
        with pytest.raises(ValueError, match=text):
            action()
