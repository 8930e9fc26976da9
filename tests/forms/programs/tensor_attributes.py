"""Programs that read names, added attributes and texts of Tensors and Parameters."""

from program import Call, Scene, program, scene

from dyad import Parameter, ParameterTuple, Tensor

X = Tensor([1.0, 2.0])
WEIGHT, BIAS = (Parameter(Tensor([1.0, 2.0]), name=name) for name in ("weight", "bias"))
OTHERS = [Call(BIAS), Call(WEIGHT)]


@program(WEIGHT, then=OTHERS, trace=True)
def the_name_of_a_parameter_is_a_result(p):
    return p * 2, p.name, p.is_named


@program(WEIGHT, then=OTHERS, trace=True)
def the_name_of_a_parameter_chooses(p):
    return p * 2 if "bias" in p.name else p * 3


@program(WEIGHT, then=OTHERS, trace=True)
def the_name_of_a_parameter_is_a_key(p):
    return {p.name: p * 2, f"{p.name}:": p + 1}


@program(WEIGHT, then=OTHERS, trace=True)
def a_function_of_the_framework_reads_the_name(p):
    return [q.name for q in ParameterTuple((p,))], p * 2


@program(WEIGHT, then=OTHERS, trace=True, strict=False)
def texts_of_a_parameter(p):
    texts = (str(p), repr(p), f"{p}", f"{p!r:>80}", "%s" % p, "{}".format(p), str([p]), format(p))
    return p * 2, texts


@program(WEIGHT, then=OTHERS)
def a_parameter_is_printed(p):
    print(p, [p], p.name)
    return p * 2


@scene(X, trace=True)
def a_parameter_gets_another_name():
    p = Parameter(Tensor([1.0, 2.0]), name="before")

    def change():
        p.name = "after"

    return Scene(lambda x: (x * p, p.name), change)


def _with_tag(read):
    """A scene in which a Tensor and a Parameter from outside get an attribute between calls."""

    def build():
        t, p = Tensor([1.0, 2.0]), Parameter(Tensor([3.0, 4.0]), name="p")

        def change():
            t.tag, p.tag = 5, 7

        return Scene(lambda x: (read(t, x), read(p, x)), change)

    build.__name__, build.__module__ = read.__name__, read.__module__
    return build


def _declare(read):
    scene(X, trace=True)(_with_tag(read))
    return read


@_declare
def an_attribute_that_appears_is_found_by_hasattr(t, x):
    return t * x * 2 if hasattr(t, "tag") else t * x


@_declare
def an_attribute_that_appears_is_found_by_getattr(t, x):
    return t * x * getattr(t, "tag", 1)


@_declare
def an_attribute_that_appears_is_read(t, x):
    try:
        return t * x * t.tag
    except AttributeError:
        return t * x


@scene(X, trace=True)
def an_attribute_hides_that_of_the_class():
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def change():
        p.comm_fusion, p.key = 5, 7

    return Scene(lambda x: (x * p * p.comm_fusion, p.key, p.sliced), change)


@scene(X, trace=True)
def arguments_differ_in_their_attributes():
    tensors = [Tensor([1.0, 2.0]) for _ in range(3)]
    tensors[1].tag, tensors[2].tag = 5, 6

    def f(x):
        return [x * t * getattr(t, "tag", 1) for t in tensors], [hasattr(t, "tag") for t in tensors]

    def change():
        tensors[0].tag = tensors[2].tag
        del tensors[1].tag

    return Scene(f, change)


@program(X, strict=False)
def attributes_are_added_inside(x):
    y = x * 2
    before = hasattr(y, "tag")
    y.tag = 4
    return y * y.tag, before, hasattr(y, "tag"), getattr(y, "other", None)


def _added(name, value):
    """Declares a scene whose change adds a name to the class Tensor."""

    def declare(build):
        def built():
            if hasattr(Tensor, name):
                delattr(Tensor, name)
            return Scene(build(), lambda: setattr(Tensor, name, value))

        built.__name__, built.__module__ = build.__name__, build.__module__
        scene(X, trace=True)(built)
        return build

    return declare


@_added("form_scale", 5.0)
def a_number_added_to_the_class_is_found():
    return lambda x: x * x.form_scale if hasattr(x, "form_scale") else x + 1


@_added("form_method", lambda t, k: t * k)
def a_method_added_to_the_class_is_found():
    return lambda x: (x + 1).form_method(2) if hasattr(x + 1, "form_method") else x + 1


@_added("form_property", property(lambda t: t * 3))
def a_property_added_to_the_class_is_found():
    return lambda x: getattr(x, "form_property", x)
