"""Serves the page and what it shows, to this machine alone.

    /                  the page
    /updates?from=N    the values from the N-th on, as JSON
    /image/N           the N-th image

No part of an address is ever a path of a file.
"""

import functools
import http.server
import importlib.resources
import json
import re
import secrets
import threading
import urllib.parse

from dyad._src.observe.watch.runs import Runs

_MOST_AT_ONCE = 20_000  # values in an answer
_READING_SECONDS = 0.5  # for an answer
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_IMAGE = re.compile(r"/image/(\d{1,12})")


class WatchServer(http.server.ThreadingHTTPServer):
    """A server of the runs below a directory. With port 0 the system chooses one; `url` is where the page is."""

    daemon_threads = True

    def __init__(self, folder, port=0):
        self.runs = Runs(folder)
        self.lock = threading.Lock()
        self.boot = secrets.token_hex(8)  # a page with another token starts again
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self):
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def updates(self, start):
        """The JSON text of the values from an index on."""
        with self.lock:
            more = self.runs.poll(_READING_SECONDS)
            chosen = self.runs.entries[start : start + _MOST_AT_ONCE]
            head = {
                "boot": self.boot,
                "folder": self.runs.folder,
                "runs": self.runs.names,
                "next": start + len(chosen),
                "more": more or start + len(chosen) < len(self.runs.entries),
                "damage": self.runs.damage,
            }
        return f'{json.dumps(head)[:-1]}, "values": [{",".join(chosen)}]}}'

    def handle_error(self, request, client_address):
        """Ignores pages that were closed during the response."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server_version = "dyad-watch"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: WatchServer

    def do_GET(self):
        """Answers one of the three addresses."""
        if not self._is_addressed():
            return self._answer(403, "text/plain", b"this server answers to 127.0.0.1 and localhost only\n")
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/":
            return self._answer(200, "text/html; charset=utf-8", page().encode())
        if address.path == "/updates":
            return self._answer_updates(address.query)
        found = _IMAGE.fullmatch(address.path)
        return self._answer_image(int(found[1])) if found else self._refuse()

    def _is_addressed(self):
        """Returns whether the request names this very server: a name that resolves here by DNS rebinding is
        rejected.
        """
        port = self.server.server_address[1]
        return self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}")

    def _answer_updates(self, query):
        start = urllib.parse.parse_qs(query).get("from", ["0"])[0]
        if not start.isascii() or not start.isdigit() or len(start) > 12:
            return self._answer(400, "text/plain", b"from: need a number\n")
        return self._answer(200, "application/json", self.server.updates(int(start)).encode())

    def _answer_image(self, number):
        try:
            with self.server.lock:
                content = self.server.runs.picture(number)
        except LookupError:
            return self._refuse()
        return self._answer(200, "image/png", content, cached=True)

    def _refuse(self):
        self._answer(404, "text/plain", b"there is nothing at this address\n")

    def _answer(self, status, kind, content, cached=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=3600" if cached else "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        """Logs nothing: a page sends a request every second."""


_SCRIPTS = ("store.js", "scales.js", "chart.js", "panels.js", "page.js")


@functools.cache
def page():
    """The HTML of the page, with its styles and scripts in it."""
    script = "".join(f"{_asset(name)}\n" for name in _SCRIPTS)
    return _asset("page.html").replace("/*STYLE*/", _asset("page.css")).replace("/*SCRIPT*/", script)


def _asset(name):
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
