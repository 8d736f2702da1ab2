"""Random schemas, and random arguments for them: mostly right ones."""

import random

TENSORS = ["cpu"] * 4 + ["grad"] * 4 + ["meta"] * 2 + ["made"] * 2 + ["conjugated", "negated", "sparse", "quantized"]

# What an operator may have beside its default overload.
OVERLOADS = ["(Tensor x, Tensor y, Tensor z) -> Tensor", "(int n) -> Tensor", "(Tensor[] x) -> Tensor",
             "(Tensor x, *, int k) -> Tensor"]

# What makes each argument: a method of Arguments, or a probability and what to take one of.
SCHEMAS = {
    "(Tensor x) -> Tensor": ["tensor"],
    "(Tensor x, Tensor y) -> Tensor": ["tensor", "tensor"],
    "(Tensor? x) -> Tensor": ["optional_tensor"],
    "(Tensor[] x) -> Tensor": ["tensors"],
    "(Tensor?[] x) -> Tensor": ["optional_tensors"],
    "(Tensor? x, Tensor[] y) -> Tensor": ["optional_tensor", "tensors"],
    "(int n) -> Tensor": ["number"],
    "() -> Tensor": [],
    "(Tensor x, int n=3, *, float s=1.5) -> Tensor":
        ["tensor", (0.5, ["3", "4", "n=3", "n=5", "1.5"]), (0.4, ["s=1.5", "s=2", "s=2.5", "q=1", "3"])],
    "(Tensor x, int[2] n=[1, 2], str? s=None) -> Tensor":
        ["tensor", (0.6, ["[1, 2]", "(1, 2)", "[3, 4]", "7", "n=[1, 2]", "[1.5]"]),
         (0.4, ["s=None", "s=\"a\"", "s=1"])],
    "(Tensor x) -> Tensor[]": ["tensor"],
    "(Tensor x) -> (Tensor, Tensor)": ["tensor"],
    "(Tensor(a!) x) -> Tensor(a!)": ["tensor"],
    "(Tensor(a) x) -> Tensor(a)": ["tensor"],
    "(Tensor x) -> ()": ["tensor"],
    "(Tensor x, Tensor(a!) y) -> Tensor(a!)": ["tensor", "tensor"],
    "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)": ["tensor", "out"],
    "(Tensor(a!)[] x) -> ()": ["tensors"],
    "(Tensor(a!) x) -> ()": ["settled_tensor"],
    "(Tensor(a)[] x) -> Tensor(a)[]": ["tensors"],
    "(Tensor[] x, Tensor? y=None, *, bool b=False) -> Tensor[]":
        ["tensors", (0.5, ["None", "cpu", "y=grad", "meta", "3"]), (0.4, ["b=True", "b=False", "b=1", "True"])],
    "(Tensor x, Device? d=None, ScalarType? t=None) -> Tensor":
        ["tensor", (0.5, ["\"cpu\"", "torch.device(\"meta\")", "None", "d=\"meta\"", "3"]),
         (0.4, ["t=torch.float64", "t=None", "torch.int64", "t=\"a\""])],
    "(Tensor x, Scalar a=1, Scalar? b=None) -> Tensor":
        ["tensor", (0.6, ["1", "2", "2.5", "True", "None", "a=1"]), (0.4, ["b=None", "b=2", "b=\"a\""])],
    "(Tensor x, float[] f=[], bool[2]? b=None) -> Tensor":
        ["tensor", (0.6, ["[1.0]", "[1, 2.5]", "[]", "3", "(True,)"]), (0.4, ["b=None", "b=[True, False]", "b=True"])],
    "(Tensor? x=None, *, Tensor? y=None) -> Tensor":
        [(0.6, ["cpu", "grad", "meta", "None", "3"]), (0.6, ["y=cpu", "y=grad", "y=None", "y=negated", "y=sparse"])],
    "(int[] n, str s, bool b=True) -> int": ["numbers", "text", (0.3, ["True", "False", "b=False"])],
    "(Tensor x) -> (Tensor, int, float, bool)": ["tensor"],
}


class Arguments:
    """A source of random choices, and of arguments as text."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, values):
        return self.random.choice(values)

    def chance(self, probability):
        return self.random.random() < probability

    def tensor(self):
        return self.pick(TENSORS)

    def settled_tensor(self):
        """One without waiting signs: PyTorch looks for what an operator that returns nothing has returned."""
        return self.pick(["cpu", "grad", "meta", "made"])

    def optional_tensor(self):
        return "None" if self.chance(0.3) else self.tensor()

    def tensors(self):
        return "[" + ", ".join(self.tensor() for _ in range(self.random.randrange(3))) + "]"

    def optional_tensors(self):
        return "[" + ", ".join(self.optional_tensor() for _ in range(self.random.randrange(3))) + "]"

    def out(self):
        return "out=" + self.tensor()

    def number(self):
        return self.pick(["3", "4", "True", "1.5", "\"a\""] if self.chance(0.3) else ["3", "4"])

    def numbers(self):
        return self.pick(["[1, 2]", "(3,)", "[]", "[1.5]", "2"])

    def text(self):
        return self.pick(["\"a\"", "\"\"", "s=\"b\"", "3"] if self.chance(0.3) else ["\"a\""])

    def arguments(self, schema):
        """For one of SCHEMAS."""
        made = []
        for slot in SCHEMAS[schema]:
            if isinstance(slot, str):
                made.append(getattr(self, slot)())
            elif self.chance(slot[0]):
                made.append(self.pick(slot[1]))
        return order(made)

    def overload_arguments(self, schema):
        """For one of OVERLOADS."""
        if "int n" in schema:
            return [self.pick(["3", "n=3"])]
        if "Tensor[]" in schema:
            return [self.tensors()]
        if "k" in schema:
            return [self.pick(["x=", ""]) + self.tensor(), self.pick(["k=1", "k=1.5", "k=True"])]
        return [self.tensor() for _ in range(3)]


def order(arguments):
    """Named arguments behind the others."""
    return [a for a in arguments if "=" not in a] + [a for a in arguments if "=" in a]
