"""What is wrong with a file."""


class MalformedGraph(RuntimeError):
    """The file is no graph that can be run."""
