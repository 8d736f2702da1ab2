"""The rules that keep the project from growing ugly (docs/contributing.md).

Each rule is a function from a Tree to Problems; RULES lists them.
"""

import re

import yaml

from tree import Problem

# --- Layers -------------------------------------------------------------------

# Lowest first. A folder includes itself and what stands before it.
LAYERS = ["core", "dispatch", "ops", "autograd", "keys", "interp", "prompt"]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(tree, name):
    for number, line in tree.lines(name):
        if found := INCLUDE.match(line):
            yield number, found[1], found[2]


def includes_go_one_way(tree):
    for name in tree.sources:
        layer = name.split("/")[1]
        for number, quote, included in includes(tree, name):
            target = included.split("/")[0]
            if quote != '"' or layer not in LAYERS or target not in LAYERS:
                continue
            if LAYERS.index(target) > LAYERS.index(layer):
                yield Problem(name, number, f"{layer}/ lies below {target}/ and cannot include it")


def includes_are_from_the_root(tree):
    """"core/tensor.h", never "../core/tensor.h" or "tensor.h"."""
    for name in tree.sources:
        for number, quote, included in includes(tree, name):
            if quote == '"' and not included.startswith("gen/"):
                if not (tree.root / "src" / included).is_file():
                    yield Problem(name, number, f'no file src/{included}; includes are relative to src/')


# Headers that cost much to parse, and the few files that may include them.
COSTLY = {
    "CLI/": ["src/command_line.cpp"],
    "nlohmann/": ["src/interp/json.cpp", "src/keys/chrome_trace.cpp"],
    "hwy/": ["src/ops/cpu/", "src/ops/ufunc/", "tests/ops/"],
    "histedit.h": ["src/prompt/line_editor.cpp"],
    "iostream": [],  # its static constructors run at start-up
    "regex": [],
}


def costly_headers_stay_in_their_files(tree):
    for name in tree.cpp:
        for number, _, included in includes(tree, name):
            for header, allowed in COSTLY.items():
                if (included == header or header.endswith("/") and included.startswith(header)) and \
                        not any(name.startswith(prefix) for prefix in allowed):
                    where = ", ".join(allowed) or "nowhere"
                    yield Problem(name, number, f"<{included}> may be included in: {where}")


# --- Files --------------------------------------------------------------------

LONGEST = 800


def files_are_short(tree):
    for name in tree.written:
        count = len(tree.text(name).splitlines())
        if count > LONGEST:
            yield Problem(name, count, f"{count} lines; split it by what it is about ({LONGEST} at most)")


def headers_have_pragma_once(tree):
    for name in tree.cpp:
        # A precompiled header is a main file, where GCC refuses the pragma; formulas are
        # included for one kind of value after another.
        if name.endswith(".h") and "/pch/" not in name and "/ufunc/" not in name:
            if "#pragma once\n" not in tree.text(name):
                yield Problem(name, 1, "no #pragma once")


def sources_are_built(tree):
    """A .cpp file that no meson.build names is silently left out."""
    listed = set()
    for build_file in tree.files("**/meson.build"):
        folder = build_file.removesuffix("meson.build")
        for source in re.findall(r"'([^']+\.cpp)'", tree.text(build_file)):
            listed.add(folder + source)
    for name in tree.cpp:
        if name.endswith(".cpp") and name not in listed:
            yield Problem(name, 1, "named by no meson.build")


def text_is_tidy(tree):
    for name in tree.written:
        for number, line in tree.lines(name):
            if line != line.rstrip() or "\t" in line:
                yield Problem(name, number, "tab or blanks at the end of the line")
        if tree.text(name) and not tree.text(name).endswith("\n"):
            yield Problem(name, len(tree.text(name).splitlines()), "no newline at the end")


UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")  # lint: names them


def nothing_is_left_unfinished(tree):
    for name in tree.written:
        for number, line in tree.lines(name):
            if UNFINISHED.search(line) and "lint: names them" not in line:
                yield Problem(name, number, "finish it, or write an issue")


# --- Code ---------------------------------------------------------------------

# Who catches: the VM for a script's `try`, the prompt and main. Elsewhere a
# catch is a cleanup that a destructor should do. Each exception has its reason.
MAY_CATCH = {
    "src/main.cpp": "the last resort",
    "src/command_line.cpp": "what CLI11 throws for help and for errors",
    "src/interp/": "a script's `try`, and errors that the prompt shows",
    "src/autograd/anomaly.cpp": "a warning of an error that is on its way",
    "src/core/parallel.cpp": "carries an error out of a parallel body",
}


