"""Modules that do not depend on tensors: argument checks, missing names, late imports, environment variables."""
