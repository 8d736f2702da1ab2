"""The rules that keep the project from growing ugly (docs/contributing.md).

Each rule is a function from a Tree to Problems; RULES lists them.
"""

import ast
import re

import yaml

from tree import Problem

# --- Layers -------------------------------------------------------------------

# Lowest first. A folder includes itself and what stands before it.
LAYERS = ["core", "dispatch", "ops", "autograd", "observe", "graph", "keys", "interp", "prompt"]
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
            if quote == '"' and "cuda" in (layer, target):
                # It sits on ops, and registers what the others call.
                if layer != "cuda":
                    yield Problem(name, number, f"{layer}/ cannot include cuda/, which registers what others call")
                elif target in LAYERS[LAYERS.index("ops") + 1 :]:
                    yield Problem(name, number, f"cuda/ lies below {target}/ and cannot include it")
                continue
            if quote != '"' or layer not in LAYERS or target not in LAYERS:
                continue
            if LAYERS.index(target) > LAYERS.index(layer):
                yield Problem(name, number, f"{layer}/ lies below {target}/ and cannot include it")


# The rooms of interp/, lowest first; "" are the files that stand in none.
INTERP_ROOMS = ["syntax", "runtime", "compiler", "vm", "torch", "", "dispatch", "session"]


def interp_room(path):
    room = path.removeprefix("interp/").split("/")[0]
    return room if room in INTERP_ROOMS else ""


def includes_within_interp_go_one_way(tree):
    for name in tree.sources:
        if not name.startswith("src/interp/"):
            continue
        room = interp_room(name.removeprefix("src/"))
        for number, quote, included in includes(tree, name):
            if quote == '"' and included.startswith("interp/"):
                target = interp_room(included)
                if INTERP_ROOMS.index(target) > INTERP_ROOMS.index(room):
                    yield Problem(name, number, f"interp/{room} lies below interp/{target} and cannot include it")


def includes_are_from_the_root(tree):
    """"core/tensor.h", never "../core/tensor.h" or "tensor.h"."""
    for name in tree.sources:
        for number, quote, included in includes(tree, name):
            if quote == '"' and not included.startswith("gen/"):
                if not (tree.root / "src" / included).is_file():
                    yield Problem(name, number, f'no file src/{included}; includes are relative to src/')


FAMILY_HEADER = re.compile(r"gen/ops/(\w+?)(_native|_direct)?\.h")


def operators_are_included_one_by_one(tree):
    """A family's header changes with each of its rows, so only the family's own files include it."""
    for name in tree.sources:
        included = [(number, FAMILY_HEADER.fullmatch(path)) for number, _, path in includes(tree, name)]
        own = {match[1] for _, match in included if match and match[2]}
        if name.startswith("src/autograd/"):
            own.add(name.rpartition("/")[2].partition(".")[0])
        for number, match in included:
            if match and match[1] not in own and name != "src/tensorscope/library.h":
                yield Problem(name, number, f'"{match[0]}" builds this file again with every row of {match[1]}.yaml; '
                                            'include "gen/calls/NAME.h" of the operators that it calls')


# Headers that cost much to parse, and the few files that may include them.
COSTLY = {
    "CLI/": ["src/command_line.cpp"],
    "nlohmann/": ["src/interp/runtime/text/json.cpp", "src/observe/chrome_trace.cpp"],
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
        text = tree.text(build_file)
        for source in re.findall(r"'([^']+\.cpp)'", text):
            listed.add(folder + source)
        for below, sources in re.findall(r"'([\w/]+)': \[([^]]*)\]", text):
            listed.update(f"src/{below}/{source}" for source in re.findall(r"'([^']+\.cpp)'", sources))
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
    "src/interp/vm/": "a script's `try`",
    "src/interp/interpreter.cpp": "errors of a program, for whoever runs it",
    "src/interp/session/": "errors that the prompt shows",
    "src/interp/dispatch/explanation.cpp": "errors that an explanation shows",
    "src/interp/runtime/objects/exception.cpp": "an exception whose own text fails",
    "src/interp/runtime/objects/gc.cpp": "no memory to collect in",
    "src/interp/torch/graphs/trace_check.cpp": "what a traced program's check found",
    "src/interp/torch/dispatcher/operator_check.cpp": "what each check of an operator found",
    "src/autograd/anomaly.cpp": "a warning of an error that is on its way",
    "src/core/system/parallel.cpp": "carries an error out of a parallel body",
}


def few_places_catch(tree):
    for name in tree.sources:
        if any(name.startswith(prefix) for prefix in MAY_CATCH):
            continue
        for number, line in tree.lines(name):
            if re.search(r"\bcatch\s*\(", line):
                yield Problem(name, number, "only the VM, the prompt and main catch")


# Whether somebody looks on decides who is told of a call, and nothing else.
ASKS_WHO_LOOKS = re.compile(r"\bis_watched\s*\(|[.>]watched\b|\bhas_listener\s*\(")
TELLS_LISTENERS = ("src/core/keys/thread_local_state.h", "src/dispatch/")


def no_kernel_asks_who_looks(tree):
    for name in tree.sources:
        if not name.startswith(TELLS_LISTENERS):
            for number, line in tree.lines(name):
                if ASKS_WHO_LOOKS.search(line):
                    yield Problem(name, number, "no behaviour depends on whether somebody looks on")


