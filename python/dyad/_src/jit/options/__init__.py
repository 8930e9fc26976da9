"""The options of `jit`, checked and kept as immutable values."""
