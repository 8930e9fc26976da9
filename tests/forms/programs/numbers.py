"""Python numbers keep Python's meaning: big integers, doubles, division, bits, exact types."""

from program import Raises, program

from dyad import Tensor, mutable

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
Z = Tensor(0.0)


@program(X, b"a", expect=(1e300, 2**63, 0.5, True, b"a"))
def values_beyond_32_bits(x, b):
    return 1e300, 2**63, 2**-1, x is x, b


@program(X, 3, expect=(3 * 0.1, 3**50, 2**40 % 3))
def doubles_and_big_integers(x, k):
    return k * 0.1, k**50, 2**40 % 3


@program(X, expect=0.30000000000000004)
def tenths(x):
    return 0.1 + 0.2


@program(X, -123.6, expect=-123.6)
def float_keeps_its_double(x, v):
    return float(v)


@program(X, 7, 2, then=[(X, -7, 2), (X, 7, -2), (X, 7.5, 2), (X, True, 2)])
def arithmetic(x, a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, divmod(a, b), -a, +a, abs(a)


@program(X, 12, 10)
def bits(x, a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1, True & False, True ^ True, True | False


@program(X, True, False)
def bools_are_integers(x, a, b):
    return a + b, a * 3, -a, a and b, a or b, not a, a == 1, isinstance(a, int), int(a), a is True


@program(X, expect=Raises(ZeroDivisionError, "division by zero"))
def division_by_zero(x):
    return x * (1 / 0)


@program(X, expect=Raises(ZeroDivisionError))
def modulo_zero(x):
    return 5 % 0


@program(X, mutable(7), mutable(2), then=[(X, mutable(-7), mutable(2)), (X, mutable(7), mutable(-3))])
def run_time_arithmetic(x, a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, abs(a), a == b, a < b, a >= b


@program(X, mutable(7), mutable(0), then=[(X, mutable(6), mutable(3))])
def run_time_division_by_zero(x, a, b):
    return a // b


@program(X, mutable(2.5), mutable(2), then=[(X, mutable(-2.5), mutable(3))])
def run_time_floats(x, a, b):
    return a + b, a * b, a / b, a // b, a % b, a**b, round(a), int(a), a > b


@program(X, mutable(5), mutable(3))
def run_time_bits(x, a, b):
    return a & b, a | b, a ^ b, ~a, a << b, a >> 1


@program(X, mutable(True), then=[(X, mutable(False))])
def run_time_bool(x, flag):
    if flag:
        return x + 1
    return x - 1


@program(X, mutable(2), then=[(X, mutable(5)), (X, mutable(-1))], compiles=1)
def run_time_number_scales_a_tensor(x, k):
    return x * k + k


@program(S)
def numbers_from_tensors(x):
    return int(x), float(x), bool(x), x.item(), int(x) + 1, float(x) / 2


@program(Tensor(7), Tensor(2), then=[(Tensor(-7), Tensor(2))])
def numbers_from_tensors_in_arithmetic(a, b):
    n, m = int(a), int(b)
    return n // m, n % m, n / m, n * m, n - m, n > m, n == m, max(n, m), min(n, m)


@program(S, then=[(Z,)])
def number_from_a_tensor_as_condition(x):
    v = x.item()
    if v > 1.0:
        return v * 2
    return v - 1.0


@program(S, Z, expect=Raises(ZeroDivisionError), then=[(S, S)])
def run_time_number_divided_by_zero(x, y):
    return x.item() / y.item()


@program(X, 1, then=[(X, True), (X, 1.0)])
def one_and_true_are_different(x, k):
    return k is True, isinstance(k, bool), type(k), x * k


@program(X, 0.0, then=[(X, -0.0)])
def signed_zeros_are_different(x, k):
    return str(k), x * k


@program(X, float("nan"), then=[(X, float("inf"))])
def not_a_number(x, k):
    return k == k, k > 0, x * k


@program(X, expect=4)
def pow_with_a_modulus(x):
    return pow(2, 5, 7)


@program(X, expect=Raises(TypeError))
def abs_takes_one(x):
    return abs(1, 2)


@program(X)
def rounding(x):
    return round(2.5), round(3.5), round(2.675, 2), round(1234, -2), round(-0.5), int(-2.7), int(2.7)


@program(X)
def numbers_untouched_in_containers(x):
    return [1, 2.5, True, None, 2**70, 1 + 2j], {"big": 10**30}, (float("inf"),)


@program(X, 10**25)
def big_integer_argument(x, k):
    return k + 1, k // 3, k % 7


@program(X)
def comparisons_of_numbers(x):
    return 1 < 2 <= 2, 1 == 1.0, 1 != 2, 3 > 2 > 1, x is not None, not 0


@program(X, 3, 0.5)
def tensors_with_python_numbers(x, k, v):
    return x + k, k - x, x * v, v / x, x // k, x % k, x**k, k**x, -x, x > k, k == x


@program(X)
def complex_numbers(x):
    z = complex(1, 2)
    return z, z * 1j, abs(3 + 4j), z.real, z.imag


@program(X)
def math_on_known_values(x):
    import math

    return math.sqrt(2.0), math.floor(2.7), math.pi, math.isclose(0.1 + 0.2, 0.3), x


@program(Tensor(3), vary=False)
def integer_tensor_loop_with_floats(n):
    v, i = 1.0, 0
    while i < n:
        v = v * 0.1 + i
        i += 1
    return v
