"""Changes by captured code: the journal of containers, tensors that share memory, and reachability."""
