"""Writes random programs of registrations and calls, and records what PyTorch answers.

    python3 tests/parity/dispatch/generate.py --out /tmp/programs --count 2000 --seed 7

A file holds several programs behind the helpers of prelude.txt; its text runs unchanged under PyTorch and under
tensorscope. With --record (which needs PyTorch), NAME.expected is what it prints there.
"""

import argparse
import importlib
import os
import random
import sys
import tempfile
from pathlib import Path

PRELUDE = Path(__file__).parent / "prelude.txt"
PROGRAMS_PER_FILE = 50

# Keys that kernels are registered at, by how often.
KEYS = (["CPU"] * 6 + ["Meta"] * 3 + ["AutogradCPU"] * 4 + ["Autograd"] * 4 + ["AutogradMeta"] * 2
        + ["CompositeImplicitAutograd"] * 5 + ["CompositeExplicitAutograd"] * 4
        + ["CompositeExplicitAutogradNonFunctional"] * 2 + ["BackendSelect"] * 2 + ["ADInplaceOrView"] * 2
        + ["Undefined", "AutogradOther", "SparseCPU", "QuantizedCPU", "CUDA", "AutogradCUDA", "PrivateUse1",
           "TESTING_ONLY_GenericMode", "AutocastCPU", "Conjugate", "Negative", "SparseCsrCPU", "ZeroTensor", ""])
# A kernel there can go on with the keys below it.
PASSING_KEYS = {"AutogradCPU": "AutogradOther", "Autograd": "AutogradOther", "AutogradMeta": "AutogradOther",
                "ADInplaceOrView": "ADInplaceOrView", "BackendSelect": "BackendSelect",
                "TESTING_ONLY_GenericMode": "TESTING_ONLY_GenericMode"}
TENSORS = ["cpu"] * 4 + ["grad"] * 4 + ["meta"] * 2 + ["made"] * 2 + ["conjugated", "negated", "sparse", "quantized"]
GUARDS = [
    "torch._C._AutoDispatchBelowAutograd()",
    "torch._C._AutoDispatchBelowADInplaceOrView()",
    "torch.no_grad()",
    "torch.inference_mode()",
    "torch._C._IncludeDispatchKeyGuard(\"AutocastCPU\")",
    "torch._C._IncludeDispatchKeyGuard(\"Conjugate\")",
    "torch.enable_grad()",
    "torch.autocast(\"cpu\")",
]
EXCLUDED = ["AutogradCPU", "CPU", "ADInplaceOrView", "Conjugate", "AutogradMeta", "Negative"]
# What an operator may have beside its default overload.
OVERLOADS = ["(Tensor x, Tensor y, Tensor z) -> Tensor", "(int n) -> Tensor", "(Tensor[] x) -> Tensor",
             "(Tensor x, *, int k) -> Tensor"]

# Each schema with what makes arguments for it.
SCHEMAS = {
    "(Tensor x) -> Tensor": lambda r: [r.tensor()],
    "(Tensor x, Tensor y) -> Tensor": lambda r: [r.tensor(), r.tensor()],
    "(Tensor? x) -> Tensor": lambda r: [r.tensor_or("None")],
    "(Tensor[] x) -> Tensor": lambda r: [r.tensors()],
    "(Tensor?[] x) -> Tensor": lambda r: [r.optional_tensors()],
    "(Tensor? x, Tensor[] y) -> Tensor": lambda r: [r.tensor_or("None"), r.tensors()],
    "(int n) -> Tensor": lambda r: [r.number()],
    "() -> Tensor": lambda r: [],
    "(Tensor x, int n=3, *, float s=1.5) -> Tensor": lambda r: r.with_defaults(),
    "(Tensor x, int[2] n=[1, 2], str? s=None) -> Tensor": lambda r: r.with_list_defaults(),
    "(Tensor x) -> Tensor[]": lambda r: [r.tensor()],
    "(Tensor x) -> (Tensor, Tensor)": lambda r: [r.tensor()],
    "(Tensor(a!) x) -> Tensor(a!)": lambda r: [r.tensor()],
    "(Tensor(a) x) -> Tensor(a)": lambda r: [r.tensor()],
    "(Tensor x) -> ()": lambda r: [r.tensor()],
    "(Tensor x, Tensor(a!) y) -> Tensor(a!)": lambda r: [r.tensor(), r.tensor()],
    "(Tensor[] x, Tensor? y=None, *, bool b=False) -> Tensor[]": lambda r: r.with_list_of_tensors(),
    "(Tensor x, Device? d=None, ScalarType? t=None) -> Tensor": lambda r: r.with_options(),
}


