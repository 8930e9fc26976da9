"""`mindspore.version`: which version of MindSpore's API is here."""

from dyad.compat.mindspore._src.alias import API_VERSION as __version__

__all__ = ["__version__"]
