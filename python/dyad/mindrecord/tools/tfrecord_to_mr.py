"""TFRecord files to MindRecord files."""

import re

from dyad import _core
from dyad.mindrecord.common.exceptions import ParamTypeError, ParamValueError
from dyad.mindrecord.tools import conversion

_KINDS = {"string": "string", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
          "uint8": "int32", "uint16": "int32", "float16": "float32", "float32": "float32",
          "float64": "float64", "double": "float64"}  # fmt: skip


def _field_name(key):
    """A name of letters, digits and '_'."""
    return re.sub(r"[^0-9a-zA-Z]", "_", key)


class TFRecordToMR:
    """Writes the examples of a TFRecord file to MindRecord files. TensorFlow is not needed.

    Args:
        source: path of the TFRecord file.
        destination: path of the file to write.
        feature_dict: from names of features to `tf.io.FixedLenFeature`, or to anything with its `shape` ([] or one
            size) and `dtype`.
        bytes_fields: names of string features that are bytes, for example those of an image.
    """

    def __init__(self, source, destination, feature_dict, bytes_fields=None):
        self.source = conversion.require_path("TFRecordToMR", "source", source, "file")
        self.destination = conversion.require_path("TFRecordToMR", "destination", destination)
        self.bytes_fields = conversion.require_names("TFRecordToMR", "bytes_fields", bytes_fields) or []
        if not isinstance(feature_dict, dict) or not feature_dict:
            raise ParamTypeError(
                f"TFRecordToMR: feature_dict is {feature_dict!r}; need a dict of FixedLenFeature"
            )
        for name in self.bytes_fields:
            if name not in feature_dict:
                raise ParamValueError(f"TFRecordToMR: bytes_fields has {name!r}, which feature_dict has not")
        self.feature_dict = feature_dict
        self._fields = {name: self._field(name, feature) for name, feature in feature_dict.items()}

    def _field(self, name, feature):
        """A feature as a schema of MindRecord has it."""
        if not hasattr(feature, "shape") or not hasattr(feature, "dtype"):
            raise ParamTypeError(
                f"TFRecordToMR: feature_dict[{name!r}] is {feature!r}; need a FixedLenFeature"
            )
        shape, kind = list(feature.shape), getattr(feature.dtype, "name", str(feature.dtype))
        if kind not in _KINDS:
            raise ParamValueError(
                f"TFRecordToMR: feature_dict[{name!r}] is of {kind}; need one of {', '.join(_KINDS)}"
            )
        if len(shape) > 1 or (shape and kind == "string"):
            raise ParamValueError(
                f"TFRecordToMR: feature_dict[{name!r}] has shape {shape}; need [], or one size for numbers"
            )
        if name in self.bytes_fields:
            if kind != "string":
                raise ParamValueError(
                    f"TFRecordToMR: bytes_fields has {name!r}, which is of {kind}; need string"
                )
            return {"type": "bytes"}
        return {"type": _KINDS[kind], **({"shape": shape} if shape else {})}

    def run(self) -> None:
        """Writes the files."""
        schema = {_field_name(name): field for name, field in self._fields.items()}
        conversion.write_rows(self.destination, schema, self._rows(), description="tfrecord")

    transform = run

    def _source(self):
        names, fields = list(self._fields), list(self._fields.values())
        shapes = [None if field["type"] == "bytes" else field.get("shape", []) for field in fields]
        attributes = {
            "owner": "TFRecordToMR", "files": [self.source], "compression": "", "columns": names,
            "types": ["uint8" if field["type"] == "bytes" else field["type"] for field in fields],
            "ranks": [-1 if shape is None else len(shape) for shape in shapes],
            "sizes": [size for shape in shapes for size in shape or []],
        }  # fmt: skip
        return _core.data.open_source("tfrecords", attributes)

    def _rows(self):
        source = self._source()
        for number in range(len(source)):
            values = zip(self._fields.items(), source[number], strict=True)
            yield {_field_name(name): self._value(field, value) for (name, field), value in values}

    @staticmethod
    def _value(field, value):
        if "shape" in field:
            return value
        return value.tobytes() if field["type"] == "bytes" else value.item()
