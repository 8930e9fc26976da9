import threading

import pytest

from dyad._src.observe.watch.server import WatchServer


@pytest.fixture
def serve():
    """Starts a server of a directory; it ends with the test."""
    servers = []

    def start(folder):
        server = WatchServer(str(folder))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return server

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()
