#!/usr/bin/env python3
"""Records what PyTorch's profiler says of the programs of this folder, without the rows of left_out.py. Needs PyTorch.

    record.py [PROGRAM...]
"""

import ast
import collections
import contextlib
import dataclasses
import io
import pathlib
import re
import sys

import torch

from left_out import RULES

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Event:
    name: str
    shapes: str
    inner: list = dataclasses.field(default_factory=list)


def read_events(lines):
    """The events of one part, from lines that are indented by their depth."""
    events = []
    open_lists = [events]
    for line in lines:
        indent, name, shapes = re.fullmatch(r"( +)(.*?) (\[.*\])", line).groups()
        del open_lists[len(indent) // 2 :]
        event = Event(name, shapes)
        open_lists[-1].append(event)
        open_lists.append(event.inner)
    return events


def is_left_out(rule, part, inside, event):
    return (
        event.name in rule.rows
        and (not rule.inside or inside in rule.inside)
        and (not rule.parts or part in rule.parts)
    )


def without_left_out(part, inside, events):
    kept = []
    for event in events:
        rule = next((rule for rule in RULES if is_left_out(rule, part, inside, event)), None)
        if rule is None:
            event.inner = without_left_out(part, event.name, event.inner)
            kept.append(event)
        elif rule.keeps_content:
            kept += without_left_out(part, event.name, event.inner)
    return kept


def write_events(events, depth=1):
    return "".join(
        f"{'  ' * depth}{event.name} {event.shapes}\n" + write_events(event.inner, depth + 1) for event in events
    )


def count_events(events, counts):
    for event in events:
        counts[event.name, event.shapes] += 1
        count_events(event.inner, counts)
    return counts


def write_counts(events):
    """The line of counts that `training` prints: of each operator with the same shapes."""
    counts = count_events(events, collections.Counter())
    rows = sorted((name + str(ast.literal_eval(shapes)), name, count) for (name, shapes), count in counts.items())
    return f"{[(name, count) for _, name, count in rows]}\n"


def leave_out(text):
    """What was printed, without the rows of left_out.py."""
    result = ""
    for block in re.split(r"^(?=---)", text, flags=re.MULTILINE):
        if not block:
            continue
        title, *lines = block.splitlines()
        counts = [line for line in lines if line.startswith("[")]
        events = read_events([line for line in lines if not line.startswith("[")])
        kept = without_left_out(title.removeprefix("--- "), "top", events)
        result += f"{title}\n" + write_events(kept) + (write_counts(kept) if counts else "")
    return result


def record(path):
    printed = io.StringIO()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(printed):
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    path.with_suffix(".expected").write_text(leave_out(printed.getvalue()))


def main(names):
    for path in map(pathlib.Path, names) if names else sorted(HERE.glob("*.tsc")):
        record(path)


if __name__ == "__main__":
    main(sys.argv[1:])
