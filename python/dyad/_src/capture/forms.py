"""Forms: what a value looks like with its run-time leaves taken out.

Where two paths of the program meet, the forms of what they give are joined; the leaves of both travel through the
graph, and the value is built again from the joined form. A leaf is a tensor or a number. Values that no leaf can
hold (two texts, None and a tensor) become a choice between alternatives.
"""

import functools

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.semantics.exceptions import state_of, with_state
from dyad._src.capture.semantics.functions import ClosureFunction
from dyad._src.capture.semantics.values import (
    NOWHERE,
    TORN_KEY,
    UNBOUND,
    Deferred,
    Leaving,
    OneOf,
    Origin,
    Raised,
    Returned,
    Torn,
    depends_on_run,
    is_symbolic_tensor,
    kind_of_number,
    origin_of,
    same_constant,
    set_origin,
    torn_of,
)

MAX_ALTERNATIVES = 16
_TORN_IDENTITY = "two names hold one container on one path and two on another"
_broadcast = _core.named_op("broadcast_to")


class CannotJoin(Exception):
    """Two values have no common form; `entry` is the name they stand under and the two values."""

    entry = None


class TooManyKinds(CannotJoin):
    """There is a common form, but it would have too many alternatives."""

    def __init__(self):
        super().__init__(f"more than {MAX_ALTERNATIVES} different kinds of value")


class Leaves:
    """Leaves being collected. A list that two names hold is collected once.

    The leaves of such a container stand together in a section: where it comes first as one that is not there, it may
    come later with a value.
    """

    def __init__(self):
        self._collected = []
        self._open = self._collected  # the section that leaves go to
        self._sections = {}  # id of a form -> its section
        self._forms = {}  # id of a container -> the form it was collected for
        self.keeps_identity = True  # whether a container that two places hold must be one afterwards

    def append(self, leaf):
        self._open.append(leaf)

    def __iter__(self):
        return _flattened(self._collected)

    def __len__(self):
        return sum(1 for _ in self)

    def container(self, form, collect, container=None, torn=False):
        """Collects the leaves of a container with `collect`, unless they are there; None stands for its zeros.

        One form is one container afterwards, two forms are two: CannotJoin where that would tear a container in two,
        unless it may be `torn`, or make one of two.
        """
        section = self._sections.get(id(form))
        if section is None:
            section = self._sections[id(form)] = _Section(form, self._open)
            self._open.append(section)
        else:
            if section.parent is self._open and not any(section is held for held in self._open):
                self._open.append(section)  # what it stands in is collected anew
            if container is None or section.container is container:
                return
            if section.container is not None:
                raise CannotJoin(_TORN_IDENTITY)
        if container is not None:
            if not torn:
                self._require_one_form(form, container)
            section.container = container
        outer, self._open = self._open, section
        section.clear()
        collect()
        self._open = outer

    def _require_one_form(self, form, container):
        if self.keeps_identity and self._forms.setdefault(id(container), form) is not form:
            raise CannotJoin(_TORN_IDENTITY)


class _Section(list):
    """The leaves of one container."""

    def __init__(self, form, parent):
        super().__init__()
        self.form = form  # kept, as it is found by its id
        self.parent = parent  # the section it stands in
        self.container = None


def _flattened(leaves):
    for leaf in leaves:
        if isinstance(leaf, _Section):
            yield from _flattened(leaf)
        else:
            yield leaf


class Built:
    """Leaves being put back, in order. A list that two names hold is built once.

    `note` is told of every container that is built: what the program changes of it later must be seen.
    """

    def __init__(self, values, note=None):
        self._values = iter(values)
        self._note = note
        self.made = {}

    def __next__(self):
        return next(self._values)

    def __iter__(self):
        return self

    def once(self, form, make, noted=True):
        if id(form) not in self.made:
            made = self.made[id(form)] = make()
            if self._note is not None and noted:
                self._note(made)
        return self.made[id(form)]


