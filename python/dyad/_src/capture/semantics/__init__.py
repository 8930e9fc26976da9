"""The meaning of operations on captured values, whatever reader asks for it."""
