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
STRICT = ["-Wall", "-Wextra", "-Werror"]

# A backend's own class for aten::sub, which makes its results itself.
WRONG_FORMULA = '''
#include <tensorscope/library.h>
constexpr char kWrong[] = "wrong";
tsc::Tensor wrong(const tsc::Tensor& x) {
  auto iter = tsc::TensorIteratorConfig().add_output(tsc::Tensor()).add_const_input(x).build();
  tsc::jitted_gpu_kernel<kWrong, float, float, 1>(
      iter, "template <typename T>\\nT wrong(T x) {\\n  return sinx(x);\\n}");
  return iter.output();
}
TSC_LIBRARY(wrong, m) {
  m.def("wrong(Tensor x) -> Tensor");
  m.impl("wrong", tsc::DispatchKey::CUDA, TSC_KERNEL(wrong));
}
'''

OWN_CLASS = """
#include <tensorscope/library.h>
#include "gen/ops/binary_native.h"

namespace {
using namespace tsc;
int64_t made = 0;

struct OwnSub : meta_sub_Tensor {
  void set_output_raw_strided(int64_t index, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
                              DimnameList names) override {
    made += output_mode() == OutputMode::Functional ? 1 : 0;
    MetaBase::set_output_raw_strided(index, sizes, strides, options, names);
  }
  void impl(const Tensor&, const Tensor&, const Scalar& alpha, const Tensor&) {
    const auto factor = static_cast<float>(alpha.to_double());
    serial_for_each(
        [&](char** data, const int64_t* strides, int64_t columns, int64_t rows) {
          for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
              const auto at = [&](int operand) {
                return reinterpret_cast<float*>(data[operand] + j * strides[operand] + i * strides[3 + operand]);
              };
              *at(0) = *at(1) - factor * *at(2);
            }
          }
        },
        0, numel());
  }
};
int64_t count() { return made; }
}  // namespace

TSC_LIBRARY_IMPL(aten, PrivateUse1, m) { TSC_STRUCTURED_IMPL(m, PrivateUse1, OwnSub, "sub.Tensor"); }
TSC_LIBRARY(own, m) {
  m.def("made() -> int");
  m.impl("made", DispatchKey::CompositeExplicitAutograd, TSC_KERNEL(count));
}
"""
TYPES = """
#include <tensorscope/library.h>

namespace {
using tsc::Tensor;

Tensor optional(const Tensor& x, const std::optional<Tensor>& other, std::optional<tsc::Scalar> factor,
                std::optional<tsc::IntArrayRef> sizes) {
  Tensor result = other ? x.add(*other) : x;
  result = factor ? result.mul(*factor) : result;
  return sizes ? result.add(static_cast<double>(sizes->size()) + 1) : result;
}
std::tuple<std::vector<Tensor>, std::vector<int64_t>, Tensor> lists(tsc::ArrayRef<Tensor> tensors,
                                                                    const std::vector<std::optional<Tensor>>& some,
                                                                    std::vector<int64_t> numbers, tsc::ArrayRef<double> reals) {
  std::vector<Tensor> results;
  for (const Tensor& tensor : tensors) {
    results.push_back(tensor.add(some[0].value()));
  }
  numbers.insert(numbers.begin(), some[1].has_value() ? 0 : 3);
  return {results, numbers, tsc::full({}, reals[0])};
}
std::string text(const std::string& a, std::optional<std::string_view> b) { return b ? a + " " + std::string(*b) : a; }
Tensor drawn(Tensor x, const std::optional<tsc::Generator>& generator) {
  return x.clone().uniform_(0, 1, generator.value_or(tsc::Generator()));
}
Tensor& by_reference_(Tensor& self) {
  self.add_(1);
  return self;
}
Tensor methods(const Tensor& x) {
  const Tensor sums = x.sum(1).add(x.sum({0, 1}), 0).add(tsc::sum(x, 1), 2);
  return sums.mul(x.gt(-1).all(1)).sub(x.std({1}, false).t()).view({1, -1}).relu().add_(x.mean(0).max().mul(0));
}
// Views that are made below ADInplaceOrView, of two arguments and of lists.
std::tuple<Tensor, Tensor> ends(const Tensor& x, const Tensor& y) { return {x.slice(0, 1), y.slice(0, 0, 1)}; }
std::vector<Tensor> halves(tsc::ArrayRef<Tensor> tensors) {
  std::vector<Tensor> results;
  for (const Tensor& tensor : tensors) {
    results.push_back(tensor.slice(0, tensor.size(0) / 2));
  }
  return results;
}
// Of other C++ types than a call passes.
Tensor add_of_ours(const Tensor& a, Tensor b) { return a.mul(2).sub(a).add(b); }
Tensor calls_ours(const Tensor& a) {
  static tsc::StaticHandle<Tensor(const Tensor&, const Tensor&)> handle("types::add_of_ours", "");
  return handle.get().call(a, a);
}
}  // namespace

TSC_LIBRARY(types, m) {
  m.def("optional(Tensor x, Tensor? other, Scalar? factor, int[]? sizes) -> Tensor");
  m.def("lists(Tensor[] tensors, Tensor?[] some, int[] numbers, float[] reals) -> (Tensor[], int[], Tensor)");
  m.def("text(str a, str? b) -> str");
  m.def("drawn(Tensor x, Generator? generator) -> Tensor");
  m.def("by_reference_(Tensor(a!) self) -> Tensor(a!)");
  m.def("methods(Tensor x) -> Tensor");
  m.def("add_of_ours(Tensor a, Tensor b) -> Tensor");
  const auto key = tsc::DispatchKey::CompositeExplicitAutograd;
  m.impl("optional", key, TSC_KERNEL(optional));
  m.impl("lists", key, TSC_KERNEL(lists));
  m.impl("text", key, TSC_KERNEL(text));
  m.impl("drawn", key, TSC_KERNEL(drawn));
  m.impl("by_reference_", key, TSC_KERNEL(by_reference_));
  m.impl("methods", key, TSC_KERNEL(methods));
  m.def("calls_ours(Tensor a) -> Tensor");
  m.impl("add_of_ours", key, TSC_KERNEL(add_of_ours));
  m.impl("calls_ours", key, TSC_KERNEL(calls_ours));
  m.def("ends(Tensor(a) x, Tensor(b) y) -> (Tensor(a), Tensor(b))");
  m.def("halves(Tensor(a)[] tensors) -> Tensor(a)[]");
  m.impl("ends", tsc::DispatchKey::CPU, TSC_KERNEL(ends));
  m.impl("halves", tsc::DispatchKey::CPU, TSC_KERNEL(halves));
}
"""


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

    def check_example(self, name, folder, *options):
        example = EXAMPLES / name
        self.assertLess(len((example / f"{name}.cpp").read_text().splitlines()), MOST_LINES)
        actual = self.assert_runs(self.program, *options, example / f"{name}.tsc", cwd=folder)
        self.assertEqual(actual, (example / f"{name}.expected").read_text())

    def test_backend(self):
        folder = self.build_with_meson("backend")
        self.check_example("backend", folder)
        # What runs on the CPU writes to the caller's tensors, and returns them.
        code = """
import torch
dispatch.load("backend.so")
x = torch.arange(4.0).to("demo")
places = torch.tensor([0, 3]).to("demo")
print(dispatch.kernel("aten::index_fill_.int_Scalar", "PrivateUse1"))
print(x.index_fill_(0, places, 7.0) is x, x.cpu(), x._version)
values, found = torch.empty(0, device="demo"), torch.empty(0, dtype=torch.long, device="demo")
pair = torch.sort(x, out=(values, found))
print(pair[0] is values, pair[1] is found, values.cpu(), found.cpu())
"""
        self.assertEqual(self.assert_runs(self.program, "-c", code, cwd=folder).splitlines()[1:], [
            "True tensor([7., 1., 2., 7.]) 1",
            "True True tensor([1., 2., 7., 7.]) tensor([1, 2, 0, 3])",
        ])

    def test_operator(self):
        self.build_with_one_line(EXAMPLES / "operator" / "operator.cpp", "operator.so")
        self.check_example("operator", self.folder)

    def test_column(self):
        self.build_with_one_line(EXAMPLES / "column" / "column.cpp", "column.so")
        self.check_example("column", self.folder)

    def test_structured(self):
        self.build_with_one_line(EXAMPLES / "structured" / "structured.cpp", "structured.so", *STRICT)
        self.check_example("structured", self.folder)

    def test_formulas_as_strings(self):
        self.build_with_one_line(EXAMPLES / "jitted" / "jitted.cpp", "jitted.so", *STRICT)
        self.check_example("jitted", self.folder)
        self.check_example("jitted", self.folder, "--cuda", "emulator")
        (self.folder / "wrong.cpp").write_text(WRONG_FORMULA)
        self.build_with_one_line("wrong.cpp", "wrong.so", *STRICT)
        code = """
import torch
dispatch.load("wrong.so")
try:
    torch.ops.wrong.wrong(torch.ones(3, device="cuda"))
except RuntimeError as error:
    lines = str(error).splitlines()
    print("line 3" in lines[0], lines[1], lines[2].strip())
"""
        self.assertEqual(self.assert_runs(self.program, "--cuda", "emulator", "-c", code), "True     return sinx(x); ^\n")

    def test_structured_on_a_backend(self):
        """Common's forms of a plug-in's operator, and a class of a backend's own for one in the tree."""
        for name in ("structured", "backend"):
            self.build_with_one_line(EXAMPLES / name / f"{name}.cpp", f"{name}.so")
        (self.folder / "own.cpp").write_text(OWN_CLASS)
        self.build_with_one_line("own.cpp", "own.so", *STRICT)
        code = """
import torch
for name in ("backend", "structured", "own"):
    dispatch.load(name + ".so")
x = torch.arange(6.0).reshape(2, 3).to("demo")
y = torch.ones(2, 3, device="demo")
z = x - y
print(z.device, z.cpu().tolist(), torch.ops.own.made())
z -= y
print(z.cpu().tolist(), z._version)
out = torch.empty(0, device="demo")
print(torch.sub(x, y, alpha=2, out=out) is out, out.cpu().tolist())
print(dispatch.kernel("aten::sub.Tensor", "PrivateUse1"), dispatch.kernel("aten::sub_.Tensor", "PrivateUse1"))
try:
    torch.sub(x, y, out=torch.empty(2, 3, dtype=torch.int64, device="demo"))
except RuntimeError as error:
    print(error)

def kernel(self, limit, out):
    return out.copy_(torch.ops.demo.shrink(self.cpu(), limit))

library = torch.library.Library("demo", "IMPL")
library.impl("shrink.out", kernel, "PrivateUse1")
print(torch.ops.demo.shrink(x, 2.0).cpu().tolist())
print(torch.ops.demo.shrink_(x, 2.0) is x, x.cpu().tolist())
"""
        self.assertEqual(self.assert_runs(self.program, "-c", code).splitlines(), [
            "demo:0 [[-1.0, 0.0, 1.0], [2.0, 3.0, 4.0]] 1",
            "[[-2.0, -1.0, 0.0], [1.0, 2.0, 3.0]] 1",
            "True [[-2.0, -1.0, 0.0], [1.0, 2.0, 3.0]]",
            "OwnSub OwnSub",
            "result type Float can't be cast to the desired output type Long",
            "[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]",
            "True [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]",
        ])

    def test_types_and_methods(self):
        """Kernels in the C++ types of PyTorch's, called from scripts and from C++, and methods of Tensor."""
        (self.folder / "types.cpp").write_text(TYPES)
        self.build_with_one_line("types.cpp", "types.so", *STRICT)
        code = """
import torch
dispatch.load("types.so")
t = torch.ops.types
x = torch.ones(2)
print(t.optional(x, None, None, None), t.optional(x, x, 2, [1, 2]))
print(t.lists([x, x + 1], [x, None], [1, 2, 3], [0.5]))
print(t.text("a", None), t.text("b", "c"))
print(t.drawn(x, None).shape, t.drawn(x, torch.Generator()).shape)
y = torch.zeros(3)
print(t.by_reference_(y) is y, y, y._version)
print(t.methods(torch.arange(6.0).reshape(2, 3)))
print(t.add_of_ours(x, x), t.calls_ours(x))
a, b = t.ends(x, y)
c, d = t.halves([x, y])
print(a._base is x, b._base is y, c._base is x, d._base is y)
b.mul_(5)
print(y, y._version, x._version)
"""
        self.assertEqual(self.assert_runs(self.program, "-c", code).splitlines(), [
            "tensor([1., 1.]) tensor([7., 7.])",
            "([tensor([2., 2.]), tensor([3., 3.])], [3, 1, 2, 3], tensor(0.5000))",
            "a b c",
            "torch.Size([2]) torch.Size([2])",
            "True tensor([1., 1., 1.]) 1",
            "tensor([[ 8.1835, 35.1835]])",
            "tensor([2., 2.]) tensor([2., 2.])",
            "True True True True",
            "tensor([5., 1., 1.]) 2 0",
        ])

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