class _Container:
    """What the forms of containers share: each is visited once."""

    __slots__ = ("items",)

    has_identity = True  # whether a program sees that two places hold one and the same

    def members(self, value):
        return value

    def leaves(self, value, out):
        def collect():
            for form, item in zip(self.items, self.members(value), strict=True):
                form.leaves(item, out)

        self._collect(out, collect, value)

    def zeros(self, out):
        def collect():
            for form in self.items:
                form.zeros(out)

        self._collect(out, collect)

    def likes(self, out):
        def collect():
            for form in self.items:
                form.likes(out)

        self._collect(out, collect)

    def _collect(self, out, collect, value=None):
        if self.has_identity:
            out.container(self, collect, value)
        else:
            collect()

    def build(self, values):
        if not self.has_identity:
            return self._made(values)
        return values.once(self, lambda: self._made(values))

    def _made(self, values):
        return self.make([form.build(values) for form in self.items])


class Known:
    """The same Python object on every path."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def fits(self, other):
        return isinstance(other, Known) and same_constant(self.value, other.value)

    def leaves(self, value, out):
        pass

    def zeros(self, out):
        pass

    def likes(self, out):
        pass

    def build(self, values):
        return self.value

    def describe(self):
        if self.value is UNBOUND:
            return "not assigned"
        if type(self.value).__repr__ is object.__repr__:
            return f"an object of class {type(self.value).__name__}"
        return "None" if self.value is None else f"{self.value!r} of type {type(self.value).__name__}"


class NumberForm:
    __slots__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def fits(self, other):
        if isinstance(other, Known):
            return kind_of_number(other.value) is self.kind
        return isinstance(other, NumberForm) and other.kind is self.kind

    def leaves(self, value, out):
        out.append(value)

    def zeros(self, out):
        out.append(self.kind(0))

    def likes(self, out):
        out.append(self.kind(0))

    def build(self, values):
        return next(values)

    def describe(self):
        return f"a number of type {self.kind.__name__}"


class TensorForm:
    """A tensor; `shape` has None where paths differ.

    Where it may be one of the tensors from outside (`origins`), a number that says which travels with it.
    """

    __slots__ = ("dtype", "origins", "shape", "shared", "source")

    def __init__(self, dtype, shape, source=None, origins=frozenset()):
        self.shared = False  # whether several places hold this one tensor, on every path
        self.dtype = dtype
        self.shape = shape
        self.source = source  # a tensor of this form, to open a function's parameter like it
        self.origins = origins

    def fits(self, other):
        if isinstance(other, Known) and isinstance(other.value, Tensor):
            other = TensorForm(other.value.dtype, other.value.shape)
        return (
            isinstance(other, TensorForm)
            and other.dtype is self.dtype
            and len(other.shape) == len(self.shape)
        )

    def leaves(self, value, out):
        def collect():
            out.append(value)
            if self.origins:
                out.append(origin_of(value).which)

        self._collect(out, collect, value)

    def zeros(self, out):
        def collect():
            shape = tuple(1 if size is None else size for size in self.shape)
            out.append(nothing(self.dtype, shape))
            if self.origins:
                out.append(NOWHERE.which)

        self._collect(out, collect)

    def likes(self, out):
        def collect():
            out.append((self.dtype, self.shape) if self.source is None else self.source)
            if self.origins:
                out.append(0)

        self._collect(out, collect)

    def _collect(self, out, collect, value=None):
        if self.shared:
            out.container(self, collect, value, torn=True)
        else:
            collect()

    def build(self, values):
        return (
            values.once(self, lambda: self._made(values), noted=False) if self.shared else self._made(values)
        )

    def _made(self, values):
        tensor = next(values)
        if self.origins:
            set_origin(tensor, Origin(next(values), self.origins))
        return tensor

    def describe(self):
        return f"a Tensor of dtype {self.dtype} and shape {self.shape}"


class TensorItself:
    """A tensor that was there before: on the path that gives it, nothing stands for it."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def fits(self, other):
        return isinstance(other, TensorItself) and other.value is self.value

    def leaves(self, value, out):
        pass

    def zeros(self, out):
        pass

    def likes(self, out):
        pass

    def build(self, values):
        return self.value

    def describe(self):
        return f"a Tensor of dtype {self.value.dtype} and shape {self.value.shape}"


