"""Speech and music: CMU Arctic, GTZAN, LibriTTS, LJ Speech, Speech Commands, TED-LIUM, YesNo.

All have columns `waveform`, float32 of shape (channels, samples), and `sample_rate`, the samples in a second.
"""

import os
import re
import typing

import numpy as np

from dyad.dataset._annotated_files import AnnotatedFiles
from dyad.dataset._audio_files import SphereFile, sample_rate_of, waveform_of
from dyad.dataset._file_dataset import FileDataset
from dyad.dataset._music_genres import GENRES, tracks_of

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
]

_ARCTIC_SPEAKERS = (
    "aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm", "lnh", "rms", "rxr",
    "slp", "slt",
)  # fmt: skip
_LIBRI_PARTS = (
    "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360", "train-other-500",
)  # fmt: skip
_ARCTIC_LINE = re.compile(r'\(\s*(\S+)\s+"(.*)"\s*\)\s*$')
_COMMAND_NAME = re.compile(r"(.+)_nohash_(\d+)\.wav$")
_ANSWERS_NAME = re.compile(r"([01](?:_[01]){7})\.wav$")


class SoundDataset(FileDataset):
    """Files of sound with what is known of each."""

    rate_dtype: type[np.generic] = np.int32

    def _sounds(self, paths):
        """The columns that all have, of these files."""
        if not paths:
            raise self._no_rows(self.dataset_dir)
        columns = AnnotatedFiles(self._owner())
        columns.files("waveform", paths, waveform_of)
        columns.files(
            "sample_rate", paths, lambda contents: np.array(sample_rate_of(contents), self.rate_dtype)
        )
        return columns


class LJSpeechDataset(SoundDataset):
    """LJ Speech: columns `waveform`, `sample_rate`, int32, `transcription` and `normalized_transcription`, strings.

    Args:
        dataset_dir: The directory with `metadata.csv` and `wavs`.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)

    def open_source(self):
        """The native source."""
        path = os.path.join(self.dataset_dir, "metadata.csv")
        rows = []
        for line in self._lines(path):
            fields = line.split("|")
            if len(fields) != 3:
                raise RuntimeError(
                    f"{self._owner()}: {path!r} has the line {line!r}; need three fields with '|'"
                )
            rows.append(fields)
        columns = self._sounds([os.path.join(self.dataset_dir, "wavs", f"{name}.wav") for name, _, _ in rows])
        columns.texts("transcription", [text for _, text, _ in rows])
        columns.texts("normalized_transcription", [text for _, _, text in rows])
        return columns.open()


class YesNoDataset(SoundDataset):
    """YesNo: columns `waveform`, `sample_rate`, int32, and `label`, int32 of shape (8,): 1 for each yes that is said.

    Args:
        dataset_dir: The directory with the files, named by the answers: `0_1_0_1_0_1_1_0.wav`.
    """

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)

    def open_source(self):
        """The native source."""
        found = [match for name in self._names_in() if (match := _ANSWERS_NAME.fullmatch(name))]
        columns = self._sounds([os.path.join(self.dataset_dir, match[0]) for match in found])
        columns.array("label", [[int(answer) for answer in match[1].split("_")] for match in found], np.int32)
        return columns.open()


class SpeechCommandsDataset(SoundDataset):
    """Speech Commands: columns `waveform`, `sample_rate`, int32, `label` and `speaker_id`, strings, and
    `utterance_number`, int32.

    Args:
        dataset_dir: The directory with a directory for each word, `testing_list.txt` and `validation_list.txt`.
        usage: "test" and "valid" are the files of those lists, "train" the others, "all" or None all.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "test", "valid", "all"))

    def open_source(self):
        """The native source."""
        rows = []
        for word, name in self._wanted():
            match = _COMMAND_NAME.fullmatch(name)
            if match is None:
                raise RuntimeError(f"{self._owner()}: {word}/{name} is not named SPEAKER_nohash_NUMBER.wav")
            rows.append((word, name, match[1], int(match[2])))
        columns = self._sounds([os.path.join(self.dataset_dir, word, name) for word, name, _, _ in rows])
        columns.texts("label", [word for word, _, _, _ in rows])
        columns.texts("speaker_id", [speaker for _, _, speaker, _ in rows])
        columns.array("utterance_number", [number for _, _, _, number in rows], np.int32)
        return columns.open()

    def _wanted(self):
        """Word and name of each file that belongs to the usage."""
        listed = {"test": ["testing_list.txt"], "valid": ["validation_list.txt"], "all": []}
        lists = listed.get(self.usage, ["testing_list.txt", "validation_list.txt"])
        lines = [line.strip() for name in lists for line in self._lines(os.path.join(self.dataset_dir, name))]
        if self.usage in ("test", "valid"):
            return [tuple(line.rpartition("/")[::2]) for line in lines]
        words = [word for word in self._names_in(folders=True) if not word.startswith("_")]
        found = [(word, name) for word in words for name in self._names_in(word) if name.endswith(".wav")]
        return [pair for pair in found if "/".join(pair) not in set(lines)] if lines else found


