"""Types shared by the readers and writers of MindRecord files."""