class SequenceForm(_Container):
    """A list or tuple that the program made."""

    __slots__ = ("type",)

    def __init__(self, type_, items):
        self.type = type_
        self.items = items

    @property
    def has_identity(self):
        return self.type is list

    def fits(self, other):
        return (
            isinstance(other, SequenceForm)
            and other.type is self.type
            and len(other.items) == len(self.items)
            and all(a.fits(b) for a, b in zip(self.items, other.items, strict=True))
        )

    def make(self, items):
        if self.type is list:
            return items
        return tuple(items) if self.type is tuple else tuple.__new__(self.type, items)

    def describe(self):
        if self.type is Returned:
            return self.items[0].describe()
        return f"a {self.type.__name__} of length {len(self.items)}"


class DictForm(_Container):
    """A dict that the program made, or an object of class `owner` by its attributes."""

    __slots__ = ("keys", "owner")

    def __init__(self, keys, items, owner=None):
        self.keys = keys
        self.items = items
        self.owner = owner

    def fits(self, other):
        return (
            isinstance(other, DictForm)
            and (other.keys, other.owner) == (self.keys, self.owner)
            and all(a.fits(b) for a, b in zip(self.items, other.items, strict=True))
        )

    def members(self, value):
        held = attributes_of(value) if self.owner is not None else value
        return [held[key] for key in self.keys]

    def make(self, items):
        held = dict(zip(self.keys, items, strict=True))
        if self.owner is None:
            return held
        if issubclass(self.owner, BaseException):
            return with_state(self.owner, held)
        made = self.owner.__new__(self.owner)
        made.__dict__.update(held)
        return made

    def describe(self):
        if self.owner is not None:
            return f"an object of class {self.owner.__name__}"
        return f"a dict with the keys {list(self.keys)}"


class DeferredForm(_Container):
    __slots__ = ("function", "what")

    has_identity = False

    def __init__(self, what, function, items):
        self.what = what
        self.function = function
        self.items = items

    def fits(self, other):
        return (
            isinstance(other, DeferredForm)
            and other.function is self.function
            and len(other.items) == len(self.items)
            and all(a.fits(b) for a, b in zip(self.items, other.items, strict=True))
        )

    def members(self, value):
        return value.arguments

    def make(self, items):
        return Deferred(self.what, self.function, items)

    def describe(self):
        return f"a {self.what}"


class TornForm(_Container):
    """What a container holds whose contents are one of several."""

    __slots__ = ()

    has_identity = False

    def __init__(self, choice):
        self.items = [choice]

    def fits(self, other):
        return isinstance(other, TornForm) and self.items[0].fits(other.items[0])

    def members(self, value):
        return [value.choice if isinstance(value, Torn) else value]

    def make(self, items):
        return Torn(items[0])

    def describe(self):
        return self.items[0].describe()


class ChoiceForm:
    """One of several forms; its first leaf is the number of the alternative."""

    __slots__ = ("alternatives", "fixed")

    def __init__(self, alternatives, fixed):
        self.alternatives = alternatives
        self.fixed = fixed

    def fits(self, other):
        return all(any(mine.fits(form) for mine in self.alternatives) for form in _alternatives_of(other))

    def place_of(self, form):
        """The number of the alternative that takes a value of this form."""
        for number, alternative in enumerate(self.alternatives):
            if alternative.fits(form):
                return number
        if isinstance(form, TensorItself):
            return self.place_of(TensorForm(form.value.dtype, form.value.shape))
        raise CannotJoin(form.describe())

    def _places_of(self, value):
        """The number of an alternative by the tag of each of several values, and the values by that number.

        Alternatives may be alike: each value gets one of its own.
        """
        given, chosen = {}, {}
        for tag, alternative in value.alternatives.items():
            form = form_of(alternative, self.fixed)
            place = self.place_of(form)
            while chosen.get(place, alternative) is not alternative:
                place = self._next_place(form, place)
            given[tag] = place
            chosen[place] = alternative
        return given, chosen

    def _next_place(self, form, taken):
        for number in range(taken + 1, len(self.alternatives)):
            if self.alternatives[number].fits(form):
                return number
        raise CannotJoin("two of several values have one place")

    def leaves(self, value, out):
        if isinstance(value, OneOf):
            given, chosen = self._places_of(value)
            out.append(_mapped(value.tag, given))
        else:
            place = self.place_of(form_of(value, self.fixed))
            out.append(place)
            chosen = {place: value}
        for number, form in enumerate(self.alternatives):
            if number in chosen:
                form.leaves(chosen[number], out)
            else:
                form.zeros(out)

    def zeros(self, out):
        out.append(0)
        for form in self.alternatives:
            form.zeros(out)

    def likes(self, out):
        out.append(0)
        for form in self.alternatives:
            form.likes(out)

    def build(self, values):
        tag = next(values)
        return OneOf(tag, enumerate([form.build(values) for form in self.alternatives]))

    def describe(self):
        shown = [form.describe() for form in self.alternatives[:3]]
        hidden = len(self.alternatives) - len(shown)
        return " or ".join(shown) + (f" or one of {hidden} others" if hidden else "")


