"""The example plug-ins: each is built as its meson.build says, and its script run.

A script finds the shared library in its working directory; what it prints is in its .expected.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "plugins"
MOST_LINES = 120


def run(*command, cwd, env=None):
    return subprocess.run([str(part) for part in command], cwd=cwd, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


class Plugins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = pathlib.Path(PROGRAM).resolve()

    def assert_runs(self, *command, cwd=None, env=None):
        done = run(*command, cwd=cwd or self.folder, env=env)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def build_with_meson(self, name):
        # Where the system's Meson is too old, ./dev has put one into build-tools/.
        tools = EXAMPLES.parents[1] / "build-tools" / "bin"
        environment = {**os.environ, "PATH": f"{self.program.parent}:{tools}:{os.environ['PATH']}"}
        meson = shutil.which("meson", path=environment["PATH"])
        self.assert_runs(meson, "setup", self.folder / "build", EXAMPLES / name, env=environment)
        self.assert_runs(meson, "compile", "-C", self.folder / "build", env=environment)
        return self.folder / "build"

    def build_with_one_line(self, source, library, *flags):
        printed = self.assert_runs(self.program, "--cflags", "--libs").split()
        self.assert_runs(os.environ.get("CXX", "g++").split()[-1], source, *printed, *flags,
                         "-o", self.folder / library)

    def check_example(self, name, folder):
        example = EXAMPLES / name
        self.assertLess(len((example / f"{name}.cpp").read_text().splitlines()), MOST_LINES)
        actual = self.assert_runs(self.program, example / f"{name}.tsc", cwd=folder)
        self.assertEqual(actual, (example / f"{name}.expected").read_text())

    def test_backend(self):
        self.check_example("backend", self.build_with_meson("backend"))

    def test_operator(self):
        self.build_with_one_line(EXAMPLES / "operator" / "operator.cpp", "operator.so")
        self.check_example("operator", self.folder)

    def test_column(self):
        self.build_with_one_line(EXAMPLES / "column" / "column.cpp", "column.so")
        self.check_example("column", self.folder)

    def test_what_is_refused(self):
        """Another version, a file that is none, a library without registrations, one that fails."""
        (self.folder / "text.so").write_text("not a library")
        header = '#include <tensorscope/library.h>\n'
        (self.folder / "other.cpp").write_text(
            header.replace("#include", '#undef TSC_VERSION\n#define TSC_VERSION "9.9"\n#include'))
        self.build_with_one_line("other.cpp", "other.so")
        (self.folder / "twice.cpp").write_text(
            header + 'TSC_LIBRARY(twice, m) { m.def("f(Tensor x) -> Tensor"); m.def("f(Tensor x) -> Tensor"); }\n')
        self.build_with_one_line("twice.cpp", "twice.so")
        script = """
for path in ("missing.so", "text.so", "other.so", "twice.so", "twice.so"):
    try:
        dispatch.load(path)
    except RuntimeError as error:
        print(str(error).replace(here, "").split(". ")[0].split(" (")[0])
print(dispatch.plugins(), torch.ops.twice)
try:
    torch.ops.twice.f(torch.ones(2))
except AttributeError as error:
    print(error)
"""
        code = f"import torch\nhere = {str(self.folder) + '/'!r}\n{script}"
        printed = self.assert_runs(self.program, "-c", code).splitlines()
        self.assertEqual(printed, [
            "cannot load the plug-in 'missing.so': No such file or directory",
            "'text.so' is not a plug-in: it does not include <tensorscope/library.h>",
            "the plug-in 'other.so' was built for tensorscope 9.9, and this is "
            + self.assert_runs(self.program, "--version").split()[1] + "; build it again",
            "Tried to register an operator",
            "Tried to register an operator",
            "[] <module 'torch.ops.twice' from 'torch.ops'>",
            "'_OpNamespace' 'twice' object has no attribute 'f'",
        ])

    def test_one_that_loads_another(self):
        """While it registers: the other one first, and itself not again."""
        header = '#include <tensorscope/library.h>\n'
        (self.folder / "inner.cpp").write_text(
            header + 'TSC_LIBRARY(inner, m) { m.def("f(Tensor x) -> Tensor"); }\n')
        (self.folder / "outer.cpp").write_text(
            header + 'namespace tsc { TSC_API void load_plugin(const std::string& path); }\n'
            'TSC_LIBRARY(outer, m) {\n'
            '  tsc::load_plugin("inner.so");\n  tsc::load_plugin("outer.so");\n'
            '  m.def("f(Tensor x) -> Tensor");\n}\n')
        self.build_with_one_line("inner.cpp", "inner.so")
        self.build_with_one_line("outer.cpp", "outer.so")
        code = """
dispatch.load("outer.so")
print([path.split("/")[-1] for path in dispatch.plugins()], torch.ops.inner.f, torch.ops.outer.f)
dispatch.unload("outer.so")
print([path.split("/")[-1] for path in dispatch.plugins()], hasattr(torch.ops.outer, "f"))
"""
        printed = self.assert_runs(self.program, "-c", "import torch\n" + code).splitlines()
        self.assertEqual(printed, ["['inner.so', 'outer.so'] inner.f outer.f", "['inner.so'] False"])

    def test_option(self):
        """--plugin loads before the keys are switched; what cannot be loaded is an error."""
        self.build_with_one_line(EXAMPLES / "column" / "column.cpp", "column.so")
        code = "torch.ones(2) + 1\nprint(torch.ops.audit.count('aten::add.Tensor'))"
        printed = self.assert_runs(self.program, "--plugin", "column.so", "--on", "Audit", "-c", code)
        self.assertEqual(printed, "1\n")
        done = run(self.program, "--plugin", "nothing.so", "-c", "1", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing.so", done.stdout)

    def test_installation(self):
        """The headers beside an installed binary are enough."""
        destination = self.folder / "prefix"
        shutil.copytree(self.program.parent, destination / "bin", ignore=lambda _, names: [
            name for name in names if name != self.program.name])
        headers = EXAMPLES.parents[1] / "src" / "install_headers.py"
        generated = self.program.parents[1] / "codegen"
        self.assert_runs("python3", headers, headers.parent, generated,
                         destination / "include" / "tensorscope")
        self.program = destination / "bin" / self.program.name
        self.assertIn(str(destination), self.assert_runs(self.program, "--cflags"))
        self.build_with_one_line(EXAMPLES / "operator" / "operator.cpp", "operator.so")
        self.check_example("operator", self.folder)


if __name__ == "__main__":
    unittest.main()
