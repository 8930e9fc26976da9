"""Event files: records of what happened in a run, in the format that TensorBoard reads."""
