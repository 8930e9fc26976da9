"""Code objects taken apart into instructions and put together again; knows CPython's formats, nothing of capture."""
