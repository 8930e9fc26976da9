"""Sets of speech, made up in the layouts that they come in."""

import struct
import wave

import numpy as np
import pytest

import dyad
from dyad import dataset as ds

ONE = np.array([0, 32767, -32767, 16384], "<i2")


def write(path, samples=ONE, rate=16000, channels=1, width=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


def write_text(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(dataset):
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def sole(dataset, **columns):
    (row,) = read(dataset)
    assert list(row) == dataset.get_col_names() == ["waveform", "sample_rate", *columns]
    assert row["waveform"].dtype == np.float32 and row["waveform"].shape == (1, 4)
    np.testing.assert_allclose(row["waveform"][0], [0, 1, -1, 16384 / 32767])
    for name, value in columns.items():
        assert row[name].tolist() == value, name
    return row


def test_lj_speech(tmp_path):
    write_text(tmp_path / "metadata.csv", 'LJ001-0001|No. 1, "q"|Number one, "q"\n')
    write(tmp_path / "wavs" / "LJ001-0001.wav", rate=22050)
    texts = {"transcription": 'No. 1, "q"', "normalized_transcription": 'Number one, "q"'}
    row = sole(ds.LJSpeechDataset(str(tmp_path)), **texts)
    assert row["sample_rate"].dtype == np.int32 and row["sample_rate"] == 22050
    write_text(tmp_path / "metadata.csv", "LJ001-0001|text\n")
    with pytest.raises(RuntimeError, match="need three fields"):
        read(ds.LJSpeechDataset(str(tmp_path)))


def test_yes_no(tmp_path):
    write(tmp_path / "0_1_0_1_1_0_0_1.wav", rate=8000)
    write_text(tmp_path / "README", "")
    row = sole(ds.YesNoDataset(str(tmp_path)), label=[0, 1, 0, 1, 1, 0, 0, 1])
    assert row["label"].dtype == np.int32 and row["sample_rate"] == 8000
    with pytest.raises(RuntimeError, match="no data was found"):
        read(ds.YesNoDataset(str(tmp_path / "0_1_0_1_1_0_0_1.wav").rpartition("/")[0] + "/.."))


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        ("test", [("cat", "a", 1)]),
        ("valid", [("dog", "b", 0)]),
        ("train", [("cat", "a", 0), ("dog", "b", 3)]),
        ("all", [("cat", "a", 0), ("cat", "a", 1), ("dog", "b", 0), ("dog", "b", 3)]),
        (None, [("cat", "a", 0), ("cat", "a", 1), ("dog", "b", 0), ("dog", "b", 3)]),
    ],
)
def test_speech_commands(tmp_path, usage, found):
    for name in ("cat/a_nohash_0", "cat/a_nohash_1", "dog/b_nohash_0", "dog/b_nohash_3"):
        write(tmp_path / f"{name}.wav")
    write(tmp_path / "_background_noise_" / "tap.wav")
    write_text(tmp_path / "testing_list.txt", "cat/a_nohash_1.wav\n")
    write_text(tmp_path / "validation_list.txt", "dog/b_nohash_0.wav\n")
    dataset = ds.SpeechCommandsDataset(str(tmp_path), usage, shuffle=False)
    names = ["label", "speaker_id", "utterance_number"]
    assert dataset.get_col_names() == ["waveform", "sample_rate", *names] and len(dataset) == len(found)
    assert [tuple(row[name].item() for name in names) for row in read(dataset)] == found


def test_cmu_arctic(tmp_path):
    folder = tmp_path / "cmu_us_bdl_arctic"
    write_text(folder / "etc" / "txt.done.data", '( arctic_a0001 "It\'s here, etc." )\n')
    write(folder / "wav" / "arctic_a0001.wav")
    dataset = ds.CMUArcticDataset(str(tmp_path), "bdl")
    assert sole(dataset, transcript="It's here, etc.", utterance_id="a0001")["sample_rate"].dtype == np.uint32
    with pytest.raises(RuntimeError, match="cmu_us_aew_arctic"):
        read(ds.CMUArcticDataset(str(tmp_path)))
    with pytest.raises(ValueError, match="name is 'x'"):
        ds.CMUArcticDataset(str(tmp_path), "x")


