"""State from before the call: how the program sees it, what of it is guarded, and what is written back to it."""
