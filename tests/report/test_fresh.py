"""The second process ends with the first, also where that is killed; what it makes: tests/signing/test_rerender."""

import subprocess
import sys

STARTED = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', sys.argv[1]]).wait()"
ENDLESS = """
from frtaudit.report.fresh import end_with_parent
end_with_parent()
print("works", flush=True)
while True:
    pass
"""


def test_a_process_ends_with_the_one_that_started_it() -> None:
    """Killed, a process leaves no child that works on for nobody: the output that both hold is closed."""
    command = [sys.executable, "-c", STARTED, ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "works\n"
        parent.kill()
        assert parent.communicate(timeout=60)[0] == ""
