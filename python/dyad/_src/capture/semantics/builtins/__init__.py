"""Python's built-in functions, and those of its library, on captured values: one file a family, one table for all."""
