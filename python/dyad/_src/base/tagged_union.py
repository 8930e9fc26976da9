"""Values of a captured program that are one of several; which, is known when the graph runs."""


class OneOf:
    """One of several values, chosen by `tag`, an integer known when the graph runs."""

    __slots__ = ("alternatives", "tag")

    def __init__(self, tag, alternatives):
        self.tag = tag
        self.alternatives = dict(alternatives)  # tag -> value

    def without(self, *tags):
        """The union without some of its tags; the value itself if one is left."""
        left = {tag: value for tag, value in self.alternatives.items() if tag not in tags}
        if len(left) == 1:
            return next(iter(left.values()))
        return OneOf(self.tag, left)

    def only(self, tags):
        """The union restricted to these tags."""
        return self.without(*(tag for tag in self.alternatives if tag not in tags))

    def tags_of(self, chosen):
        """The tags of the alternatives that are chosen."""
        return [tag for tag, value in self.alternatives.items() if chosen(value)]

    def is_among(self, tags, either):
        """Returns whether the tag is one of these, as a bool combined by `either`."""
        found = False
        for tag in tags:
            found = either(found, self.tag == tag)
        return found

    def __repr__(self):
        return f"one of {list(self.alternatives.values())!r}"


class ContentsChoice:
    """The only entry of a list or dict whose contents are one of several; which, is known when the graph runs."""

    __slots__ = ("choice",)

    def __init__(self, choice):
        self.choice = choice  # a OneOf of tuples or dicts

    def __repr__(self):
        return f"<{self.choice!r}>"
