"""Operators on tensors that name their elements: by coordinates, by compressed rows, as ragged rows and as sets."""
