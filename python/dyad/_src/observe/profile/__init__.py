"""`dyad.profile`: where the time of a call goes."""