@pytest.mark.parametrize("usage", [None, "all", "dev-clean"])
def test_libri_tts(tmp_path, usage):
    folder = tmp_path / "dev-clean" / "84" / "121"
    write_text(folder / "84_121.trans.tsv", '84_121_000001_000000\tNo. "1"\tNumber one\n')
    write(folder / "84_121_000001_000000.wav", rate=24000)
    columns = {
        "original_text": 'No. "1"',
        "normalized_text": "Number one",
        "speaker_id": 84,
        "chapter_id": 121,
    }
    row = sole(ds.LibriTTSDataset(str(tmp_path), usage), **columns, utterance_id="84_121_000001_000000")
    assert row["chapter_id"].dtype == np.uint32 and row["sample_rate"] == 24000
    with pytest.raises(RuntimeError, match="no data was found"):
        read(ds.LibriTTSDataset(str(tmp_path), "test-clean"))


def wave_bytes(kind, bits, data, channels=1, extra=b""):
    width = channels * bits // 8
    layout = struct.pack("<HHIIHH", kind, channels, 8000, 8000 * width, width, bits) + extra
    chunks = b"fmt " + struct.pack("<I", len(layout)) + layout
    chunks += b"LIST" + struct.pack("<I", 3) + b"abc\0"  # of an odd size, hence padded
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


@pytest.mark.parametrize(
    "contents",
    [
        wave_bytes(1, 8, bytes([128, 255, 1])),
        wave_bytes(1, 16, np.array([0, 32767, -32767], "<i2").tobytes() + b"x"),
        wave_bytes(1, 24, b"\0\0\0" + b"\xff\xff\x7f" + b"\x01\x00\x80"),
        wave_bytes(1, 32, np.array([0, 2**31 - 1, 1 - 2**31], "<i4").tobytes()),
        wave_bytes(3, 32, np.array([0, 1, -1], "<f4").tobytes()),
        wave_bytes(3, 64, np.array([0, 1, -1], "<f8").tobytes()),
        wave_bytes(0xFFFE, 16, ONE[:3].tobytes(), extra=struct.pack("<HHIH", 22, 16, 4, 1) + bytes(14)),
    ],
)
def test_kinds_of_samples(tmp_path, contents):
    (tmp_path / "0_0_0_0_0_0_0_0.wav").write_bytes(contents)
    (row,) = read(ds.YesNoDataset(str(tmp_path)))
    np.testing.assert_allclose(row["waveform"], [[0, 1, -1]])


def test_gtzan_has_the_tracks_of_each_usage(tmp_path):
    for name in ("blues.00000.wav", "blues.00012.wav", "blues.00029.wav", "blues.00100.wav", "notes.txt"):
        write(tmp_path / "blues" / name, rate=22050)
    write(tmp_path / "rock" / "rock.00000.wav", rate=22050)
    labels = [row["label"].item() for row in read(ds.GTZANDataset(str(tmp_path), shuffle=False))]
    assert labels == ["blues"] * 4 + ["rock"]
    assert len(read(ds.GTZANDataset(str(tmp_path), "train"))) == 2
    row = sole(ds.GTZANDataset(str(tmp_path), "valid"), label="blues")
    assert row["sample_rate"] == 22050 and row["sample_rate"].dtype == np.uint32
    sole(ds.GTZANDataset(str(tmp_path), "test"), label="blues")
    with pytest.raises(ValueError, match="usage is 'dev'"):
        ds.GTZANDataset(str(tmp_path), "dev")


def test_the_tracks_of_gtzan_are_shared_out():
    from dyad.dataset._music_genres import GENRES, tracks_of

    counts = {}
    for genre in GENRES:
        parts = {usage: set(tracks_of(usage, genre)) for usage in ("train", "valid", "test")}
        assert not (parts["train"] & parts["valid"] or parts["train"] & parts["test"])
        assert not parts["valid"] & parts["test"]
        for usage, numbers in parts.items():
            counts[usage] = counts.get(usage, 0) + len(numbers)
    assert counts == {"train": 443, "valid": 197, "test": 290}


