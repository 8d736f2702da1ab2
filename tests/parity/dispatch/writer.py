"""One random program: registrations, calls of all kinds under guards, and removals."""

from arguments import OVERLOADS, SCHEMAS, TENSORS, Arguments

# Keys that kernels are registered at, by how often.
KEYS = (["CPU"] * 6 + ["Meta"] * 3 + ["AutogradCPU"] * 4 + ["Autograd"] * 4 + ["AutogradMeta"] * 2
        + ["CompositeImplicitAutograd"] * 5 + ["CompositeExplicitAutograd"] * 4
        + ["CompositeExplicitAutogradNonFunctional"] * 2 + ["BackendSelect"] * 2 + ["ADInplaceOrView"] * 2
        + ["Undefined", "AutogradOther", "SparseCPU", "QuantizedCPU", "CUDA", "AutogradCUDA", "PrivateUse1",
           "TESTING_ONLY_GenericMode", "AutocastCPU", "Conjugate", "Negative", "SparseCsrCPU", "ZeroTensor", "",
           "AutogradPrivateUse1", "SparseMeta", "SparseCUDA", "PrivateUse2", "Functionalize",
           "AutocastCUDA"])
# A kernel there can go on with the keys below it.
PASSING_KEYS = {"AutogradCPU": "AutogradOther", "Autograd": "AutogradOther", "AutogradMeta": "AutogradOther",
                "ADInplaceOrView": "ADInplaceOrView", "BackendSelect": "BackendSelect", "Conjugate": "Conjugate",
                "Negative": "Negative", "AutocastCPU": "AutocastCPU", "AutogradOther": "AutogradOther",
                "TESTING_ONLY_GenericMode": "TESTING_ONLY_GenericMode"}
GUARDS = [
    "torch._C._AutoDispatchBelowAutograd()",
    "torch._C._AutoDispatchBelowADInplaceOrView()",
    "torch.no_grad()",
    "torch.inference_mode()",
    "torch.inference_mode(False)",
    "torch._C._IncludeDispatchKeyGuard(\"AutocastCPU\")",
    "torch._C._IncludeDispatchKeyGuard(\"Conjugate\")",
    "torch._C._IncludeDispatchKeyGuard(\"Negative\")",
    "torch.enable_grad()",
    "torch.autocast(\"cpu\")",
    "torch.autocast(\"cpu\", enabled=False)",
]
EXCLUDED = ["AutogradCPU", "CPU", "ADInplaceOrView", "Conjugate", "AutogradMeta", "Negative"]
MASKS = ["CPU", "CPU", "AutogradCPU", "AutogradCPU", "ADInplaceOrView", "Meta", "AutogradMeta", "SparseCPU",
         "BackendSelect", "Conjugate", "Negative", "QuantizedCPU"]
# Operators of PyTorch that have one kernel for each key there as here, and how scripts write them.
STANDARD = {"sin": "torch.sin(x)", "exp": "x.exp()", "cos": "x.cos()", "add.Tensor": "x + x",
            "mul.Tensor": "x * x", "log": "torch.log(x)", "reciprocal": "x.reciprocal()"}
STANDARD_KEYS = ["CPU", "CPU", "AutogradCPU", "AutogradCPU", "Meta", "ADInplaceOrView", "Conjugate", "Negative"]
UNARY = "(Tensor x) -> Tensor"


