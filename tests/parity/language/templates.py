"""Programs with holes.

A template is a program text. `«expression»` is replaced by the value of a Python expression, and `«« statements »»` (in one
line, or as a block between lines of their own) runs statements first; both see `r`, the program's
random.Random, and `ints(low, high, least, most)`, a random list.
"""

import pathlib
import random
import re

FOLDER = pathlib.Path(__file__).parent / "templates"


def names():
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def fill(name, rng: random.Random):
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    values = {"r": rng, "ints": lambda low=-20, high=20, least=3, most=9: [rng.randint(low, high) for _ in range(rng.randint(least, most))]}

    def prepare(match):
        exec(match.group(1).strip(" "), values)
        return ""

    text = re.sub(r"««(.*?)»»\n", prepare, text, flags=re.S)
    text = re.sub(r"«(.*?)»", lambda match: str(eval(match.group(1), values)), text, flags=re.S)
    return text.rstrip("\n").split("\n")
