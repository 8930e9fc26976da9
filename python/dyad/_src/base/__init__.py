"""Foundations that know no tensors: checks of arguments, missing names, late imports, environment variables."""