class Writer(Arguments):
    def __init__(self, seed, number):
        super().__init__(f"{seed}/{number}")
        self.space = f"p{number}"
        self.lines = []
        self.indent = ""
        self.libraries = {}
        self.names = 0
        self.schemas = {}
        self.overloads = []

    def line(self, text):
        self.lines.append(self.indent + text)

    def step(self, function, *arguments):
        self.line(f"{function}({', '.join(arguments)})")

    def op(self):
        return self.pick(list(self.schemas))

    def name(self, start):
        """Of a kernel: its place, and a number of its own."""
        self.names += 1
        return quoted(f"{start}{self.names - 1}")

    def new_library(self, kind, key="", space=None, prefix="l"):
        name = f"{prefix}{self.names}"
        self.names += 1
        self.libraries[name] = kind
        self.step("library", *map(quoted, [name, space or self.space, kind] + [key] * bool(key)))
        return name

    # --- Kernels

    def kernel(self, op, key):
        """The kernel's text, and whether it takes a key set."""
        name = self.name(key or "default")
        if self.chance(0.08):
            return "fallthrough_kernel", False
        if key in PASSING_KEYS and self.chance(0.5):
            return f"passes({name}, {quoted(op)}, {quoted(PASSING_KEYS[key])})", True
        if key in PASSING_KEYS and key != "Autograd" and self.chance(0.1):
            return f"masks({name}, {quoted(op)}, {quoted(key)})", True
        if key.startswith("Autograd") and self.chance(0.3):
            return f"below({name}, {quoted(op)})", False
        if key in ("CPU", "Meta", "Conjugate", "Negative", "SparseCPU", "ADInplaceOrView") and self.chance(0.15):
            return f"inside({name}, {quoted(op)}, {quoted(key)})", False
        return self.calling_kernel(op, name) or self.fitting_kernel(op, name) or self.simple_kernel(name)

    def calling_kernel(self, op, name):
        # Downwards only: a chain of calls ends.
        lower = [other for other in self.schemas if self.schemas[other] == UNARY and other > op]
        if lower and self.chance(0.3):
            return f"{self.pick(['calls', 'calls', 'catches'])}({name}, {quoted(self.pick(lower))}, {self.tensor()})", False
        return None

    def fitting_kernel(self, op, name):
        """One whose effect or result is what the schema says."""
        schema = self.schemas[op]
        if schema.endswith(("Tensor[]", "Tensor(a)[]", "(Tensor, Tensor)", "()")) and self.chance(0.8):
            return f'{self.pick(["pairs", "pairs", "nothing"])}({name})', False
        if schema.endswith(("int", "bool)")) and self.chance(0.8):
            return f'{"counts" if schema.endswith("int") else "mixes"}({name})', False
        if "!" in schema and self.chance(0.5):
            return f"writes({name})", False
        if "(a)" in schema and self.chance(0.5):
            return f"views({name})", False
        # Not a definition: PyTorch then has an internal error, and tensorscope an answer.
        others = [library for library, kind in self.libraries.items() if kind == "IMPL"]
        if others and self.chance(0.03):
            return f"destroys({name}, {quoted(self.pick(others))})", False
        if others and self.chance(0.03):
            return f"registers({name}, {quoted(self.pick(others))}, {quoted(op)}, {quoted(self.pick(KEYS[:16]))})", False
        return None

    def simple_kernel(self, name):
        make = self.pick(["plain"] * 4 + ["same"] * 2 + ["adds"] * 4 + ["keys"] * 3
                         + ["raises", "wrong", "nothing", "guards", "unary", "states", "chains", "like"])
        return f"{make}({name})", make == "keys"

    # --- Registrations

    def register(self):
        op = self.op()
        key = self.pick(KEYS)
        if self.chance(0.7) or not self.libraries:
            # One with a key of its own, which its kernels may leave out.
            own = key if self.chance(0.2) else ""
            name = self.new_library("IMPL", own, space_of(op))
            key = self.pick(["", key, "Meta", "Undefined"]) if own else key
        else:
            name = self.pick(list(self.libraries))
        function, with_keyset = self.kernel(op, key)
        # As it stands in the library's namespace, or in full.
        target = op if self.chance(0.1) else op.split("::")[1]
        options = ["True" if with_keyset else "False"] + (["allow_override=False"] if self.chance(0.2) else [])
        self.step("impl", quoted(name), quoted(target), function, quoted(key), *options)
        if self.chance(0.05):
            self.step("impl", quoted(name), quoted(target), function, quoted(key), *options)

    def remove(self):
        candidates = [name for name, kind in self.libraries.items() if kind != "DEF" or self.chance(0.1)]
        if candidates:
            name = self.pick(candidates)
            del self.libraries[name]
            self.step("destroy", quoted(name))

    def redefine(self):
        """Another schema for the same name: the kernels stay."""
        op = self.op()
        definitions = [name for name, kind in self.libraries.items() if kind == "DEF"]
        for name in definitions:
            del self.libraries[name]
            self.step("destroy", quoted(name))
        self.call()
        self.schemas[op] = self.pick(list(SCHEMAS))
        for space in sorted({space_of(name) for name in self.schemas}):
            self.define_all(space)
        self.call()

    def define_all(self, space):
        definition = self.new_library("DEF", space=space)
        for name, schema in self.schemas.items():
            if space_of(name) == space:
                self.step("define", quoted(definition), quoted(name.split("::")[1] + schema))

    def overload(self):
        op = self.op()
        name = self.new_library("FRAGMENT", space=space_of(op))
        # Each schema once: PyTorch takes overloads of the same one for each other when one is removed.
        schema = self.pick([schema for schema in OVERLOADS if schema not in self.overloads] or OVERLOADS[:1])
        self.overloads.append(schema)
        overload = f"{op.split('::')[1]}.o{self.names}"
        self.step("define", quoted(name), quoted(overload + schema))
        maker = self.pick(["plain", "same", "raises"])
        self.step("impl", quoted(name), quoted(overload), f"{maker}({quoted(overload)})", quoted(self.pick(KEYS)))
        self.call_packet()
        self.call_packet()

    def mistake(self):
        """What is refused, or does nothing."""
        if not self.libraries:
            return self.call()
        name = quoted(self.pick(list(self.libraries)))
        op = quoted(self.op().split("::")[1])
        function = f"plain({self.name('mistake')})"
        self.line(self.pick([
            f'library("m", {quoted(self.space)}, "DEF")',
            f'library("m", {quoted(self.space)}, {quoted(self.pick(["OTHER", "def", ""]))})',
            f'library("m", {quoted(self.space)}, "IMPL", "Nowhere")',
            f'define({name}, {quoted(self.op().split("::")[1] + self.pick(list(SCHEMAS)))})',
            f'define({name}, {quoted(self.pick(["other::f", "f", "f(Tensor) -> Tensor", "f(Tensor x", ""]))})',
            f'impl({name}, {op}, {self.pick(["3", "None", "cpu"])}, "CPU")',
            f'impl({name}, {op}, {function}, {quoted(self.pick(["Nowhere", "cpu"]))})',
            f'impl({name}, {quoted(self.pick(["other::f", "nothing", "nothing.f"]))}, {function}, "CPU")',
            f'impl({name}, {quoted(self.pick(["nothing", "nothing.f"]))}, {function}, "Meta")',
            f'fallback({name}, {function}, {quoted(self.pick(["CPU", "", "Nowhere"]))})',
            f'unregistered({name}, {op}, {function}, {quoted(self.pick(["CPU", "Meta", "Undefined"]))})',
        ]))
        return None

    # --- Calls

    def call(self):
        op = self.op()
        self.step("call", quoted(op), *self.arguments(self.schemas[op]))

    def call_packet(self):
        """Of whatever overload there is, some with names."""
        op = self.op()
        schema = self.pick([self.schemas[op]] + OVERLOADS)
        is_own = schema == self.schemas[op]
        self.step("packet", quoted(op), *(self.arguments(schema) if is_own else self.overload_arguments(schema)))

    def redispatch(self):
        op = self.op()
        keys = " | ".join(f"torch._C.DispatchKeySet({quoted(key)})"
                          for key in self.random.sample(MASKS, self.random.randrange(1, 4)))
        arguments = [argument for argument in self.arguments(self.schemas[op]) if "=" not in argument]
        self.step("redispatch", quoted(op), keys, *arguments)

    def backward(self):
        unary = [op for op, schema in self.schemas.items() if schema == UNARY]
        if unary:
            self.step("backward", quoted(self.pick(unary)))
        else:
            self.call()

    def guarded(self):
        guard = self.pick(GUARDS)
        if self.chance(0.4):
            guard = f"without({', '.join(map(quoted, self.random.sample(EXCLUDED, self.random.randrange(1, 3))))})"
        self.line(f"with {guard}:")
        self.indent += "    "
        for _ in range(self.random.randrange(1, 3)):
            self.pick([self.call] * 6 + [self.redispatch, self.register, self.remove])()
        if self.chance(0.3):
            self.guarded()
        self.indent = self.indent[4:]

    def switches(self):
        # Only what is put back by switching it off: PyTorch keeps, for one, the backend of a key that was included.
        kind = self.pick(["included", "excluded", "excluded"])
        key = self.pick(["Conjugate", "Negative"] if kind == "included" else
                        ["CPU", "AutogradCPU", "ADInplaceOrView", "Meta"])
        self.step("switch", quoted(key), quoted(kind), "True")
        self.call()
        self.step("switch", quoted(key), quoted(kind), "False")
        self.call()

    def outermost(self):
        """A fallback for every operator."""
        name = self.new_library("IMPL", space="_", prefix="g")
        del self.libraries[name]
        key = self.pick(["TESTING_ONLY_GenericMode", "TESTING_ONLY_GenericMode", "CPU", "Autograd", "Negative"])
        with_keyset = key == "TESTING_ONLY_GenericMode" and self.chance(0.4)
        maker = "serves" if key != "TESTING_ONLY_GenericMode" else "outermost_with_keys" if with_keyset else "outermost"
        self.step("fallback", quoted(name), f"{maker}({self.name('fallback')})", quoted(key), str(with_keyset))
        if key == "TESTING_ONLY_GenericMode":
            self.line(f"with torch._C._IncludeDispatchKeyGuard({quoted(key)}):")
            self.indent += "    "
            self.call()
            self.indent = self.indent[4:]
        else:
            self.call()
            self.call()
        self.step("destroy", quoted(name))
        self.call()

    def standard(self):
        """A kernel in the place of one of PyTorch's own."""
        name = self.new_library("IMPL", space="aten", prefix="a")
        del self.libraries[name]
        op = self.pick(list(STANDARD))
        key = self.pick(STANDARD_KEYS)
        # Nothing that calls an operator whose kernel this may be.
        kernel, with_keyset = f"{self.pick(['plain', 'same', 'raises', 'wrong'])}({self.name(key)})", False
        if key in PASSING_KEYS and self.chance(0.6):
            kernel, with_keyset = f"passes({self.name(key)}, \"aten::{op}\", {quoted(PASSING_KEYS[key])})", True
        self.step("impl", quoted(name), quoted(op), kernel, quoted(key), str(with_keyset))
        for _ in range(self.random.randrange(1, 4)):
            self.expression(STANDARD[op])
        self.call()
        self.step("destroy", quoted(name))
        self.expression(STANDARD[op])

    def expression(self, text):
        # What a kernel for sparse tensors calls itself is its own matter.
        tensors = [tensor for tensor in TENSORS if tensor != "sparse"]
        self.step("expression", quoted(text), f"lambda x: {text}", self.pick(tensors))

    def custom(self):
        """An operator from a function, which its decorators extend."""
        op = quoted(f"{self.space}::c{self.names}")
        schema = self.pick([UNARY] * 3 + [
            "(Tensor x, Tensor y) -> Tensor", "(Tensor[] x) -> Tensor", "(Tensor? x) -> Tensor", "(Tensor x) -> Tensor[]",
            "(Tensor x, int n=3, *, float s=1.5) -> Tensor", "(Tensor(a!) x) -> ()", "(Tensor x) -> (Tensor, Tensor)"])
        make = {"(Tensor x) -> Tensor[]": "pairs", "(Tensor x) -> (Tensor, Tensor)": "pairs", "(Tensor(a!) x) -> ()": "nothing"}
        maker = make.get(schema) or self.pick(["plain", "adds", "raises", "chains", "like"] + ["same"] * (schema == UNARY))
        self.step("custom", op, quoted(schema), f"{maker}({self.name('custom')})",
                  *(["\"x\""] if "!" in schema else []))
        steps = {
            "kernel": lambda: self.step("kernel_for", op, quoted(self.pick(["cpu", "meta", "cuda", "nowhere"])),
                                        f"{make.get(schema) or 'like'}({self.name('device')})"),
            "fake": lambda: self.step("fake", op, f"{make.get(schema) or 'like'}({self.name('fake')})"),
            "autograd": lambda: self.step("differentiable", op, self.name("backward")),
            "key": lambda: self.step("impl_by_name", op, quoted(self.pick(KEYS[:24])),
                                     f"{make.get(schema) or 'plain'}({self.name('impl')})"),
            "backward": lambda: self.step("backward", op) if schema == UNARY else None,
        }
        for _ in range(self.random.randrange(2, 7)):
            if self.chance(0.5):
                self.step("call", op, *self.arguments(schema))
            else:
                steps[self.pick(list(steps))]()

    # --- The program

    def table(self):
        self.step(self.pick(["table", "table", "kernels"]), quoted(self.op()))

    def define_operators(self):
        spaces = [self.space] * 3 + ([f"{self.space}other"] if self.chance(0.25) else [])
        for name in ["f", "g", "h"][:self.pick([1, 1, 1, 2, 2, 3])]:
            self.schemas[f"{self.pick(spaces)}::{name}"] = self.pick([UNARY] * 8 + list(SCHEMAS))
        if self.chance(0.2):
            self.register()
        for space in sorted({space_of(name) for name in self.schemas}):
            self.define_all(space)

    def write(self):
        self.step("program", quoted(self.space))
        self.define_operators()
        steps = ([self.register] * 12 + [self.call] * 6 + [self.guarded] * 6 + [self.remove] * 4 + [self.redispatch] * 2
                 + [self.backward] * 2 + [self.call_packet] * 2
                 + [self.outermost, self.overload, self.switches, self.table, self.custom, self.standard, self.mistake])
        self.register()
        for _ in range(self.random.randrange(6, 14)):
            self.pick(steps)()
        if self.chance(0.08):
            self.redefine()
        self.call()
        for op in self.schemas:
            self.step("kernels", quoted(op))
        self.table()
        while self.libraries and self.chance(0.8):
            self.remove()
            self.call()
        self.step("end")
        return "\n".join(self.lines) + "\n"


def quoted(text):
    return f'"{text}"'


def space_of(op):
    return op.split("::")[0]