def write_sphere(path, samples, order="01", coding="pcm"):
    path.parent.mkdir(parents=True, exist_ok=True)
    header = (
        f"NIST_1A\n   1024\nchannel_count -i 1\nsample_rate -i 8000\nsample_n_bytes -i 2\n"
        f"sample_byte_format -s2 {order}\nsample_coding -s3 {coding}\nend_head\n"
    )
    path.write_bytes(
        header.encode().ljust(1024) + samples.astype("<i2" if order == "01" else ">i2").tobytes()
    )


@pytest.mark.parametrize("order", ["01", "10"])
def test_tedlium_has_a_row_per_line_of_the_transcripts(tmp_path, order):
    samples = np.arange(8000)
    for part in ("train", "dev", "test"):
        write_sphere(tmp_path / part / "sph" / "Some_2009.sph", samples, order)
        spoken = [f"0.25 0.50 <o,f0,male> hello from {part}", "0.50 1.00 <o,f0,male> more"]
        text = "".join(f"Some_2009 1 Some {line}\n" for line in spoken)
        write_text(tmp_path / part / "stm" / "Some_2009.stm", text)
    dataset = ds.TedliumDataset(str(tmp_path), "release1", "dev", shuffle=False)
    assert dataset.get_col_names()[2:] == ["transcript", "talk_id", "speaker_id", "identifier"]
    first, second = read(dataset)
    np.testing.assert_allclose(first["waveform"], samples[None, 2000:4000] / 32768)
    assert second["waveform"].shape == (1, 4000) and second["sample_rate"] == 8000
    told = [first[name].item() for name in ("transcript", "talk_id", "speaker_id", "identifier")]
    assert told == ["hello from dev", "Some_2009", "Some", "<o,f0,male>"]
    assert len(read(ds.TedliumDataset(str(tmp_path), "release2"))) == 6
    with pytest.raises(ValueError, match="usage is 'dev'"):
        ds.TedliumDataset(str(tmp_path), "release3", "dev")


def test_tedlium_with_samples_that_are_not_known(tmp_path):
    write_sphere(tmp_path / "data" / "sph" / "Some.sph", np.arange(8), coding="ulaw")
    write_text(tmp_path / "data" / "stm" / "Some.stm", "Some 1 Some 0 1 <o> text\n")
    with pytest.raises(RuntimeError, match="has samples of 'ulaw'; need pcm"):
        read(ds.TedliumDataset(str(tmp_path), "release3"))


def test_settings_are_found_in_the_package():
    assert ds.get_seed is ds.config.get_seed and ds.set_seed is ds.config.set_seed


def test_channels_are_rows(tmp_path):
    write(tmp_path / "0_0_0_0_0_0_0_0.wav", ONE, channels=2)
    (row,) = read(ds.YesNoDataset(str(tmp_path)))
    np.testing.assert_allclose(row["waveform"], [[0, -1], [1, 16384 / 32767]])


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (b"no sound", "no RIFF/WAVE file"),
        (b"RIFF\0\0\0\0WAVE", "has no samples"),
        (wave_bytes(1, 16, b"")[:40], "has no samples"),
        (wave_bytes(2, 4, b"\0\0"), "format 2 with 4 bits"),
        (wave_bytes(1, 16, b"\0\0", channels=0), "has no samples"),
    ],
)
def test_a_file_that_is_not_audio_is_rejected(tmp_path, contents, says):
    (tmp_path / "0_0_0_0_0_0_0_0.wav").write_bytes(contents)
    with pytest.raises(RuntimeError, match=says):
        read(ds.YesNoDataset(str(tmp_path)))


def test_sound_goes_through_transforms(tmp_path):
    write(tmp_path / "0_0_0_0_0_0_0_0.wav")
    dataset = ds.YesNoDataset(str(tmp_path)).map(ds.audio.Vol(0.5), "waveform").project("waveform").batch(1)
    ((made,),) = dataset
    assert isinstance(made, dyad.Tensor) and made.shape == (1, 1, 4)
    np.testing.assert_allclose(made.asnumpy()[0, 0, :3], [0, 0.5, -0.5])
