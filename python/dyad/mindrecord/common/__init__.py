"""What the readers and writers of MindRecord files share."""
