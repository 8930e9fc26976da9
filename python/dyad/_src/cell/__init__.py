"""The parts of `nn.Cell`, one concern each; `dyad.nn.cell` puts them together."""
