"""Reads functions from their syntax trees."""
