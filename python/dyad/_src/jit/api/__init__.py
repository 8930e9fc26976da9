"""`jit` and the other decorators that compile functions, methods and Cells."""
