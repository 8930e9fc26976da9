"""Process-wide settings: mode, device, streams, the processes that compute together."""
