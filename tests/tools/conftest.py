"""Lets these tests import the scripts of tools/ and bench/."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "bench")]