@functools.lru_cache(maxsize=256)
def _zero(dtype):
    return Tensor(0, dtype)


def nothing(dtype, shape):
    """A tensor that stands where no value is needed; it has one element, seen at every place."""
    return _broadcast(_zero(dtype), shape)


def is_nothing(tensor):
    """Whether a tensor stands where no value is needed."""
    return not is_symbolic_tensor(tensor) and _core.shares_storage(tensor, _zero(tensor.dtype))


def _mapped(tag, places):
    """The tag with every value replaced by its place."""
    if all(tag_value == place for tag_value, place in places.items()):
        return tag
    mapped = 0
    for tag_value, place in places.items():
        if place:
            mapped = mapped + _core.number_op("int", tag == tag_value) * place
    return mapped


def _nothing_fixed(container):
    return False


def _telling_apart(fixed, *values):
    """`fixed` that tells tensors apart if one of the values is a choice between tensors."""
    several = any(
        isinstance(value, OneOf)
        and sum(isinstance(alternative, Tensor) for alternative in value.alternatives.values()) > 1
        for value in values
    )
    return fixed.telling_apart() if several and hasattr(fixed, "telling_apart") else fixed


def itself(tensor, fixed):
    """The tensor as it is known where paths meet, if they tell it apart from others; else None."""
    known = getattr(fixed, "itself", None)
    return None if known is None else known(tensor)


def form_of(value, fixed=_nothing_fixed, made=None):
    """The form of one value; containers that are `fixed` are known as they are.

    A container that several places hold has one form: `made` keeps the forms of containers from one call to the next.
    """
    made = {} if made is None else made
    if isinstance(value, Tensor):
        same = itself(value, fixed)
        if same is not None:
            return TensorItself(same)
        if not is_symbolic_tensor(value):
            return Known(value)
        if isinstance(made, OncePerTensor) and id(value) in made:
            made[id(value)][1].shared = True
            return made[id(value)][1]
        shape = tuple(None if isinstance(size, GraphNumber) else size for size in value.shape)
        form = TensorForm(value.dtype, shape, value, origin_of(value).candidates)
        if isinstance(made, OncePerTensor):
            made[id(value)] = (value, form)
        return form
    if isinstance(value, GraphNumber):
        return NumberForm(value.kind)
    if isinstance(value, OneOf):
        fixed = _telling_apart(fixed, value)
        return ChoiceForm(
            [form_of(alternative, fixed, made) for alternative in value.alternatives.values()], fixed
        )
    if isinstance(value, Torn):
        return TornForm(form_of(value.choice, fixed, made))
    if isinstance(value, Deferred):
        items = [form_of(item, fixed, made) for item in value.arguments]
        return DeferredForm(value.what, value.function, items)
    if isinstance(value, tuple):
        return SequenceForm(type(value), [form_of(item, fixed, made) for item in value])
    if id(value) not in made:
        made[id(value)] = (value, _form_of_container(value, fixed, made))
    return made[id(value)][1]


