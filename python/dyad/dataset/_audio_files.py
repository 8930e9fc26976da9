"""Audio files: RIFF/WAVE with samples as numbers from -1 to 1, and NIST SPHERE with a text header."""

import struct

import numpy as np

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_KNOWN = {*((_PCM, bits) for bits in (8, 16, 24, 32)), (_FLOAT, 32), (_FLOAT, 64)}


def waveform_of(contents):
    """The samples of a file's bytes, float32, of shape (channels, samples); 1 is the largest integer of a sample."""
    kind, channels, _, bits, data = _chunks(bytes(contents))
    if (kind, bits) not in _KNOWN:
        raise RuntimeError(f"a sound of format {kind} with {bits} bits is not known; need PCM or floats")
    width = bits // 8
    data = data[: len(data) // (width * channels) * width * channels]
    if kind == _FLOAT:
        samples = np.frombuffer(data, f"<f{width}")
    elif bits == 8:
        samples = (np.frombuffer(data, np.uint8).astype(np.float32) - 128) / 127
    elif bits == 24:
        parts = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int32)
        samples = ((parts << [8, 16, 24]).sum(1, dtype=np.int32) >> 8) / ((1 << 23) - 1)
    else:
        samples = np.frombuffer(data, f"<i{width}") / ((1 << (bits - 1)) - 1)
    return np.ascontiguousarray(samples.astype(np.float32).reshape(-1, channels).T)


def sample_rate_of(contents):
    """Samples in a second, of a file's bytes."""
    return _chunks(bytes(contents))[2]


def _chunks(contents):
    """Format, channels, samples in a second, bits of a sample, and the bytes of all samples."""
    if contents[:4] != b"RIFF" or contents[8:12] != b"WAVE":
        raise RuntimeError("the file is no RIFF/WAVE file")
    layout, at = None, 12
    while at + 8 <= len(contents):
        name, size = contents[at : at + 4], struct.unpack_from("<I", contents, at + 4)[0]
        body = contents[at + 8 : at + 8 + size]
        if name == b"fmt " and len(body) >= 16:
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
            if kind == _EXTENSIBLE and len(body) >= 26:
                kind = struct.unpack_from("<H", body, 24)[0]
            layout = kind, channels, rate, bits
        elif name == b"data" and layout is not None and layout[1] > 0:
            return *layout, body
        at += 8 + size + size % 2
    raise RuntimeError("the WAVE file has no samples: a chunk 'fmt ' or 'data' is missing")


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
