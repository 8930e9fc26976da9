"""What captured code changes: the journal of containers, tensors that share memory, and what is in reach."""
