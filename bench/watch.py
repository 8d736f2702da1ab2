"""`./dev bench watch`: what it costs that calls can be watched, while nobody does.

The instructions of one more call of aten::add.Tensor on 1-element tensors, counted by callgrind in two builds: the one that
everybody has, and one that never asks whether somebody watches (-Droute_events=false). The difference is to be at most 2 %.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "runner"))
import instructions

WANTED = 2  # percent
WAYS = ("boxed_below_autograd", "boxed_no_grad", "boxed_grad", "typed_below_autograd", "typed_no_grad", "typed_grad")


@dataclass
class Build:
    build: Path


def cost(folder, way):
    row = {"command": f"tests/instructions/call_add {way} {{n}}", "n": [100, 1100]}
    return instructions.cost(row, {}, Build(folder))


def main():
    parser = argparse.ArgumentParser(prog="./dev bench watch")
    parser.add_argument("--build", type=Path, required=True, help="with route events")
    parser.add_argument("--without", type=Path, required=True, help="without them")
    options = parser.parse_args()
    print(f"{'instructions of a + b':<26}{'with':>10}{'without':>10}{'watch off costs':>18}")
    for way in WAYS:
        with_events, without = cost(options.build, way), cost(options.without, way)
        percent = 100 * (with_events - without) / without
        mark = "" if percent <= WANTED else f"   above {WANTED} %"
        print(f"{way.replace('_', ' '):<26}{with_events:>10,.0f}{without:>10,.0f}{percent:>16.2f} %{mark}", flush=True)


main()
