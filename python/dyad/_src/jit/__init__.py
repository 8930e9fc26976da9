"""The static graph as programs ask for it: `jit`, its settings, markers, templates and caches."""
