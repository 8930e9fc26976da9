"""NIST SPHERE audio files: a text header, and samples of 16 bits."""

import numpy as np


class SphereFile:
    """A file whose header is read; its samples are read in parts."""

    def __init__(self, path):
        self._path = path
        with open(path, "rb") as file:
            first = file.readline()
            if first.strip() != b"NIST_1A":
                raise RuntimeError(f"{path!r} begins with {first[:16]!r}; need a SPHERE file, NIST_1A")
            self._begin = int(file.readline())
            lines = file.read(self._begin - file.tell()).decode("latin-1").splitlines()
        self._fields = {}
        for line in lines:
            if line.strip() == "end_head":
                break
            fields = line.split(None, 2)
            if len(fields) == 3:
                self._fields[fields[0]] = fields[2].strip()
        coding = self._fields.get("sample_coding", "pcm")
        if coding != "pcm" or self._fields.get("sample_n_bytes", "2") != "2":
            raise RuntimeError(f"{path!r} has samples of {coding!r}; need pcm with 2 bytes each")
        self.rate = int(self._fields["sample_rate"])
        self._channels = int(self._fields.get("channel_count", "1"))
        self._order = ">" if self._fields.get("sample_byte_format", "01") == "10" else "<"

    def samples(self, begin, end):
        """Samples between two times in seconds, float32 from -1 to 1, of the first channel."""
        first, last = int(begin * self.rate), int(end * self.rate)
        width = 2 * self._channels
        with open(self._path, "rb") as file:
            file.seek(self._begin + first * width)
            data = file.read(max(last - first, 0) * width)
        numbers = np.frombuffer(data[: len(data) // width * width], f"{self._order}i2")
        return (numbers.reshape(-1, self._channels)[:, 0] / 32768).astype(np.float32)
