"""`dyad watch`: the page of a run, which follows it while it trains."""
