"""A store of bytes by name that programs share over TCP."""

import datetime
import socket
import socketserver
import struct
import threading
import time
from typing import Any

from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.host_only import host_only

__all__ = ["TCPStore"]

_LENGTHS = struct.Struct("<IQ")  # of a key and of a value
_ANSWER = struct.Struct("<BQ")  # whether it was done, and the length of what comes back
_SET, _GET, _ADD, _DELETE, _HELLO = b"S", b"G", b"A", b"D", b"H"


def _read(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise ConnectionError("the other side of the store has closed the connection")
    return data


class _Held:
    """The values of a server; requests of all programs wait here for a key."""

    def __init__(self):
        self.values, self.programs = {}, 0
        self.changed = threading.Condition()

    def answer(self, kind, key, value):
        """(whether it was done, bytes)."""
        with self.changed:
            if kind == _GET:
                there = self.changed.wait_for(lambda: key in self.values, float(value))
                return there, self.values.get(key, b"")
            if kind == _DELETE:
                return self.values.pop(key, None) is not None, b""
            if kind == _ADD:
                try:
                    value = b"%d" % (int(self.values.get(key, b"0")) + int(value))
                except ValueError:
                    return False, self.values[key]
            if kind == _HELLO:
                self.programs += 1
            else:
                self.values[key] = value
            self.changed.notify_all()
            return True, value


class _Requests(socketserver.StreamRequestHandler):
    server: "_Server"

    def handle(self) -> None:
        while kind := self.rfile.read(1):
            key_length, value_length = _LENGTHS.unpack(_read(self.rfile, _LENGTHS.size))
            key, value = _read(self.rfile, key_length), _read(self.rfile, value_length)
            done, result = self.server.held.answer(kind, key, value)
            self.wfile.write(_ANSWER.pack(done, len(result)) + result)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    held: _Held


class TCPStore:
    """A key-value store shared by several programs: one of them, the master, holds the values.

    Args:
        host_name (str): The address of the master.
        port (int): Its port; 0 makes the master choose one, `port` of the store.
        world_size (int, optional): Number of programs that use the store, including the master, which waits for them.
            Default: ``None``, any number.
        is_master (bool): Whether this program holds the values.
        timeout (timedelta): Maximum time to wait for the master, for the others and for a key.
        wait_for_workers (bool): Whether the master waits for the others.

    The other arguments have no effect.

    Example:
        >>> from dyad.mint.distributed import TCPStore
        >>> store = TCPStore("127.0.0.1", 0, is_master=True)
        >>> store.set("first_key", "first_value")
        >>> print(store.get("first_key"), store.add("count", 2), store.add("count", 3))
        b'first_value' 2 5
    """

    @host_only
    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: datetime.timedelta = datetime.timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd=None,
        use_libuv: bool = True,
    ) -> None:
        _require_text("host_name", host_name)
        require_int("TCPStore", "port", port, low=0)
        if not isinstance(timeout, datetime.timedelta):
            raise TypeError(f"TCPStore: timeout is of type {type(timeout).__name__}; need a timedelta")
        self._timeout = timeout.total_seconds()
        self._lock = threading.Lock()
        self._server: Any = None
        if require_bool("TCPStore", "is_master", is_master):
            self._server = _Server((host_name, port), _Requests)
            self._server.held = _Held()
            threading.Thread(target=self._server.serve_forever, name="TCPStore", daemon=True).start()
            port = self._server.server_address[1]
        self.port = port
        self._connection = self._connected(host_name, port)
        self._stream = self._connection.makefile("rb")
        self._ask(_HELLO, "", b"")
        if self._server is not None and world_size is not None and wait_for_workers:
            self._wait_for(require_int("TCPStore", "world_size", world_size, low=1))

    def _connected(self, host_name, port):
        """A connection to the master, which may start later."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                return socket.create_connection((host_name, port), timeout=max(end - time.monotonic(), 0.1))
            except OSError as error:
                if time.monotonic() >= end:
                    raise RuntimeError(
                        f"TCPStore: no master answers at {host_name}:{port}: {error}"
                    ) from None
                time.sleep(0.05)

    def _wait_for(self, world_size):
        held = self._server.held
        with held.changed:
            if not held.changed.wait_for(lambda: held.programs >= world_size, self._timeout):
                raise RuntimeError(
                    f"TCPStore: {held.programs} of {world_size} programs are there after {self._timeout} seconds"
                )

    def _ask(self, kind, key, value):
        key = key.encode()
        with self._lock:
            self._connection.settimeout(None)
            self._connection.sendall(kind + _LENGTHS.pack(len(key), len(value)) + key + value)
            done, length = _ANSWER.unpack(_read(self._stream, _ANSWER.size))
            return bool(done), _read(self._stream, length)

    def set(self, key, value: str | bytes) -> None:
        """Hold a value, a str or bytes, under a key."""
        _require_text("key", key)
        if not isinstance(value, (str, bytes)):
            raise TypeError(f"TCPStore: value is of type {type(value).__name__}; need a str or bytes")
        self._ask(_SET, key, value.encode() if isinstance(value, str) else value)

    def get(self, key):
        """The bytes of a key, as soon as it has some; RuntimeError after the timeout."""
        done, value = self._ask(_GET, _require_text("key", key), str(self._timeout).encode())
        if not done:
            raise RuntimeError(f"TCPStore: there is no {key!r} after {self._timeout} seconds")
        return value

    def add(self, key, amount) -> int:
        """Adds to the number of a key, which starts at 0; returns the sum."""
        _require_text("key", key)
        if isinstance(amount, bool) or not isinstance(amount, int):
            raise TypeError(f"TCPStore: amount is of type {type(amount).__name__}; need an int")
        done, value = self._ask(_ADD, key, b"%d" % amount)
        if not done:
            raise RuntimeError(f"TCPStore: {key!r} holds {value!r}; need a number to add to")
        return int(value)

    def delete_key(self, key):
        """Removes a key; returns whether it had a value."""
        return self._ask(_DELETE, _require_text("key", key), b"")[0]

    def __del__(self):
        for name in ("_stream", "_connection"):
            if name in self.__dict__:
                self.__dict__[name].close()
        if self.__dict__.get("_server") is not None:
            self._server.shutdown()
            self._server.server_close()


def _require_text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"TCPStore: {name} is of type {type(value).__name__}; need a str")
    return value
