"""Exceptions of reading and writing MindRecord files. Each is also a subclass of Python's matching exception."""


class MindRecordException(Exception):
    """Something about a MindRecord file is wrong."""


class ParamTypeError(MindRecordException, TypeError):
    """An argument is of a wrong type."""


class ParamValueError(MindRecordException, ValueError):
    """An argument has a value that is not accepted."""


class PathNotExistsError(MindRecordException, RuntimeError):
    """A file does not exist."""


class MRMOpenError(MindRecordException, RuntimeError):
    """A file cannot be opened, or is not a MindRecord file."""


class MRMInvalidSchemaError(MindRecordException, ValueError):
    """A schema is not well formed."""


class MRMAddSchemaError(MindRecordException, RuntimeError):
    """A schema cannot be added."""


class MRMDefineIndexError(MindRecordException, ValueError):
    """A field cannot be an index."""


class MRMInvalidHeaderSizeError(MindRecordException, ValueError):
    """A size of the header is not accepted."""


class MRMInvalidPageSizeError(MindRecordException, ValueError):
    """A size of pages is not accepted."""


class MRMValidateDataError(MindRecordException, RuntimeError):
    """A row does not match the schema."""


class MRMWriteDatasetError(MindRecordException, RuntimeError):
    """Rows cannot be written."""


class MRMCommitError(MindRecordException, RuntimeError):
    """A file cannot be completed."""


class MRMFetchDataError(MindRecordException, RuntimeError):
    """Rows cannot be read."""


class MRMReadCategoryInfoError(MindRecordException, RuntimeError):
    """Categories cannot be read."""


class MRMDefineCategoryError(MindRecordException, ValueError):
    """A field cannot be the category."""
