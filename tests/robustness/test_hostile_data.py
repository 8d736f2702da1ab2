"""A person's data, deep, circular or large, through everything that takes objects: nothing kills the program.

Each way to make data runs in a process of its own (hostile_data.tsc), which says every call before it makes it.
Where the process ends by a signal or a call takes longer than it may, the call is a failure, and a new process goes
on behind it, so that one run finds all. Every third call is made, a different third for each way, which is over 20,000
(fewer under sanitizers); HOSTILE_STEP=1 makes all, and HOSTILE_KINDS=3,17 runs some ways only.
"""

import concurrent.futures
import os
import select
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
SCRIPT = Path(__file__).resolve().with_name("hostile_data.tsc")
IS_SANITIZED = "asan" in PROGRAM
STEP = int(os.environ.get("HOSTILE_STEP", "12" if IS_SANITIZED else "3"))
CALL_LIMIT = 60 if IS_SANITIZED else 10  # seconds
STACK = 8 << 20
MEMORY = 6 << 30  # of address space; sanitizers map far more than they use
MOST_FAILURES = 20  # of one way, after which it is given up


class Process:
    """One run of the script, from a call on; each line that it writes is a call that begins."""

    errors = b""

    def __init__(self, kind, first, folder):
        limit = "" if IS_SANITIZED else f"ulimit -v {MEMORY >> 10}; "
        command = f"ulimit -c 0; ulimit -s {STACK >> 10}; {limit}exec \"$@\""
        self.process = subprocess.Popen(
            ["sh", "-c", command, "sh", os.path.abspath(PROGRAM), str(SCRIPT), str(kind), str(first),
             str(STEP)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        self.pending = b""

    def lines(self):
        """Yields the lines; ends where the program does. TimeoutError where a call takes too long."""
        stream = self.process.stdout.fileno()
        while True:
            # What it writes beside its answers must not fill the pipe.
            ready = select.select([stream, self.process.stderr], [], [], CALL_LIMIT)[0]
            if not ready:
                raise TimeoutError
            if self.process.stderr in ready:
                self.errors = (self.errors + os.read(self.process.stderr.fileno(), 1 << 16))[-2000:]
            if stream in ready:
                data = os.read(stream, 1 << 16)
                if not data:
                    return
                *complete, self.pending = (self.pending + data).split(b"\n")
                yield from (line.decode(errors="replace") for line in complete)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def run_kind(kind):
    """(how many calls were made, what went wrong)."""
    first, failures, calls = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        while len(failures) < MOST_FAILURES:
            process = Process(kind, first, folder)
            number, name = None, "(before the first call)"
            try:
                for line in process.lines():
                    word, _, rest = line.partition(" ")
                    if word == "end":
                        number = None
                        name = "(after the last call)"
                    elif word.isdigit():
                        number, name = int(word), rest
                        calls += 1
                process.errors += process.process.stderr.read()
                code = process.process.wait()
                if code == 0:
                    return calls, failures
                failures.append(f"{name}: ended with {code}\n{process.errors.decode(errors='replace')}")
            except TimeoutError:
                failures.append(f"{name}: took longer than {CALL_LIMIT} s")
            finally:
                process.close()
            if number is None:
                return calls, failures
            first = number + 1
    return calls, failures


class HostileDataTest(unittest.TestCase):
    def test_nothing_is_killed(self):
        count = int(subprocess.run([PROGRAM, str(SCRIPT)], stdout=subprocess.PIPE, check=True).stdout)
        chosen = os.environ.get("HOSTILE_KINDS")
        kinds = [int(kind) for kind in chosen.split(",")] if chosen else range(count)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            results = dict(zip(kinds, pool.map(run_kind, kinds)))
        failures = [f"kind {kind}: {failure}" for kind, (_, found) in results.items() for failure in found]
        calls = sum(calls for calls, _ in results.values())
        self.assertEqual(failures, [], f"{len(failures)} of {calls} calls:\n" + "\n".join(failures))
        if not chosen and STEP <= 3:
            self.assertGreaterEqual(calls, 20000)


if __name__ == "__main__":
    unittest.main()
