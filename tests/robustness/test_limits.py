"""Programs that go to the end of the stack, of memory or of patience end in errors, never in signals.

Each program is run with the limits that it is about; what it leaves and says is compared.
"""

import os
import subprocess
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
LIMIT = 240  # seconds
IS_SANITIZED = "asan" in PROGRAM


def run(source, *limits):
    """(exit status, standard output, standard error) of a program under `ulimit`s."""
    command = "".join(f"ulimit {limit}; " for limit in ("-c 0", *limits)) + 'exec "$0" -'
    done = subprocess.run(["sh", "-c", command, os.path.abspath(PROGRAM)], input=source.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class StackTest(unittest.TestCase):
    def ends(self, source, error, *limits):
        """The program ends in this error, or in none where `error` is empty and it prints ok."""
        status, output, errors = run(source, *limits)
        last = errors.splitlines()[-1] if errors else ""
        if error:
            self.assertEqual((status, last), (1, error))
        else:
            self.assertEqual((status, output, last), (0, "ok\n", ""))

    def refuses(self, source):
        """The program is not compiled, for whatever reason, on a usual stack and on a small one."""
        for limit in ("-s 8192", "-s 1024" if not IS_SANITIZED else "-s 4096"):
            status, _, errors = run(source, limit)
            self.assertEqual(status, 1, errors[-300:])
            self.assertRegex(errors.splitlines()[-1], "^SyntaxError: too many ")

    def test_long_chains(self):
        chain = "".join(f"elif x == {i}:\n    y = {i}\n" for i in range(60000))
        self.ends(f"x = 59999\nif x == -1:\n    pass\n{chain}print('ok')\n", "", "-s 1024")
        self.ends("y = 1" + " + 1" * 200000 + "\nprint('ok')\n", "", "-s 1024")
        self.ends("y = 1" + " < 2" * 1000 + "\nprint('ok')\n", "")
        self.ends("y = " + "'a' " * 200000 + "\nprint('ok')\n", "")

    def test_nested_source(self):
        for source in ("y = x" + "[0]" * 200000, "y = x" + ".a" * 200000, "y = x" + "()" * 200000,
                       "y = " + "not " * 200000 + "1", "y = " + "-" * 200000 + "1", "y = " + "2 ** " * 200000 + "1",
                       "y = " + "lambda: " * 200000 + "1", "y = " + "1 if 0 else " * 200000 + "1",
                       "y = [" + "1 " + "for i in [1] " * 100000 + "]", "y = " + "[" * 100000,
                       "y = f'" + "{f\"" * 50000, "y = x" + "[x.a" * 150 + ".a" * 3000 + "]" * 150):
            with self.subTest(source=source[:30]):
                status, _, errors = run(source + "\n", "-s 8192")
                self.assertEqual(status, 1, errors[-300:])
                self.assertRegex(errors.splitlines()[-1], "^SyntaxError: ")
        self.refuses("y = x" + ".a" * 200000 + "\n")
        self.refuses("y = [" + "1 " + "for i in [1] " * 100000 + "]\n")

    def test_causes(self):
        causes = "e = None\nfor i in range(25000):\n    n = ValueError(i)\n    n.__cause__ = e\n    e = n\nraise e\n"
        status, _, errors = run(causes, "-s 1024")
        self.assertEqual(status, 1)
        self.assertEqual(errors.splitlines()[-1], "ValueError: 24999")
        self.assertEqual(errors.count("direct cause"), 24999)

    def test_messages(self):
        deep = "t = 1\nfor i in range(1100):\n    t = [t]\n"
        self.ends(deep + "raise ValueError(t)\n", "ValueError: <exception str() failed>")
        self.ends(deep + "e = ValueError()\ne.__notes__ = [t]\nraise e\n", "<note str() failed>")
        self.ends("e = KeyError()\ne.args = (e,)\nraise e\n", "KeyError: <exception str() failed>")

    def test_recursion_on_a_small_stack(self):
        for call in ("sorted([1, 2], key=f)", "list(map(f, [x]))", "max([1, 2], key=f)", "sum(f(i) for i in [x])",
                     "[*map(f, [x])]", "list(filter(f, [x]))"):
            source = ("import sys\nsys.setrecursionlimit(100000)\ndef f(x):\n"
                      f"    return {call}\ntry:\n    f(1)\nexcept RecursionError as e:\n    print('ok')\n")
            with self.subTest(call=call):
                self.ends(source, "", "-s 512" if not IS_SANITIZED else "-s 4096")


@unittest.skipIf(IS_SANITIZED, "sanitizers map more memory than any limit")
class MemoryTest(unittest.TestCase):
    def loses_nothing(self, grow):
        source = ("kept = [1, 2, 3]\nw = torch.ones(3)\nt = ()\nx = [0]\ns = 'a'\nd = {}\n"
                  f"try:\n    while True:\n        {grow}\nexcept (MemoryError, RuntimeError) as e:\n    t = x = s = d = None\n    print('ok')\n"
                  "print(kept, (w + 1).tolist())\n")
        status, output, errors = run(source, "-v 800000")
        self.assertEqual((status, output), (0, "ok\n[1, 2, 3] [2.0, 2.0, 2.0]\n"), errors[-500:])

    def test_out_of_memory(self):
        for grow in ("t = (t,)", "t = [t]", "x = x + x", "x += x", "s = s + s", "d[len(d)] = [1]", "x.append({1: 2})",
                     "x.append('a' + str(len(x)))", "x.append(ValueError(x))", "x.append(lambda: 1)", "x.append(torch.ones(1000))",
                     "x.append(torch.ones(10))", "t = {1: t}", "d[str(len(d))] = 1", "x.append(iter(x))"):
            with self.subTest(grow=grow):
                self.loses_nothing(grow)


if __name__ == "__main__":
    unittest.main()
