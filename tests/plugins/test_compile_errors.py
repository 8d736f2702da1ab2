"""What the compiler says of a slip: each line below is one, and the message that it has to give.

The slips of a kind are one file, compiled once: a message counts for the line that it names.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")).resolve()
COMPILER = os.environ.get("CXX", "g++").split()[-1]

# (slip, what the compiler has to say)
KERNELS = [
    ("Tensor k(const Tensor& x, int n) { return x; } REGISTER(k)",
     "a kernel's parameter is an integer of another size: write int64_t for a schema's int"),
    ("Tensor k(const Tensor& x, float p) { return x; } REGISTER(k)",
     "a kernel's parameter is a float of another size: write double for a schema's float"),
    ("Tensor k(const Tensor& x, const char* mode) { return x; } REGISTER(k)",
     "a kernel's parameter is a text of C: write std::string_view for a schema's str"),
    ("Tensor k(const Tensor* x) { return *x; } REGISTER(k)",
     "a kernel's parameter is a pointer: write const Tensor& for a schema's Tensor"),
    ("Tensor k(const Tensor& x, const int64_t& n) { return x; } REGISTER(k)",
     "a kernel's parameter is a reference to what is passed by value: leave out the &"),
    ("struct Other {}; Tensor k(const Tensor& x, Other o) { return x; } REGISTER(k)",
     "a kernel has a parameter of a type that no schema has: a schema's Tensor is const Tensor&"),
    ("unsigned k(const Tensor& x) { return 1; } REGISTER(k)",
     "a kernel returns an integer of another size: write int64_t for a schema's int"),
    ("long double k(const Tensor& x) { return 1; } REGISTER(k)",
     "a kernel returns a float of another size: write double for a schema's float"),
    ("const Tensor* k(const Tensor& x) { return &x; } REGISTER(k)",
     "a kernel returns a pointer: write Tensor for a schema's Tensor"),
    ("tsc::StaticHandle<Tensor(const std::optional<Tensor>&)> h(\"a::b\", \"\"); auto f() { return h.get(); }",
     "calls pass OptionalTensorRef for a Tensor?"),
]
STRUCTURED = [
    ("struct S { void meta(const Tensor& x) {} void impl(const Tensor& x, const Tensor& out) {} }; DEFINE(S)",
     "a structured operator inherits tsc::MetaBase, or tsc::TensorIteratorBase"),
    ("struct S : tsc::MetaBase { void impl(const Tensor& x, const Tensor& out) {} }; DEFINE(S)",
     "a structured operator needs one member function meta(...)"),
    ("struct S : tsc::MetaBase { void meta(const Tensor& x) {} }; DEFINE(S)",
     "a structured operator needs one member function impl(..., const Tensor& out)"),
    ("struct S : tsc::MetaBase { void meta(const Tensor& x) {} void impl(const Tensor& x, double p, const Tensor& out) {} };"
     " DEFINE(S)",
     "impl of a structured operator takes what meta takes, in the same types, and then const Tensor&"),
    ("struct S : tsc::MetaBase { void meta(const Tensor& x, int64_t n) {} void impl(const Tensor& x, const Tensor& out) {} };"
     " DEFINE(S)",
     "impl of a structured operator takes what meta takes, in the same types, and then const Tensor&"),
    ("struct S : tsc::MetaBase { void meta(const Tensor& x) {} void impl(const Tensor& x) {} }; DEFINE(S)",
     "impl of a structured operator takes what meta takes, in the same types, and then const Tensor&"),
    ("struct S : tsc::MetaBase { void meta(const Tensor& x) {} Tensor impl(const Tensor& x, const Tensor& out) { return x; } };"
     " DEFINE(S)",
     "meta and impl of a structured operator return void"),
    ("struct S : tsc::MetaBase { void meta(std::optional<Tensor> x) {} void impl(std::optional<Tensor> x, const Tensor& out) {}"
     " }; DEFINE(S)",
     "a structured operator takes const Tensor& for a Tensor, OptionalTensorRef for a Tensor?"),
    ("struct S : tsc::MetaBase { void meta(short n) {} void impl(short n, const Tensor& out) {} }; DEFINE(S)",
     "a kernel's parameter is an integer of another size"),
]
LOOPS = [
    ("void f(tsc::TensorIterator& iter) { tsc::cpu_kernel(iter, [](auto x) { return x; }); }",
     "cpu_kernel: the function has to name the types of its elements: write [](float a, float b)"),
    ("void f(tsc::TensorIterator& iter) { tsc::cpu_kernel(iter, [](float x) {}); }",
     "cpu_kernel: the function has to return the element of the output"),
    ("void f(tsc::TensorIterator& iter) { tsc::cpu_kernel_vec(iter, [](float x) { return x; }, [](float x) { return x; }); }",
     "cpu_kernel_vec: the second function takes and returns Vectorized<T>"),
    ("void f(tsc::TensorIterator& iter) {"
     " tsc::cpu_kernel_vec(iter, [](float x, double y) { return x; }, [](auto x, auto y) { return x; }); }",
     "cpu_kernel_vec: all elements have one type"),
]
# Of the functions that a row in the tree asks for: abs and its like have neither formula nor structure here.
IN_TREE = [
    ("TSC_META_FUNC(add_Tensor)(const Tensor& self, const Tensor& other) {}",
     r"no declaration matches .*meta_add_Tensor::meta|does not match any declaration in 'tsc::meta_add_Tensor'"),
    ("TSC_IMPL_FUNC(add_cpu)(const Tensor& self, const Tensor& other, const Scalar& alpha) {}",
     r"no declaration matches .*structured_add_cpu::impl|does not match any declaration in 'tsc::structured_add_cpu'"),
    ("Tensor TSC_IMPL_FUNC(add_cpu)(const Tensor& self) {}", "two or more data types|cannot combine"),
    ("TSC_META_FUNC(add_nothing)(const Tensor& self) {}", "meta_add_nothing.* has not been declared|no member named"),
    ("namespace native { NATIVE_RETURN NATIVE_NAME(const Tensor& self, int with_another_parameter) { return {}; } }",
     "no previous declaration for|no previous prototype for function"),
    ("namespace native { struct Another {}; Another NATIVE_NAME(NATIVE_PARAMETERS) { return {}; } }",
     "ambiguating new declaration|functions that differ only in their return type cannot be overloaded"),
]


def native_function():
    """A plain function that the generator declared: its result, its name and its parameters."""
    text = (PROGRAM.parents[1] / "codegen/gen/ops/binary_native.h").read_text()
    declared = text[text.index("namespace native {"):]
    return re.search(r"^(Tensor) (\w+)\((const Tensor& [^;]*)\);", declared, re.MULTILINE).groups()


class CompileErrors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        done = subprocess.run([PROGRAM, "--cflags"], stdout=subprocess.PIPE, text=True, check=True)
        self.flags = done.stdout.split()

    def check(self, head, slips, namespace=None):
        """Each slip's file is its number, so that what is said of a template names the slip that uses it."""
        text = head
        for number, (slip, _) in enumerate(slips):
            text += f'#line 1 "slip_{number}.cpp"\nnamespace {namespace or f"n{number}"} {{ {slip} }}\n'
        source = self.folder / "slips.cpp"
        source.write_text(text)
        # The folder of a template's slip is said before the message, or behind it.
        flags = ["-fsyntax-only", "-fmax-errors=0"] if "clang" not in COMPILER else ["-fsyntax-only", "-ferror-limit=0"]
        done = subprocess.run([COMPILER, source, *self.flags, *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        self.assertNotEqual(done.returncode, 0)
        diagnostics = re.split(r"\n(?=\S+:(?: In | At |\d+:\d+: (?:fatal )?error: ))", done.stdout)
        for number, (slip, message) in enumerate(slips):
            pattern = re.escape(message) if namespace is None else message
            with self.subTest(slip=slip):
                said = "\n".join(part for part in joined(diagnostics) if f"slip_{number}.cpp" in part)
                self.assertRegex(said, pattern, done.stdout if not said else "")

    def test_kernels(self):
        self.check('#include <tensorscope/library.h>\nusing tsc::Tensor;\n'
                   '#define REGISTER(k) auto kernel = TSC_KERNEL(k);\n', KERNELS)

    def test_structured_operators(self):
        self.check('#include <tensorscope/library.h>\nusing tsc::Tensor;\n'
                   '#define DEFINE(S) void define(tsc::Library& m) { TSC_STRUCTURED(m, S, "s(Tensor x) -> Tensor"); }\n',
                   STRUCTURED)

    def test_loops(self):
        self.check('#include <tensorscope/library.h>\nusing tsc::Tensor;\n', LOOPS)

    def test_functions_of_rows(self):
        returns, name, parameters = native_function()
        slips = [(slip.replace("NATIVE_RETURN", returns).replace("NATIVE_NAME", name)
                  .replace("NATIVE_PARAMETERS", parameters), message) for slip, message in IN_TREE]
        self.check('#include "gen/ops/binary_native.h"\n', slips, namespace="tsc")


def joined(diagnostics):
    """A message with the lines before it that say from where it was reached."""
    parts, before = [], ""
    for part in diagnostics:
        before += part + "\n"
        if re.search(r"error: ", part):
            parts.append(before)
            before = ""
    return parts


if __name__ == "__main__":
    unittest.main()
