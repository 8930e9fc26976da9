"""`python -m dyad watch`: what the command takes, and that files called `watch` are still programs."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

from dyad import __main__


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "dyad", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def test_it_serves_until_it_is_interrupted(tmp_path, hears_interrupts):
    command = [sys.executable, "-m", "dyad", "watch", str(tmp_path), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        url = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert b"dyad watch" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0


def test_bad_arguments(tmp_path):
    missing = run("watch", str(tmp_path / "none"))
    assert missing.returncode == 2 and "there is no folder" in missing.stderr
    assert run("watch").returncode == 2
    assert "watch RUN" in run("--help").stdout


def test_a_taken_port(tmp_path, serve, capsys):
    taken = serve(tmp_path).server_address[1]
    assert __main__.main(["watch", str(tmp_path), "--port", str(taken), "--no-browser"]) == 1
    assert f"port {taken}" in capsys.readouterr().err


def test_a_program_called_watch_is_run_by_its_path(tmp_path):
    (tmp_path / "watch").write_text("print('a program')")
    path = os.pathsep.join(
        filter(None, [os.path.dirname(os.path.dirname(__main__.__file__)), os.environ.get("PYTHONPATH")])
    )
    done = run("./watch", cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == "a program\n"
