"""Control flow on data of the run: branches, loops, and blocks that are left by exceptions."""