class CMUArcticDataset(SoundDataset):
    """CMU Arctic: columns `waveform`, `sample_rate`, uint32, `transcript` and `utterance_id`, strings.

    Args:
        dataset_dir: The directory with `cmu_us_aew_arctic` and so on.
        name: The speaker: "aew" if None.
    """

    rate_dtype = np.uint32

    def __init__(self, dataset_dir, name=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.name = self._choice_or("aew", "name", name, _ARCTIC_SPEAKERS)

    def open_source(self):
        """The native source."""
        folder = os.path.join(self.dataset_dir, f"cmu_us_{self.name}_arctic")
        path = os.path.join(folder, "etc", "txt.done.data")
        rows = []
        for line in self._lines(path):
            match = _ARCTIC_LINE.match(line)
            if match is None:
                raise RuntimeError(f'{self._owner()}: {path!r} has the line {line!r}; need ( NAME "TEXT" )')
            rows.append((match[1], match[2]))
        columns = self._sounds([os.path.join(folder, "wav", f"{name}.wav") for name, _ in rows])
        columns.texts("transcript", [text for _, text in rows])
        columns.texts("utterance_id", [name.rpartition("_")[2] for name, _ in rows])
        return columns.open()


class LibriTTSDataset(SoundDataset):
    """LibriTTS: columns `waveform`, `sample_rate`, uint32, `original_text`, `normalized_text`, `speaker_id` and
    `chapter_id`, uint32, and `utterance_id`, a string.

    Args:
        dataset_dir: The directory with `dev-clean`, `train-clean-100` and so on.
        usage: One of these directories; "all" or None for all that are there.
    """

    rate_dtype = np.uint32

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, (*_LIBRI_PARTS, "all"))

    def open_source(self):
        """The native source."""
        there = set(self._names_in(folders=True))
        parts = [part for part in _LIBRI_PARTS if self.usage in ("all", part) and part in there]
        rows = [row for part in parts for row in self._utterances(part)]
        columns = self._sounds([path for path, *_ in rows])
        columns.texts("original_text", [row[1] for row in rows])
        columns.texts("normalized_text", [row[2] for row in rows])
        columns.array("speaker_id", [row[3] for row in rows], np.uint32)
        columns.array("chapter_id", [row[4] for row in rows], np.uint32)
        columns.texts("utterance_id", [row[5] for row in rows])
        return columns.open()

    def _utterances(self, part):
        """Path, both transcripts, speaker, chapter and name of each utterance."""
        for speaker in self._names_in(part, folders=True):
            for chapter in self._names_in(part, speaker, folders=True):
                folder = os.path.join(self.dataset_dir, part, speaker, chapter)
                path = os.path.join(folder, f"{speaker}_{chapter}.trans.tsv")
                for line in self._lines(path):
                    fields = line.split("\t")
                    if len(fields) != 3:
                        raise RuntimeError(
                            f"{self._owner()}: {path!r} has the line {line!r}; need three fields"
                        )
                    name, original, normalized = fields
                    wave = os.path.join(folder, f"{name}.wav")
                    yield wave, original, normalized, int(speaker), int(chapter), name


