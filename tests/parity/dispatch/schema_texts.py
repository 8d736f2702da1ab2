"""Writes random schemas, right and wrong ones, and records what PyTorch's parser makes of them.

    python3 tests/parity/dispatch/schema_texts.py                  # generated/schema_texts.tsc and .expected
    python3 tests/parity/dispatch/schema_texts.py --out /tmp/others --count 5000 --seed 3

A text that is right is printed again; of one that is not, the first lines of the message are, with the place that it shows.
It needs PyTorch.
"""

import argparse
import contextlib
import io
import random
from pathlib import Path

PLAIN = ["Tensor"] * 6 + ["int"] * 4 + ["float", "bool", "str", "Scalar", "SymInt", "ScalarType", "Layout", "Device", "MemoryFormat",
                                        "Generator", "complex", "Any", "Storage", "Stream", "QScheme", "NoneType", "None", "t", "number",
                                        "SymBool", "Capsule", "list", "Quantizer"]
UNKNOWN = ["Tensr", "Dimname", "Number", "String", "T", "List[int]", "double", "int64_t"]
NAMES = ["self", "x", "other", "dim", "out", "keepdim", "n", "alpha", "weight", "index", "lambda", "where", "_y", "a1"]
SETS = ["a", "b", "a|b", "*", "a!", "a! -> a", "a -> *", "a -> b", "a|*", "b! -> b|c"]
NUMBERS = ["0", "1", "2", "-1", "7", "10", "1.5", "-0.5", "1e-5", "1e3", "2.0", ".25", "3.", "100000", "0.1", "1j", "2.5j", "-3j", "1e20"]
WORDS = ["True", "False", "None", "'mean'", '"sum"', "''", "Mean", "long", "float", "contiguous_format", "strided", "cpu", "inf", "a"]
TOKENS = ["(", ")", "[", "]", ",", "*", "...", "->", "-", "?", "!", "=", ":", "::", ".", "x", "Tensor", "3", "'s'", "for", "|", ";", "@", "None",
          "  ", "+", "<=", "**", "$", "==", "\n"]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, items):
        return self.random.choice(items)

    def alias(self):
        return f"({self.pick(SETS)})" if self.chance(20) else ""

    def base(self, depth=0):
        if depth < 2 and self.chance(12):
            inner = lambda: self.type(depth + 1)  # noqa: E731
            return self.pick([lambda: f"Dict({self.pick(['str', 'int'])}, {inner()})", lambda: f"({inner()}, {inner()})",
                              lambda: f"Future({inner()})", lambda: f"RRef({inner()})", lambda: f"Await({inner()})",
                              lambda: "Union(Tensor, int, str)", lambda: "Union(str, bool)", lambda: f"({inner()})"])()
        if self.chance(2):
            return self.pick(UNKNOWN)
        name = self.pick(PLAIN)
        return name + (self.alias() if name in ("Tensor", "int", "t") and depth == 0 else "")

    def type(self, depth=0):
        text = self.base(depth)
        for _ in range(self.pick([0, 0, 0, 0, 1, 1, 2])):
            text += self.pick(["?", "[]", "[]"])
        # An alias set in a list of lists is printed as nobody would write it.
        return text.replace("[]", "") if any(f"({alias})" in text for alias in SETS) else text

    def argument(self):
        text = self.type()
        if self.chance(12):
            text += f"[{self.pick(['1', '2', '3', '0', '2', 'a', '-1'])}]" + ("?" if self.chance(20) else "")
        text += f" {self.pick(NAMES)}"
        if self.chance(35):
            text += "=" + self.default(text)
        return text

    def default(self, text):
        if self.chance(75):
            if "?" in text:
                return self.pick(["None", "None", "1", "True", "1.5"])
            if "[" in text:
                count = self.pick([0, 1, 2, 2, 3])
                one = self.pick(["1", "0", "2"])
                items = [self.pick([one, "1", "1.5", "True", "1j"]) if self.chance(15) else one for _ in range(count)]
                return self.pick([f"[{', '.join(items)}]", f"[{','.join(items)}]", one])
            for kind, values in {"Tensor": ["None"], "int": ["1", "-1", "0"], "float": ["1", "0.5", "1e-5"], "bool": ["True", "False"],
                                 "str": ["'a'", '"mean"', "'it\\'s'"], "Device": ["'cpu'", "'cuda:1'"], "Scalar": ["1", "2.5"]}.items():
                if text.startswith(kind):
                    return self.pick(values)
        return self.pick(NUMBERS + WORDS)

    def schema(self):
        name = self.pick(["f", "aten::add", "my_op", "ns::op_", "g.out", "ns::h.Tensor", "f.default", "f.__x", "a::b::c"] if self.chance(20)
                         else ["f", "aten::add.out", "demo::op"])
        arguments = [self.argument() for _ in range(self.pick([0, 1, 1, 2, 2, 3]))]
        # Positional ones without a default come first.
        arguments.sort(key=lambda text: "=" in text)
        if self.chance(25):
            arguments.insert(self.random.randint(0, len(arguments)), "*")
        if self.chance(8):
            arguments.insert(len(arguments) if self.chance(80) else 0, "...")
        returns = [self.type() + (f" {self.pick(NAMES)}" if self.chance(20) else "") for _ in range(self.pick([0, 1, 1, 1, 2]))]
        given = returns[0] if len(returns) == 1 and self.chance(85) else f"({', '.join(returns)})"
        if self.chance(4):
            given = self.pick(["...", "(Tensor, ...)", "(..., Tensor)", "(...)"])
        text = f"{name}({', '.join(arguments)}) -> {given}"
        return self.broken(text) if self.chance(35) else text

    def broken(self, text):
        at = self.random.randint(0, len(text) - 1)
        return self.pick([lambda: text[:at] + text[at + 1:], lambda: text[:at] + self.pick(TOKENS) + text[at:],
                          lambda: text[:at] + self.pick(TOKENS) + text[at + 1:], lambda: text[:at]])()


HEAD = '''# Written by schema_texts.py: schemas, and what is said of those that are wrong.
import torch


def show(text):
    try:
        print(torch._C.parse_schema(text))
    except Exception as error:
        # What fails in PyTorch itself says so before its message.
        lines = str(error).rpartition("please report a bug to PyTorch. ")[2].strip("\\n").split("\\n")
        print("  |".join(lines[:3]))


'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "generated")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    writer = Writer(options.seed)
    texts = list(dict.fromkeys(writer.schema() for _ in range(options.count)))
    # What PyTorch prints for it depends on what it has parsed before.
    texts = [text for text in texts if "Scalar?" not in text]
    program = HEAD + "".join(f"show({text!r})\n" for text in texts)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "program", "exec"), {"__name__": "program"})
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "schema_texts.tsc").write_text(program)
    (options.out / "schema_texts.expected").write_text(printed.getvalue())


if __name__ == "__main__":
    main()
