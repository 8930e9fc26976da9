"""Operators on sparse tensors: coordinates (COO), compressed rows (CSR), ragged rows and sets."""
