"""Explanations of static graphs: their text, and the reasons for it."""
