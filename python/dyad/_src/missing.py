"""Errors for names the package does not have, with the nearest one it has."""


def nearest(name, names):
    """The known name a reader most likely meant, or None."""
    import difflib

    names = list(names)
    same_letters = [known for known in names if known.lower() == name.lower()]
    close = same_letters or difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return close[0] if close else None


def missing_attribute(module_name, name, names):
    """The AttributeError for `module_name.name`, given the names the module has."""
    # Dunder names are looked up by Python itself, often and in vain; a hint would only cost time.
    near = None if name.startswith("__") else nearest(name, names)
    hint = f"; nearest is {module_name}.{near}" if near else ""
    return AttributeError(f"{module_name} has no {name!r}{hint}", name=name)
