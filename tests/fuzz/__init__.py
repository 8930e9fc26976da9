"""Random graphs held against the dynamic graph: `python -m tests.fuzz --count 20000 --seed 1`."""