def _form_of_container(value, fixed, made):
    if type(value) is list and not fixed(value):
        return SequenceForm(list, [form_of(item, fixed, made) for item in value])
    if type(value) is dict and not fixed(value):
        return DictForm(tuple(value), [form_of(item, fixed, made) for item in value.values()])
    members = None if isinstance(value, ClosureFunction) else attributes_of(value)
    if isinstance(value, BaseException) and not fixed(value):
        # Each turn and each attempt makes one of its own: what it holds tells which it is.
        items = [form_of(item, fixed, made) for item in members.values()]
        return DictForm(tuple(members), items, owner=type(value))
    if type(members) is dict and not fixed(value) and depends_on_run(members):
        items = [form_of(item, fixed, made) for item in members.values()]
        return DictForm(tuple(members), items, owner=type(value))
    return Known(value)


def attributes_of(value):
    """What an object holds, by name; None if that is not known."""
    return state_of(value) if isinstance(value, BaseException) else getattr(value, "__dict__", None)


class OncePerTensor(dict):
    """Forms as `form_of` keeps them, where what one path gives comes out: a tensor that two places hold is one."""


class Joiner:
    """Joins what two paths give.

    `fixed(container)` says that a container was there before the paths parted: it is the same object afterwards, and
    no other may take its place.
    """

    def __init__(self, fixed, strict=False, note_origin=None):
        self._fixed = fixed
        self._strict = strict
        self._note_origin = note_origin
        self._joined = {}
        self._tensors = {}  # (id of a tensor, id of another) -> their form
        self._made = {}  # forms of containers, as `form_of` keeps them
        self.came_late = False  # whether two containers were joined after a choice that has one of them
        self._common = {}  # (id of a form, id of another) -> (both, their common form)

    def join(self, a, b):
        """The form that takes both values; raises CannotJoin."""
        if not isinstance(a, (list, dict)):
            return self._join(a, b)
        key = (id(a), id(b))
        if key not in self._joined:
            form = self._joined[key] = self._join(a, b)
            if isinstance(form, (SequenceForm, DictForm)):
                for container in (a, b):
                    self.came_late = self.came_late or id(container) in self._made
                    self._made[id(container)] = (container, form)
        return self._joined[key]

    def _join(self, a, b):
        if a is b or same_constant(a, b):
            return Known(a) if not isinstance(a, OneOf) else form_of(a, self._fixed, self._made)
        kind = kind_of_number(a)
        if kind is not None and kind is kind_of_number(b):
            return NumberForm(kind)
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return self._join_tensors(a, b)
        if type(a) is type(b) and isinstance(a, (list, tuple, dict)) and not self._stay_apart(a, b):
            if type(a) is dict and tuple(a) == tuple(b):
                return DictForm(tuple(a), [self._join_entry(key, a[key], b[key]) for key in a])
            if isinstance(a, (list, tuple)) and len(a) == len(b):
                return SequenceForm(type(a), [self.join(x, y) for x, y in zip(a, b, strict=True)])
        return self._choice(a, b)

    def join_contents(self, a, b):
        """The form of what one container holds on two paths. The form takes what `held` makes of either."""
        if torn_of(a) is None and torn_of(b) is None:
            if isinstance(a, dict):
                if tuple(a) == tuple(b):
                    return DictForm(tuple(a), [self._join_entry(key, a[key], b[key]) for key in a])
            elif len(a) == len(b):
                return SequenceForm(list, [self.join(x, y) for x, y in zip(a, b, strict=True)])
        torn = TornForm(self._choice(held(a), held(b)))
        return DictForm((TORN_KEY,), [torn]) if isinstance(a, dict) else SequenceForm(list, [torn])

    def _join_entry(self, key, a, b):
        try:
            return self.join(a, b)
        except CannotJoin as reason:
            reason.entry = reason.entry or (key, a, b)
            raise

    def _stay_apart(self, a, b):
        """Containers that were there before stay themselves, torn ones are not joined by their places."""
        return self._fixed(a) or self._fixed(b) or torn_of(a) is not None or torn_of(b) is not None

    def _join_tensors(self, a, b):
        if self._note_origin is not None:
            self._note_origin(a)
            self._note_origin(b)
        if (id(a), id(b)) in self._tensors:
            form = self._tensors[id(a), id(b)]
            form.shared = True
            return form
        told_apart = itself(a, self._fixed) is not None or itself(b, self._fixed) is not None
        if a.dtype is b.dtype and a.ndim == b.ndim and not told_apart:
            shape = tuple(
                x if isinstance(x, int) and isinstance(y, int) and x == y else None
                for x, y in zip(a.shape, b.shape, strict=True)
            )
            form = TensorForm(a.dtype, shape, None, origin_of(a).candidates | origin_of(b).candidates)
            self._tensors[id(a), id(b)] = form
            return form
        return self._choice(a, b)

    def _choice(self, a, b):
        alternatives = []
        fixed = _telling_apart(self._fixed, a, b)
        for value in (a, b):
            self._note_origins_in(value)
            form = form_of(value, fixed, self._made)
            for alternative in form.alternatives if isinstance(form, ChoiceForm) else [form]:
                merged = self._merge(alternatives, alternative)
                if not merged:
                    alternatives.append(alternative)
        if self._strict and not may_be_apart(alternatives):
            raise CannotJoin(_why_apart(a, b))
        if len(alternatives) > MAX_ALTERNATIVES:
            raise TooManyKinds
        return alternatives[0] if len(alternatives) == 1 else ChoiceForm(alternatives, fixed)

    def _note_origins_in(self, value):
        if self._note_origin is None:
            return
        if isinstance(value, Tensor):
            self._note_origin(value)
        elif isinstance(value, (tuple, list, dict, OneOf)):
            held = value.alternatives if isinstance(value, OneOf) else value
            for member in held.values() if isinstance(held, dict) else held:
                self._note_origins_in(member)

    def _merge(self, alternatives, form):
        for number, alternative in enumerate(alternatives):
            common = self._common_form(alternative, form)
            if common is not None:
                alternatives[number] = common
                return True
        return False

    def _common_form(self, a, b):
        """The common form of two; where two names hold the same two containers, the same form."""
        key = (id(a), id(b))
        if key not in self._common:
            self._common[key] = ((a, b), common_form(a, b))
        return self._common[key][1]