class GTZANDataset(SoundDataset):
    """GTZAN: columns `waveform`, `sample_rate`, uint32, and `label`, the name of the genre.

    Args:
        dataset_dir: The directory with `blues`, `classical` and so on, which have `blues.00000.wav` and so on.
        usage: "train", "valid" and "test" are the common splits without damaged tracks; "all" or None selects all
            files.
    """

    rate_dtype = np.uint32

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.usage = self._choice_or("all", "usage", usage, ("train", "valid", "test", "all"))

    def open_source(self):
        """The native source."""
        there = set(self._names_in(folders=True))
        rows = []
        for genre in GENRES:
            if genre not in there:
                continue
            names = [name for name in self._names_in(genre) if name.endswith(".wav")]
            if self.usage != "all":
                wanted = {f"{genre}.{number:05d}.wav" for number in tracks_of(self.usage, genre)}
                names = [name for name in names if name in wanted]
            rows += [(genre, name) for name in names]
        columns = self._sounds([os.path.join(self.dataset_dir, genre, name) for genre, name in rows])
        columns.texts("label", [genre for genre, _ in rows])
        return columns.open()


class TedliumDataset(SoundDataset):
    """TED-LIUM: columns `waveform`, `sample_rate`, int32, and the strings `transcript`, `talk_id`, `speaker_id` and
    `identifier`.

    A row is one line of a transcript, and its part of the talk.

    Args:
        dataset_dir: The directory with `train`, `dev` and `test`, of "release3" with `data`; each has `sph` and `stm`.
        release: "release1", "release2" or "release3".
        usage: One of these directories; "all" or None for all. "release3" has "all" alone.
        extensions: ".sph", or None.
    """

    def __init__(self, dataset_dir, release, usage=None, extensions=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None):  # fmt: skip
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self.dataset_dir = self._folder(dataset_dir)
        self.release = self._choice("release", release, ("release1", "release2", "release3"))
        usages = ("all",) if self.release == "release3" else ("train", "dev", "test", "all")
        self.usage = self._choice_or("all", "usage", usage, usages)
        self.extensions = self._choice_or(".sph", "extensions", extensions, (".sph",))

    def open_source(self):
        """The native source."""
        parts = ["data"] if self.release == "release3" else ["train", "dev", "test"]
        rows = [row for part in parts if self.usage in ("all", part) for row in self._lines_of(part)]
        if not rows:
            raise self._no_rows(self.dataset_dir)
        talks = {row.path: SphereFile(row.path) for row in rows}
        columns = AnnotatedFiles(self._owner(), decrypt=_segment)
        keys = [f"{row.path}\n{row.begin}\n{row.end}" for row in rows]
        columns.files(
            "waveform", keys, lambda contents: np.frombuffer(bytes(contents), np.float32).reshape(1, -1)
        )
        columns.array("sample_rate", [talks[row.path].rate for row in rows], np.int32)
        for name in ("transcript", "talk_id", "speaker_id", "identifier"):
            columns.texts(name, [getattr(row, name) for row in rows])
        return columns.open()

    def _lines_of(self, part):
        """The contents of each line of the transcripts of a directory."""
        folder = os.path.join(self.dataset_dir, part)
        for name in self._names_in(part, "stm"):
            if not name.endswith(".stm"):
                continue
            path = os.path.join(folder, "stm", name)
            sound = os.path.join(folder, "sph", name.removesuffix(".stm") + self.extensions)
            for line in self._lines(path):
                fields = line.split(None, 6)
                if len(fields) < 6:
                    raise RuntimeError(
                        f"{self._owner()}: {path!r} has the line {line!r}; need "
                        "TALK CHANNEL SPEAKER BEGIN END LABEL TEXT"
                    )
                talk, _, speaker, begin, end, label = fields[:6]
                yield _Spoken(sound, begin, end, fields[6] if len(fields) > 6 else "", talk, speaker, label)


class _Spoken(typing.NamedTuple):
    """A line of a transcript, and its position in the talk."""

    path: str
    begin: str
    end: str
    transcript: str
    talk_id: str
    speaker_id: str
    identifier: str


def _segment(key):
    """The samples of a part of a talk, as bytes of float32."""
    path, begin, end = key.split("\n")
    return SphereFile(path).samples(float(begin), float(end)).tobytes()
