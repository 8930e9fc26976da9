"""Binds the arguments of a call to the parameters of a function, as Python does."""

_MISSING = object()


def bind(parameters, name, args, kwargs, defaults, keyword_defaults):
    """Parameter name -> value. `defaults` are for the last positional parameters, `keyword_defaults` by name."""
    positional, only_positional, keyword_only, rest, keywords = parameters
    bound = dict(zip(positional, args, strict=False))
    surplus = args[len(positional) :]
    further = {}
    for keyword, value in kwargs.items():
        if keyword in positional[only_positional:] or keyword in keyword_only:
            if keyword in bound:
                raise TypeError(f"{name}() got multiple values for argument {keyword!r}")
            bound[keyword] = value
        elif keywords is not None:
            further[keyword] = value
        elif keyword in positional:
            raise TypeError(
                f"{name}() got some positional-only arguments passed as keyword arguments: {keyword!r}"
            )
        else:
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}")
    if surplus and rest is None:
        named = sum(keyword in bound for keyword in keyword_only)
        raise TypeError(_too_many(name, positional, len(defaults), len(args), named))
    first_default = len(positional) - len(defaults)
    missing = []
    for place, parameter in enumerate(positional):
        if parameter not in bound:
            if place >= first_default:
                bound[parameter] = defaults[place - first_default]
            else:
                missing.append(parameter)
    if missing:
        raise TypeError(_missing(name, missing, "positional"))
    for parameter in keyword_only:
        if parameter not in bound:
            default = keyword_defaults.get(parameter, _MISSING)
            if default is _MISSING:
                missing.append(parameter)
            else:
                bound[parameter] = default
    if missing:
        raise TypeError(_missing(name, missing, "keyword-only"))
    if rest is not None:
        bound[rest] = tuple(surplus)
    if keywords is not None:
        bound[keywords] = further
    return bound


def _too_many(name, positional, defaulted, given, named):
    takes = f"from {len(positional) - defaulted} to {len(positional)}" if defaulted else str(len(positional))
    plural = "" if len(positional) == 1 and not defaulted else "s"
    if named:
        further = f"{named} keyword-only argument{'' if named == 1 else 's'}"
        came = f"{given} positional argument{'' if given == 1 else 's'} (and {further}) were"
    else:
        came = f"{given} was" if given == 1 else f"{given} were"
    return f"{name}() takes {takes} positional argument{plural} but {came} given"


def _missing(name, parameters, kind):
    quoted = [repr(parameter) for parameter in parameters]
    head, last = quoted[:-2], quoted[-2:]
    listed = ", ".join([*head, ", and ".join(last)]) if head else " and ".join(last)
    plural = "" if len(quoted) == 1 else "s"
    return f"{name}() missing {len(quoted)} required {kind} argument{plural}: {listed}"
