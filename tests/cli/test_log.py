import os
import subprocess
import sys

import pytest


def run(level=None):
    environment = {key: value for key, value in os.environ.items() if key != "GLOG_v"}
    if level is not None:
        environment["GLOG_v"] = level
    code = (
        "from dyad import log\n"
        "log.debug('a'); log.info('b'); log.warning('c %d', 5); log.error('d'); log.critical('e')\n"
        "print(log.get_level())"
    )
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize(("level", "shown"), [(None, 3), ("0", 5), ("1", 4), ("2", 3), ("3", 2), ("4", 1)])
def test_glog_v_chooses_the_level(level, shown):
    result = run(level)
    assert len(result.stderr.splitlines()) == shown
    assert result.stdout.strip() == (level or "2")


def test_a_message_names_level_and_text():
    line = run().stderr.splitlines()[0]
    assert line.startswith("[WARNING] dyad(") and line.endswith("c 5")
