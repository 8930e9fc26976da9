"""`dyad watch RUN`: the command."""

import argparse
import os
import sys
import webbrowser

from dyad._src.observe.watch.server import WatchServer

_PORT = 8765


def watch(arguments):
    """Serves the page of a run until it is interrupted; returns the exit status."""
    given = _parser().parse_args(arguments)
    if not os.path.isdir(given.run):
        print(
            f"dyad watch: there is no folder {given.run!r}; need one that a run is recorded in, or with runs in it",
            file=sys.stderr,
        )
        return 2
    try:
        server = _server(given.run, given.port)
    except OSError as error:
        print(f"dyad watch: port {given.port} cannot be used: {error}", file=sys.stderr)
        return 1
    with server:
        print(f"dyad watch: {server.runs.folder} is shown at {server.url} (Ctrl-C ends it)", flush=True)
        if not given.no_browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="dyad watch", description="Shows a run in the browser, and follows it while it trains."
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a run, or a folder of runs to compare")
    parser.add_argument("--port", type=int, default=None, help=f"where to serve; {_PORT} unless it is taken")
    parser.add_argument("--no-browser", action="store_true", help="only serve: open no browser")
    return parser


def _server(folder, port):
    """A server at the requested port, or else at the usual one or any that is free."""
    if port is not None:
        return WatchServer(folder, port)
    try:
        return WatchServer(folder, _PORT)
    except OSError:
        return WatchServer(folder)
