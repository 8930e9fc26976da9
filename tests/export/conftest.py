"""Modules of this folder import each other by name."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
