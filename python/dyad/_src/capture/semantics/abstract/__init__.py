"""Abstract values: what is known of values before the graph runs, how they flatten into leaves, and how they join."""
