"""Conversions of other formats to MindRecord files."""