# Files are opened in one place, where an explanation refuses those that are written
# (core/system/forked_run.h). The others open what is no person's: the prompt its history.
OPENS = re.compile(r"\b(?:std::)?(?:fopen|freopen|[io]?fstream|dlopen|mkstemp|popen|truncate|creat|mkdir|"
                   r"filesystem::(?:remove|rename|copy|create|resize)\w*)\s*\(|\b(?:open|openat)\([^;]*\bO_|"
                   r"\bstd::[io]?fstream\b|(?<![.>\w:])(?:rename|unlink|rmdir)\([^;]*c_str\(\)")
MAY_OPEN = {
    "src/core/system/file.cpp": "the place",
    "src/core/system/memory_watch.cpp": "the system's files about memory",
    "src/core/system/forked_run.cpp": "what an explanation is kept from",
    "src/cuda/": "the driver, NVRTC, compiled kernels and the emulator, which opens files as they do",
    "src/dispatch/plugin.cpp": "plug-ins, which an explanation does not load",
    "src/ops/cpu/matrix/": "OpenBLAS and LAPACK",
    "src/prompt/": "the prompt's history, settings and pager",
}


def files_are_opened_in_one_place(tree):
    for name in tree.sources:
        if not any(name.startswith(prefix) for prefix in MAY_OPEN):
            for number, line in tree.lines(name):
                if OPENS.search(line):
                    yield Problem(name, number, "files are opened by core/system/file.h, which an explanation can refuse")


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


# --- Lists of operators -------------------------------------------------------

# What is true of an operator stands in its row, where the generator and the dispatcher find it.
# Tables of these types give Python's names to C++ functions and types, which share them with
# operators.
PYTHON_TABLES = {"BuiltinDef", "BuiltinDoc", "AttributeDef", "ModuleConstant", "NamedType"}
FEWEST = 3

OPERATOR_IN_ROW = re.compile(r"\s*-\s*func:\s*\"?([\w.]+)\(")
MADE_IN_ROW = re.compile(r"\s*autogen:\s*\[(.*)\]")
CPP_TOKEN = re.compile(r'//[^\n]*|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)+\'|[{};]')


def operator_names(tree):
    """With and without the overload, the underscore and the namespace: "add_.Tensor", "add_", "add", "aten::add"."""
    names = set()
    for name in tree.files("src/ops/**/*.yaml"):
        for _, line in tree.lines(name):
            if found := OPERATOR_IN_ROW.match(line):
                names.add(found[1])
            elif found := MADE_IN_ROW.match(line):
                names.update(made.strip() for made in found[1].split(","))
    names |= {name.split(".")[0] for name in names}
    names |= {name.removesuffix("_") for name in names}
    return names | {f"aten::{name}" for name in names}


def cpp_lists(text):
    """(line, texts, type) of each braced list, whose inner lists count as its own; the type of its elements, if any."""
    open_lists = []
    for token in CPP_TOKEN.finditer(text):
        if token[0] == "{":
            declared = re.search(r"([\w:]+)\s+\w+\[\w*\]\s*=\s*$", text[max(0, token.start() - 200):token.start()])
            open_lists.append((token.start(), [], declared[1] if declared else ""))
        elif token[0] == ";":
            for _, texts, _ in open_lists:
                texts.append(None)  # a block of statements is no list
        elif token[0] == "}" and open_lists:
            start, texts, element = open_lists.pop()
            if None not in texts:
                yield text.count("\n", 0, start) + 1, texts, element
                if open_lists and not element:
                    open_lists[-1][1].extend(texts)
        elif token[0].startswith('"') and open_lists:
            open_lists[-1][1].append(token[1])


def python_lists(text):
    """(line, texts) of each display, and of each text that holds alternatives."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            elements = node.keys if isinstance(node, ast.Dict) else node.elts
            yield node.lineno, [item.value for item in elements if isinstance(item, ast.Constant)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, re.split(r"[|\s]+", node.value) if "|" in node.value else []


def no_list_of_operators(tree):
    names = operator_names(tree)

    def problem(file, line, texts):
        found = sorted({text for text in texts if text in names})
        if len(found) >= FEWEST:
            return Problem(file, line, f"lists operators ({', '.join(found[:FEWEST])}): say it in their yaml rows")
        return None

    for name in tree.sources:
        for line, texts, element in cpp_lists(tree.text(name)):
            if element not in PYTHON_TABLES and (found := problem(name, line, texts)):
                yield found
    for name in tree.files("codegen/*.py", "codegen/writers/*.py"):
        if name.startswith("codegen/test_"):
            continue
        for line, texts in python_lists(tree.text(name)):
            if found := problem(name, line, texts):
                yield found


INCREMENT = re.compile(r"(?:^\s*(?:\+\+|--)[A-Za-z_][\w.>\[\]-]*;|for \(.*[;,]\s*(?:\+\+|--)[A-Za-z_]\w*[,)])")


def increments_are_postfix(tree):
    """`i++` where the value is not used: one style."""
    for name in tree.cpp:
        for number, line in tree.lines(name):
            if INCREMENT.search(line.split("//")[0]):
                yield Problem(name, number, "write i++ where the value is not used")


RULES = [
    includes_go_one_way,
    includes_within_interp_go_one_way,
    includes_are_from_the_root,
    operators_are_included_one_by_one,
    costly_headers_stay_in_their_files,
    files_are_short,
    headers_have_pragma_once,
    sources_are_built,
    text_is_tidy,
    nothing_is_left_unfinished,
    increments_are_postfix,
    few_places_catch,
    no_kernel_asks_who_looks,
    files_are_opened_in_one_place,
    one_arithmetic_path,
    one_function_a_message,
    yaml_is_read,
    one_row_a_name,
    no_list_of_operators,
]
