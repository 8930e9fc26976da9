"""`dyad.profile`: the time of a call by kernel."""