def few_places_catch(tree):
    for name in tree.sources:
        if any(name.startswith(prefix) for prefix in MAY_CATCH):
            continue
        for number, line in tree.lines(name):
            if re.search(r"\bcatch\s*\(", line):
                yield Problem(name, number, "only the VM, the prompt and main catch")


# A float formula exists only as vector code, in ops/ufunc/. With libm's beside
# it, a tail and a full vector would differ in the last bit.
LIBM = re.compile(r"\bstd::(exp2?|expm1|log|log2|log10|log1p|sinh?|cosh?|tanh?|asinh?|acosh?|atanh?|"
                  r"atan2|pow|erfc?|l?gamma|tgamma|cbrt|hypot)\s*\(")


def one_arithmetic_path(tree):
    for name in tree.sources:
        if name.startswith("src/ops/cpu/") and "// one path: " not in tree.text(name):
            for number, line in tree.lines(name):
                if LIBM.search(line):
                    yield Problem(name, number, "an elementwise formula belongs in src/ops/ufunc/ "
                                  "(or say why not: `// one path: ...`)")


THROWS = re.compile(r"\b(?:TSC_CHECK\w*|throw_error|throw_\w+_error|warn)\s*\(")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|[^"\']', re.S)
LITERALS = re.compile(r'\s*(?:"(?:[^"\\]|\\.)*"\s*)+', re.S)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
SHORTEST_MESSAGE = 16  # letters; what is shorter may well stand in two places


def arguments(text, start):
    """The arguments of a call whose opening bracket ends at `start`."""
    depth, found = 0, [""]
    for token in TOKEN.finditer(text, start):
        piece = token[0]
        if piece in "([{":
            depth += 1
        elif piece in ")]}":
            depth -= 1
            if depth < 0:
                break
        if piece == "," and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return found


def messages(text):
    """(line number, message) of each check and throw with a message of its own."""
    for call in THROWS.finditer(text):
        for argument in arguments(text, call.end()):
            if LITERALS.fullmatch(argument):
                message = "".join(LITERAL.findall(argument))
                if len(message) >= SHORTEST_MESSAGE:
                    yield text.count("\n", 0, call.start()) + 1, message
                break


def one_function_a_message(tree):
    """The same message thrown in two places wants a function of its own.

    repeated_messages.txt lists those that are known to be repeated, and may only get shorter.
    """
    first = {}
    known = set()
    if (tree.root / "tests/lint/repeated_messages.txt").exists():
        known = set(tree.text("tests/lint/repeated_messages.txt").splitlines())
    repeated = set()
    for name in tree.sources:
        for number, message in messages(tree.text(name)):
            if message in first:
                repeated.add(message)
            if message in first and message not in known:
                yield Problem(name, number, f"{message!r} is also thrown at {first[message]}; "
                              "write one function that both call")
            else:
                first.setdefault(message, f"{name}:{number}")
    for message in sorted(known - repeated):
        yield Problem("tests/lint/repeated_messages.txt", 1, f"{message!r} is not repeated any more; take it out")


# --- Tables -------------------------------------------------------------------


class UniqueKeys(yaml.SafeLoader):
    """A loader that refuses a mapping with a key twice (YAML keeps the last)."""

    def construct_mapping(self, node, deep=False):
        seen = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key!r} is also on line {seen[key]}", key_node.start_mark)
            seen[key] = key_node.start_mark.line + 1
        return super().construct_mapping(node, deep)


def yaml_is_read(tree):
    for name in tree.files("src/**/*.yaml"):
        try:
            yaml.load(tree.text(name), UniqueKeys)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            yield Problem(name, mark.line + 1 if mark else 1, str(getattr(error, "problem", error)))


ROW = re.compile(r"\s*-\s*(?:func|name):\s*([\w.:]+)")


def one_row_a_name(tree):
    """An operator is declared once, and differentiated once."""
    for folder in ("src/ops", "src/autograd"):
        first = {}
        for name in tree.files(f"{folder}/**/*.yaml"):
            for number, line in tree.lines(name):
                if found := ROW.match(line):
                    row = found[1]
                    if row in first:
                        yield Problem(name, number, f"{row} is also at {first[row]}")
                    first.setdefault(row, f"{name}:{number}")


RULES = [
    includes_go_one_way,
    includes_are_from_the_root,
    costly_headers_stay_in_their_files,
    files_are_short,
    headers_have_pragma_once,
    sources_are_built,
    text_is_tidy,
    nothing_is_left_unfinished,
    few_places_catch,
    one_arithmetic_path,
    one_function_a_message,
    yaml_is_read,
    one_row_a_name,
]