def may_be_apart(alternatives):
    """Whether a choice is one at STRICT: only ways to leave a block and names without a value are chosen between."""
    held = [form for form in alternatives if not (isinstance(form, Known) and form.value is UNBOUND)]
    values = [form for form in held if not _is_way_out(form)]
    if len(values) == len(held):
        return len(values) <= 1 or _are_tensors_of_one_dtype(values) or _are_functions(values)
    returns = sum(isinstance(form, SequenceForm) and form.type is Returned for form in held)
    return returns <= 1 and all(isinstance(form, Known) and form.value is None for form in values)


def _are_tensors_of_one_dtype(forms):
    dtypes = [
        form.dtype if isinstance(form, TensorForm) else getattr(getattr(form, "value", None), "dtype", None)
        for form in forms
    ]
    return None not in dtypes and len(set(map(str, dtypes))) == 1


def _are_functions(forms):
    return all(isinstance(form, Known) and callable(form.value) for form in forms)


def _is_way_out(form):
    """Whether a form is that of `return`, `break` or `continue`."""
    if isinstance(form, SequenceForm):
        return form.type in (Returned, Raised)
    return isinstance(form, Known) and isinstance(form.value, Leaving)


def _why_apart(a, b):
    """What keeps two values from being one variable of a graph."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return "their dtypes differ" if a.dtype is not b.dtype else "their numbers of dimensions differ"
    if type(a) is not type(b):
        return "they differ in type"
    if isinstance(a, (list, tuple)) and len(a) != len(b):
        return "they differ in length"
    if isinstance(a, dict):
        return "they differ in their keys"
    return f"which {type(a).__name__} it is cannot be held by a graph"


def held(contents):
    """The contents of a container as a value: what is in it, or the choice between several."""
    torn = torn_of(contents)
    if torn is not None:
        return torn.choice
    return dict(contents) if isinstance(contents, dict) else tuple(contents)


def common_form(a, b):
    """The form that takes the values of both; None if they are of different kinds."""
    if a.fits(b) or b.fits(a):
        return _wider(a, b)
    if isinstance(a, ChoiceForm) and isinstance(b, ChoiceForm):
        return _wider_choice(a, b)
    kind = _number_kind(a)
    if kind is not None and kind is _number_kind(b):
        return NumberForm(kind)
    if isinstance(a, Known) and isinstance(b, Known) and isinstance(a.value, Tensor):
        # Two constant tensors are one variable.
        like = TensorForm(a.value.dtype, a.value.shape, None, origin_of(a.value).candidates)
        return _wider(like, b) if like.fits(b) else None
    same = isinstance(a, SequenceForm) and isinstance(b, SequenceForm) and a.type is b.type
    if not same or len(a.items) != len(b.items):
        return None
    items = [common_form(x, y) for x, y in zip(a.items, b.items, strict=True)]
    return None if None in items else SequenceForm(a.type, items)


def _number_kind(form):
    if isinstance(form, NumberForm):
        return form.kind
    return kind_of_number(form.value) if isinstance(form, Known) else None


def _wider(a, b):
    """The form that takes the values of two forms that fit each other."""
    if isinstance(a, ChoiceForm) or isinstance(b, ChoiceForm):
        return _wider_choice(a, b)
    if isinstance(a, Known) and not isinstance(b, Known):
        return _wider(b, a)
    if isinstance(a, TensorForm) and isinstance(b, Known):
        b = TensorForm(b.value.dtype, b.value.shape, None, origin_of(b.value).candidates)
    if isinstance(a, TensorForm):
        shape = tuple(x if x == y else None for x, y in zip(a.shape, b.shape, strict=True))
        origins = a.origins | b.origins
        same = shape == a.shape and origins == a.origins
        return a if same else TensorForm(a.dtype, shape, None, origins)
    if isinstance(a, SequenceForm):
        return SequenceForm(a.type, [_wider(x, y) for x, y in zip(a.items, b.items, strict=True)])
    if isinstance(a, DictForm):
        items = [_wider(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return DictForm(a.keys, items, a.owner)
    if isinstance(a, TornForm):
        return TornForm(_wider(a.items[0], b.items[0]))
    if isinstance(a, DeferredForm):
        return DeferredForm(a.what, a.function, [_wider(x, y) for x, y in zip(a.items, b.items, strict=True)])
    return a


def _wider_choice(a, b):
    alternatives = list(_alternatives_of(a))
    for form in _alternatives_of(b):
        for number, alternative in enumerate(alternatives):
            common = common_form(alternative, form)
            if common is not None:
                alternatives[number] = common
                break
        else:
            alternatives.append(form)
    if len(alternatives) > MAX_ALTERNATIVES:
        raise TooManyKinds
    fixed = [form.fixed for form in (a, b) if isinstance(form, ChoiceForm)]
    return ChoiceForm(
        alternatives, next((known for known in fixed if getattr(known, "tells", False)), fixed[0])
    )


def _alternatives_of(form):
    return form.alternatives if isinstance(form, ChoiceForm) else [form]


def forget_origins(form):
    """Lets the tensors of a form be tensors of their own. Returns the form."""
    if isinstance(form, TensorForm):
        form.origins = frozenset()
    for inner in getattr(form, "items", ()) or getattr(form, "alternatives", ()):
        forget_origins(inner)
    return form


def same_form(a, b):
    """Whether two forms are equal, shapes included."""
    if type(a) is not type(b) or not a.fits(b):
        return False
    if isinstance(a, TensorForm):
        return a.shape == b.shape and a.origins == b.origins
    if isinstance(a, (SequenceForm, DictForm, DeferredForm, TornForm)):
        return all(same_form(x, y) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, ChoiceForm):
        return len(a.alternatives) == len(b.alternatives) and all(
            same_form(x, y) for x, y in zip(a.alternatives, b.alternatives, strict=True)
        )
    return True
