"""Names that MindSpore programs import from `utils`."""
