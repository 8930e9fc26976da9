"""Bytes by name that programs share over TCP."""

import datetime
import subprocess
import sys
import textwrap
import threading

import pytest

from dyad.mint.distributed import TCPStore

SHORT = datetime.timedelta(seconds=0.3)


@pytest.fixture
def master():
    return TCPStore("127.0.0.1", 0, is_master=True, timeout=datetime.timedelta(seconds=20))


def test_values_are_held_by_name(master):
    master.set("a", "text")
    master.set("b", b"\0\1")
    assert master.get("a") == b"text" and master.get("b") == b"\0\1"
    master.set("a", "")
    assert master.get("a") == b""
    assert master.add("n", 3) == 3 and master.add("n", -5) == -2 and master.get("n") == b"-2"
    assert master.delete_key("a") and not master.delete_key("a")


def test_another_program_sees_them(master):
    code = f"""
        from dyad.mint.distributed import TCPStore
        store = TCPStore("127.0.0.1", {master.port})
        store.set("from", store.get("to") + b" and back")
        store.add("count", 1)
    """
    master.set("to", "there")
    master.add("count", 1)
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert master.get("from") == b"there and back" and master.add("count", 0) == 2


def test_a_key_is_waited_for(master):
    other = TCPStore("127.0.0.1", master.port, timeout=datetime.timedelta(seconds=20))
    late = threading.Timer(0.2, lambda: other.set("late", "here"))
    late.start()
    assert master.get("late") == b"here"
    late.join()
    impatient = TCPStore("127.0.0.1", master.port, timeout=SHORT)
    with pytest.raises(RuntimeError, match=r"there is no 'never' after 0.3 seconds"):
        impatient.get("never")


def test_the_master_waits_for_the_others():
    with pytest.raises(RuntimeError, match=r"1 of 2 programs are there after 0.3 seconds"):
        TCPStore("127.0.0.1", 0, 2, is_master=True, timeout=SHORT)
    assert TCPStore("127.0.0.1", 0, 2, is_master=True, timeout=SHORT, wait_for_workers=False).add("n", 1) == 1


def test_what_cannot_be_done(master):
    master.set("text", "no number")
    with pytest.raises(RuntimeError, match="'text' holds b'no number'; need a number to add to"):
        master.add("text", 1)
    for action, text in [
        (lambda: master.set(1, "a"), "key is of type int"),
        (lambda: master.set("a", 1), "value is of type int; need a str or bytes"),
        (lambda: master.add("a", 1.5), "amount is of type float"),
        (lambda: TCPStore("127.0.0.1", 0, timeout=3), "timeout is of type int; need a timedelta"),
    ]:
        with pytest.raises(TypeError, match=text):
            action()
    with pytest.raises(RuntimeError, match=r"no master answers at 127\.0\.0\.1:1"):
        TCPStore("127.0.0.1", 1, timeout=SHORT)
