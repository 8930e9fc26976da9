"""Reports on programs: explanations, profiles, layer tables, event files and `dyad watch`."""
