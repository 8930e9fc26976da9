"""Calls: which functions are captured, which run now, and which have rules of their own."""
