"""Runs the unit tests of one file, in a process of its own.

    unittest_cases.py FILE FILTER

writes one record a test: name, 1 or 0, seconds, message, with \\1 between the
fields and \\0 after each record. Standard output belongs to the records. The
message of a test that passed is its attribute `note`, if it set one.
"""

import importlib.util
import sys
import time
import unittest
from pathlib import Path


class Recorder(unittest.TestResult):
    def __init__(self, stream):
        super().__init__()
        self.stream_ = stream

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.message = ""

    def addError(self, test, err):
        super().addError(test, err)
        self.message += self._exc_info_to_string(err, test)
        if not hasattr(test, "_testMethodName"):  # a setUpClass that failed
            self.began = time.monotonic()
            self.write(str(test))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.message += self._exc_info_to_string(err, test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.message += f"{subtest}\n{self._exc_info_to_string(err, test)}"

    def stopTest(self, test):
        super().stopTest(test)
        self.write(test._testMethodName, getattr(test, "note", ""))

    def write(self, name, note=""):
        seconds = time.monotonic() - self.began
        passed = "0" if self.message else "1"
        self.stream_.write("\1".join([name, passed, f"{seconds:.3f}", self.message or note]) + "\0")
        self.stream_.flush()


def chosen(suite, wanted, file):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, wanted, file)
        elif wanted.lower() in f"{file}: {getattr(test, '_testMethodName', '')}".lower():
            yield test


def main():
    path, wanted = Path(sys.argv[1]), sys.argv[2]
    records, sys.stdout = sys.stdout, sys.stderr
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    tests = unittest.defaultTestLoader.loadTestsFromModule(module)
    unittest.TestSuite(chosen(tests, wanted, path)).run(Recorder(records))


main()
