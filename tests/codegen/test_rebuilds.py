"""What one edit builds again: counted by ninja, in a copy of the tree and of the build folder."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from families import ROOT

from codegen.new_op import new_op

BUILD = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope")).resolve().parents[1]
COPIED = ("src", "codegen", "tests", "meson.build", "meson_options.txt")


class Copy:
    """The sources and the build folder, side by side. Object files are links: nothing is compiled here."""

    def __init__(self, folder):
        self.sources, self.build = folder, folder / "build"
        for name in COPIED:
            path = ROOT / name
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, folder / name)
        shutil.copytree(BUILD, self.build, copy_function=os.link, ignore=shutil.ignore_patterns(
            "codegen", "meson-private", "meson-info", "meson-logs", ".ninja_*", "build.ninja", "rebuilds-*"))
        # A new name of an operator configures again, in two seconds. The copy is never configured.
        plan = (BUILD / "build.ninja").read_text()
        rule = re.compile(r"^build (?:build\.ninja: REGENERATE_BUILD .*|.* meson-private/coredata\.dat ?: phony.*)\n(?: .*\n)*",
                          re.MULTILINE)
        without, count = rule.subn("", plan)
        assert count == 2, count
        (self.build / "build.ninja").write_text(without)
        self.edited = set()
        self.reset()

    def reset(self):
        """Undoes what a test has edited and generated."""
        for name in (".ninja_log", ".ninja_deps"):
            shutil.copy2(BUILD / name, self.build)
        shutil.rmtree(self.build / "codegen", ignore_errors=True)
        shutil.copytree(BUILD / "codegen", self.build / "codegen")
        for name in self.edited:
            shutil.copy2(ROOT / name, self.sources / name)
        self.edited.clear()

    def ninja(self, *arguments):
        done = subprocess.run(["ninja", "-C", self.build, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(f"ninja {' '.join(arguments[:3])}\n{done.stdout}")
        return [line for line in done.stdout.splitlines() if re.match(r"\[\d+/\d+\] ", line)]

    def generated(self):
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "rule", "CUSTOM_COMMAND"],
                                stdout=subprocess.PIPE, text=True, check=True)
        return [name for name in listed.stdout.split() if name.startswith("codegen/")]

    def replace(self, name, old, new):
        text = (self.sources / name).read_text()
        assert old in text, f"{name} has no {old!r}"
        self.write(name, text.replace(old, new, 1))

    def write(self, name, text):
        self.edited.add(name)
        (self.sources / name).write_text(text)

    def append(self, name, text):
        self.write(name, (self.sources / name).read_text() + text)

    def steps(self):
        """The generator's steps, which are run, and all others, which are not."""
        generated = self.ninja(*self.generated())
        return generated + self.ninja("-n", "src/tensorscope")


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rebuilds-", dir=BUILD)
        cls.addClassCleanup(folder.cleanup)
        cls.copy = Copy(Path(folder.name))

    def tearDown(self):
        self.copy.reset()

    def check(self, compiled, generated):
        """At most so many files; they are archived and linked once."""
        steps = self.copy.steps()
        found = {kind: [step for step in steps if kind in step] for kind in ("Generating", "Compiling", "Precompiling", "Linking")}
        message = "\n".join(steps)
        self.assertEqual(len(steps), sum(map(len, found.values())), message)
        self.assertEqual(found["Precompiling"], [], message)
        self.assertGreater(len(found["Compiling"]), 0, message)
        self.assertLessEqual(len(found["Compiling"]), compiled, message)
        self.assertLessEqual(len(found["Generating"]), generated, message)
        self.assertLessEqual(len(found["Linking"]), 4, message)

    def test_nothing(self):
        self.assertEqual(self.copy.steps(), [])

    def test_a_word_of_a_sentence(self):
        self.copy.replace("src/ops/shape/copy.yaml", "doc: ", "doc: So, ")
        self.check(compiled=1, generated=6)

    def test_a_changed_row(self):
        self.copy.replace("src/ops/pointwise/unary.yaml", "float? posinf=None", "float? posinf=1.0")
        self.check(compiled=10, generated=6)

    def test_a_new_row(self):
        row = "\n- func: very_new(Tensor self) -> Tensor\n  doc: New.\n"
        self.copy.append("src/ops/shape/copy.yaml", row)
        self.check(compiled=8, generated=6)

    def test_a_new_operator_with_formula_and_derivative(self):
        written = new_op(self.copy.sources, "very_new", "math")
        self.copy.edited |= {str(path.relative_to(self.copy.sources)) for path in written[:3]}
        self.check(compiled=15, generated=6)

    def test_a_formula(self):
        self.copy.replace("src/ops/ufunc/activation.h", "T(0.044715)", "T(0.0447)")
        # Three instruction sets, and the text for CUDA's kernels.
        self.check(compiled=4, generated=1)

    def test_a_line_of_a_list_of_formulas(self):
        self.copy.replace("src/ops/cpu/pointwise/arithmetic_list.h", "Bool, WrappingIntegers", "WrappingIntegers, Bool")
        self.check(compiled=16, generated=0)

    def test_a_derivative(self):
        self.copy.replace("src/autograd/pointwise/unary.yaml", "self: -grad", "self: 0 - grad")
        self.check(compiled=1, generated=2)


if __name__ == "__main__":
    unittest.main()
