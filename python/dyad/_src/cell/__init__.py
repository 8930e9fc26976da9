"""The parts of `nn.Cell`, one concern each; `cell.py` puts them together."""
