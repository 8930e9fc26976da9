"""Functions from text that was made here."""

import itertools
import linecache
import os
import weakref

from dyad._src.interchange.mindir.errors import MalformedGraph

_numbers = itertools.count(1)


def python_function(path, text, globals_, owner_name):
    """The first function of a text, which stays readable for as long as the function is there."""
    filename = f"<{os.path.basename(path)} {next(_numbers)}>"
    namespace = {**globals_, "__name__": owner_name, "__builtins__": {"range": range}}
    try:
        exec(compile(text, filename, "exec"), namespace)
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise MalformedGraph(f"its control flow is too deep: {error}") from None
    function = namespace["f0"]
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function
