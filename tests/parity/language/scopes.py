#!/usr/bin/env python3
"""Writes random functions in which variables may have no value yet, or no more, and what CPython prints for each.

    python3 scopes.py                                       # the committed ones, generated/scopes_NN.tsc
    python3 scopes.py --out /tmp/more --count 500 --seed 7  # others, to try an interpreter on

Every few statements bind a name, delete one, leave a block early or raise. What a compiler knows of a name at each place (that
it has a value, may have one, has none) comes from all ways that lead there, and a wrong guess shows in the output.
"""

import argparse
import pathlib
import random
import warnings

import oracle
from statements import indent

warnings.simplefilter("ignore", SyntaxWarning)

NAMES = "abcd"
MOST_OUTPUT = 2_000
MOST_SOURCE = 5_000


class Function:
    """The statements of one function with the parameters a and b, in which c has a value and d may have one."""

    def __init__(self, rng, number):
        self.rng = rng
        self.counters = 0
        self.blocks = 9  # that may still be begun
        self.lines = [f"def function{number}(a, b=2):", "    c = 3", *rng.choice((["    d = 4"], ["    if a > 9:", "        d = 1"]))]
        self.lines += indent(self.block(0, False, 4))
        self.lines += ["    return a, b, c, d", "", ""]

    def name(self):
        return self.rng.choice(NAMES)

    def number(self):
        return str(self.rng.randint(-3, 5))

    # --- Expressions

    def expression(self, depth=0, walrus=True):
        rng = self.rng
        if depth > 2 or rng.random() < 0.35:
            return self.name() if rng.random() < 0.6 else self.number()
        part = lambda: self.expression(depth + 1, walrus)
        kinds = [
            lambda: f"({part()} {rng.choice('+-&|^')} {part()})",
            lambda: f"({part()} {rng.choice(('<', '>', '<=', '==', '!='))} {part()})",
            lambda: f"({part()} {rng.choice(('<', '>=', '==', '!='))} {part()} {rng.choice(('<', '>', '=='))} {part()})",
            lambda: f"({part()} and {part()})",
            lambda: f"({part()} or {part()} {rng.choice(('and', 'or'))} {part()})",
            lambda: f"(not {part()})",
            lambda: f"({part()} if {part()} else {part()})",
            lambda: f"sum([x + {self.number()} for x in range({rng.randint(0, 3)})])",
            lambda: f"len([{part()}, {part()}, *[{part()}] * 2])",
            lambda: f"(lambda {self.name()}={part()}: {self.expression(depth + 1, False)})()",
            lambda: f"max({part()}, {part()})",
            lambda: f"[{part()}, {part()}][{rng.choice(('0', '1', '-1', '2'))}]",
            lambda: f"({part()}, {part()})[{rng.choice(('0', '-1'))}]",
        ]
        if walrus:
            kinds += [lambda: f"({self.name()} := {part()})"] * 3
        return rng.choice(kinds)()

    # --- Statements

    def block(self, depth, in_loop, count=None):
        return [line for _ in range(count or self.rng.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def under(self, header, depth, in_loop):
        return [header] + indent(self.block(depth + 1, in_loop))

    def statement(self, depth, in_loop):
        rng = self.rng
        short = [self.assignment, self.assignment, self.deletion, self.output, self.raising]
        long = [self.condition, self.condition, self.for_loop, self.while_loop, self.handlers, self.handlers, self.inner_function]
        kind = rng.choice(short if depth > 3 or self.blocks <= 0 else short + long)
        if kind in long:
            self.blocks -= 2
            return kind(depth, in_loop)
        if in_loop and rng.random() < 0.1:
            return [rng.choice(("break", "continue"))]
        if rng.random() < 0.03:
            return [f"return {self.expression()}"]
        return [kind()]

    def assignment(self):
        first, second = self.rng.sample(NAMES, 2)
        return self.rng.choice((
            f"{first} = {self.expression()}",
            f"{first} {self.rng.choice(('+=', '-=', '|='))} {self.expression()}",
            f"{first}, {second} = {self.expression()}, {self.expression()}",
            f"{first}, *{second} = [{self.expression()}, {self.expression()}]; {second} = len({second})",
        ))

    def deletion(self):
        return f"del {self.name()}"

    def output(self):
        return f"print({self.expression()}, {self.expression()})"

    def raising(self):
        return self.rng.choice((f"assert {self.expression()}, {self.expression()}", f"raise ValueError({self.expression()})"))

    def condition(self, depth, in_loop):
        lines = self.under(f"if {self.expression()}:", depth, in_loop)
        if self.rng.random() < 0.4:
            lines += self.under(f"elif {self.expression()}:", depth, in_loop)
        if self.rng.random() < 0.5:
            lines += self.under("else:", depth, in_loop)
        return lines

    def end_of_loop(self, depth, in_loop):
        return self.under("else:", depth, in_loop) if self.rng.random() < 0.4 else []

    def for_loop(self, depth, in_loop):
        header = f"for {self.name()} in range({self.rng.randint(0, 4)}):"
        return self.under(header, depth, True) + self.end_of_loop(depth, in_loop)

    def while_loop(self, depth, in_loop):
        self.counters += 1
        counter = f"turn{self.counters}"
        lines = [f"{counter} = 0", f"while {counter} < {self.rng.randint(0, 3)} and {self.expression()}:", f"    {counter} += 1"]
        return lines + indent(self.block(depth + 1, True)) + self.end_of_loop(depth, in_loop)

    def handlers(self, depth, in_loop):
        rng = self.rng
        lines = self.under("try:", depth, in_loop)
        has_handler = rng.random() < 0.7
        if has_handler:
            caught = rng.choice(("NameError", "ValueError", "(IndexError, TypeError)", "AssertionError", "Exception"))
            lines += self.under(f"except {caught}{f' as {self.name()}' if rng.random() < 0.4 else ''}:", depth, in_loop)
            if rng.random() < 0.3:
                lines += self.under("else:", depth, in_loop)
        if not has_handler or rng.random() < 0.4:
            lines += self.under("finally:", depth, in_loop)
        return lines

    def inner_function(self, depth, in_loop):
        rng = self.rng
        self.counters += 1
        own = rng.sample(NAMES, rng.randint(0, 2))
        shared = [name for name in rng.sample(NAMES, 2) if name not in own]
        parameters = ", ".join(f"{name}={self.number()}" for name in own)
        lines = [f"def inner{self.counters}({parameters}):"]
        if shared:
            lines += [f"    nonlocal {', '.join(shared)}"]
        lines += indent(self.block(depth + 1, False) + [f"return {self.expression()}"])
        return lines + [f"print(inner{self.counters}())"]


def program(seed, index):
    rng = random.Random(f"{seed}/{index}")
    lines = [f"# scopes, seed {seed}, number {index}"]
    for number in range(3):
        lines += Function(rng, number).lines
    return "\n".join(lines + [
        f"for function in ({', '.join(f'function{number}' for number in range(3))}):",
        "    for argument in (0, 1, -2):",
        "        try:",
        "            print(function(argument))",
        "        except Exception as error:",
        "            print('!', type(error).__name__, error)",
        "",
    ])


def answer(source):
    """What the program prints, or None where it is not one that the language has."""
    try:
        compile(source, "program.tsc", "exec")
        oracle.run_checked(source, __file__)
    except (Exception, oracle.TooBig):
        return None
    return oracle.run_python(source, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "generated")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    written, index = 0, 0
    while written < arguments.count:
        source = program(arguments.seed, index)
        index += 1
        expected = answer(source) if len(source) <= MOST_SOURCE else None
        if expected is None or len(expected) > MOST_OUTPUT:
            continue
        stem = arguments.out / f"scopes_{written:02d}"
        stem.with_suffix(".tsc").write_text(source, encoding="utf-8")
        stem.with_suffix(".expected").write_text(expected, encoding="utf-8")
        written += 1
    print(f"{written} programs of {index} tried")


if __name__ == "__main__":
    main()