class Writer:
    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.space = f"p{number}"
        self.lines = []
        self.indent = ""
        self.libraries = {}
        self.names = 0
        self.schemas = {}

    def line(self, text):
        self.lines.append(self.indent + text)

    def pick(self, values):
        return self.random.choice(values)

    def chance(self, probability):
        return self.random.random() < probability

    # --- Arguments

    def tensor(self):
        return self.pick(TENSORS)

    def tensor_or(self, other):
        return other if self.chance(0.3) else self.tensor()

    def tensors(self):
        return "[" + ", ".join(self.tensor() for _ in range(self.random.randrange(3))) + "]"

    def optional_tensors(self):
        return "[" + ", ".join(self.tensor_or("None") for _ in range(self.random.randrange(3))) + "]"

    def number(self):
        return self.pick(["3", "4", "True", "1.5", "\"a\""] if self.chance(0.3) else ["3", "4"])

    def with_defaults(self):
        arguments = [self.tensor()]
        if self.chance(0.5):
            arguments.append(self.pick(["3", "4", "n=3", "n=5", "1.5"]))
        if self.chance(0.4):
            arguments.append(self.pick(["s=1.5", "s=2", "s=2.5", "q=1", "3"]))
        return order(arguments)

    def with_list_defaults(self):
        arguments = [self.tensor()]
        if self.chance(0.6):
            arguments.append(self.pick(["[1, 2]", "(1, 2)", "[3, 4]", "7", "n=[1, 2]", "[1.5]"]))
        if self.chance(0.4):
            arguments.append(self.pick(["s=None", "s=\"a\"", "s=1"]))
        return order(arguments)

    def with_list_of_tensors(self):
        arguments = [self.tensors()]
        if self.chance(0.5):
            arguments.append(self.pick(["None", "cpu", "y=grad", "meta", "3"]))
        if self.chance(0.4):
            arguments.append(self.pick(["b=True", "b=False", "b=1", "True"]))
        return order(arguments)

    def with_options(self):
        arguments = [self.tensor()]
        if self.chance(0.5):
            arguments.append(self.pick(["\"cpu\"", "torch.device(\"meta\")", "None", "d=\"meta\"", "3"]))
        if self.chance(0.4):
            arguments.append(self.pick(["t=torch.float64", "t=None", "torch.int64", "t=\"a\""]))
        return order(arguments)

    # --- Steps

    def new_library(self, kind, key=""):
        name = f"l{self.names}"
        self.names += 1
        self.libraries[name] = kind
        tail = f', "{key}"' if key else ""
        self.line(f'library("{name}", "{self.space}", "{kind}"{tail})')
        return name

    def op(self):
        return self.pick(list(self.schemas))

    def kernel(self, op, key):
        """The kernel's text, and whether it takes a key set."""
        name = f'"{(key or "default")}{self.names}"'
        self.names += 1
        if self.chance(0.08):
            return "fallthrough_kernel", False
        if key in PASSING_KEYS and self.chance(0.5):
            return f'passes({name}, "{self.space}::{op}", "{PASSING_KEYS[key]}")', True
        if key.startswith("Autograd") and self.chance(0.3):
            return f'below({name}, "{self.space}::{op}")', False
        others = [other for other in self.schemas if other != op and self.schemas[other] == "(Tensor x) -> Tensor"]
        if others and self.chance(0.25):
            # Downwards only: a chain of calls ends.
            lower = [other for other in others if other > op]
            if lower:
                return f'calls({name}, "{self.space}::{self.pick(lower)}", {self.tensor()})', False
        if self.schemas[op].endswith(("Tensor[]", "(Tensor, Tensor)", "()")) and self.chance(0.8):
            return f'{self.pick(["pairs", "pairs", "nothing"])}({name})', False
        if "!" in self.schemas[op] and self.chance(0.5):
            return f"writes({name})", False
        # Not a definition: PyTorch then has an internal error, and tensorscope an answer.
        others = [library for library, kind in self.libraries.items() if kind == "IMPL"]
        if others and self.chance(0.03):
            return f'destroys({name}, "{self.pick(others)}")', False
        make = self.pick(["plain"] * 4 + ["same"] * 2 + ["adds"] * 4 + ["keys"] * 3 + ["raises", "wrong", "nothing"]
                         + ["guards"])
        return f"{make}({name})", make == "keys"

    def register(self):
        op = self.op()
        key = self.pick(KEYS)
        if self.chance(0.7) or not self.libraries:
            # One with a key of its own, which its kernels may leave out.
            own = key if self.chance(0.2) else ""
            name = self.new_library("IMPL", own)
            key = self.pick(["", key, "Meta"]) if own else key
        else:
            name = self.pick(list(self.libraries))
        function, with_keyset = self.kernel(op, key)
        tail = ", True" if with_keyset else ""
        if self.chance(0.1):
            tail += ", allow_override=False"
        self.line(f'impl("{name}", "{op}", {function}, "{key}"{tail})')

    def remove(self):
        candidates = [name for name, kind in self.libraries.items() if kind != "DEF" or self.chance(0.1)]
        if candidates:
            name = self.pick(candidates)
            del self.libraries[name]
            self.line(f'destroy("{name}")')

    def call(self):
        op = self.op()
        arguments = SCHEMAS[self.schemas[op]](self)
        self.line(f'call({", ".join([chr(34) + self.space + "::" + op + chr(34)] + arguments)})')

    def call_packet(self):
        """Of whatever overload there is, some with names."""
        op = self.op()
        schema = self.pick([self.schemas[op]] + OVERLOADS)
        arguments = SCHEMAS[self.schemas[op]](self) if schema == self.schemas[op] else self.overload_arguments(schema)
        self.line(f'packet({", ".join([chr(34) + self.space + "::" + op + chr(34)] + arguments)})')

    def overload_arguments(self, schema):
        arguments = [self.tensor() for _ in range(schema.count("Tensor x") + schema.count("Tensor y") + schema.count("z"))]
        if "int n" in schema:
            arguments = [self.pick(["3", "n=3"])]
        elif "Tensor[]" in schema:
            arguments = [self.tensors()]
        elif "k" in schema:
            arguments = [self.pick(["x=", ""]) + self.tensor(), self.pick(["k=1", "k=1.5", "k=True"])]
        return arguments

    def overload(self):
        name = self.new_library("FRAGMENT")
        op = self.op()
        schema = self.pick(OVERLOADS)
        overload = f"{op}.o{self.names}"
        self.line(f'define("{name}", "{overload}{schema}")')
        maker = self.pick(["plain", "same", "raises"])
        self.line(f'impl("{name}", "{overload}", {maker}("{overload}"), "{self.pick(KEYS)}")')
        self.call_packet()
        self.call_packet()

    def switches(self):
        # Only what is put back by switching it off: PyTorch keeps, for one, the backend of a key that was included.
        kind = self.pick(["included", "excluded", "excluded"])
        key = self.pick(["Conjugate", "Negative"] if kind == "included" else
                        ["CPU", "AutogradCPU", "ADInplaceOrView", "Meta"])
        self.line(f'switch("{key}", "{kind}", True)')
        self.call()
        self.line(f'switch("{key}", "{kind}", False)')
        self.call()

    def table(self):
        self.line(f'table("{self.space}::{self.op()}")')

    def redispatch(self):
        op = self.op()
        keys = " | ".join(f'torch._C.DispatchKeySet("{key}")'
                          for key in self.random.sample(["CPU", "AutogradCPU", "ADInplaceOrView"], 2))
        arguments = [argument for argument in SCHEMAS[self.schemas[op]](self) if "=" not in argument]
        self.line(f'redispatch({", ".join([chr(34) + self.space + "::" + op + chr(34), keys] + arguments)})')

    def backward(self):
        op = self.op()
        if self.schemas[op] == "(Tensor x) -> Tensor":
            self.line(f'backward("{self.space}::{op}")')
        else:
            self.call()

    def guarded(self):
        guard = self.pick(GUARDS)
        if self.chance(0.4):
            guard = f'without("{self.pick(EXCLUDED)}")'
        self.line(f"with {guard}:")
        self.indent += "    "
        for _ in range(self.random.randrange(1, 3)):
            self.call()
        if self.chance(0.2):
            self.guarded()
        self.indent = self.indent[4:]

    def outermost(self):
        name = self.new_library("IMPL").replace("l", "g")
        self.lines.pop()
        self.libraries.pop(name.replace("g", "l"))
        key = self.pick(["TESTING_ONLY_GenericMode", "TESTING_ONLY_GenericMode", "CPU"])
        self.line(f'library("{name}", "_", "IMPL")')
        maker = "outermost" if key != "CPU" else "serves"
        self.line(f'fallback("{name}", {maker}("fallback{self.names}"), "{key}")')
        if key == "CPU":
            self.call()
            self.call()
        else:
            self.line(f'with torch._C._IncludeDispatchKeyGuard("{key}"):')
            self.indent = "    "
            self.call()
            self.indent = ""
        self.line(f'destroy("{name}")')
        self.call()

    def write(self):
        self.line(f'program("{self.space}")')
        for name in ["f", "g"][:1 + self.chance(0.4)]:
            self.schemas[name] = self.pick(["(Tensor x) -> Tensor"] * 6 + list(SCHEMAS))
        if self.chance(0.2):
            self.register()
        definition = self.new_library("DEF")
        for name, schema in self.schemas.items():
            self.line(f'define("{definition}", "{name}{schema}")')
        steps = ([self.register] * 8 + [self.call] * 5 + [self.guarded] * 3 + [self.remove] * 3 + [self.redispatch]
                 + [self.outermost] + [self.backward] + [self.call_packet] * 2 + [self.overload, self.switches, self.table])
        self.register()
        for _ in range(self.random.randrange(6, 14)):
            self.pick(steps)()
        self.call()
        self.line(f'kernels("{self.space}::f")')
        self.table()
        while self.libraries and self.chance(0.8):
            self.remove()
            self.call()
        self.line("end()")
        return "\n".join(self.lines) + "\n"


def order(arguments):
    """Named arguments behind the others."""
    return [a for a in arguments if "=" not in a] + [a for a in arguments if "=" in a]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "programs")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="run them under this Python's PyTorch")
    return parser.parse_args()


def run(text):
    """What the program prints, or None where it ends the process."""
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            exec(compile(text, "program", "exec"), {"__name__": "program"})
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return output.read() if status == 0 else None


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.record:
        # Once, for every process that is forked off.
        importlib.import_module("torch")
    prelude = PRELUDE.read_text()
    number = 0
    for file in range((options.count + PROGRAMS_PER_FILE - 1) // PROGRAMS_PER_FILE):
        programs = []
        while len(programs) < min(PROGRAMS_PER_FILE, options.count - file * PROGRAMS_PER_FILE):
            programs.append(Writer(options.seed, number).write())
            number += 1
        if options.record and run(prelude + "\n" + "\n".join(programs)) is None:
            # PyTorch itself ends the process for some; they are left out.
            programs = [program for program in programs if run(prelude + "\n" + program) is not None]
        text = prelude + "\n" + "\n".join(programs)
        path = options.out / f"programs_{file:02}.tsc"
        path.write_text(text)
        if options.record:
            path.with_suffix(".expected").write_text(run(text))


main()
