"""Sizes and numbers that may change from call to call."""
