"""Each rule finds what it is for, and nothing in what is right."""

import tempfile
import unittest
from pathlib import Path

import rules
from tree import Tree


def tree(**files):
    """A Tree of the files given; in names, __ is a slash and _D a dot."""
    folder = tempfile.TemporaryDirectory()
    for name, text in files.items():
        path = Path(folder.name, name.replace("__", "/").replace("_D", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = Tree(folder.name)
    made.keep = folder
    return made


class Rules(unittest.TestCase):
    def finds(self, rule, count, **files):
        found = list(rule(tree(**files)))
        self.assertEqual(len(found), count, "\n".join(map(str, found)))

    def test_includes_go_one_way(self):
        rule = rules.includes_go_one_way
        self.finds(rule, 1, src__core__a_Dh='#include "dispatch/b.h"\n')
        self.finds(rule, 0, src__dispatch__a_Dh='#include "core/b.h"\n#include "dispatch/c.h"\n')
        self.finds(rule, 0, src__main_Dcpp='#include "interp/b.h"\n')

    def test_includes_are_from_the_root(self):
        rule = rules.includes_are_from_the_root
        self.finds(rule, 1, src__core__a_Dh='#include "b.h"\n', src__core__b_Dh="")
        self.finds(rule, 0, src__core__a_Dh='#include "core/b.h"\n', src__core__b_Dh="")
        self.finds(rule, 0, src__core__a_Dh='#include "gen/ops/b.h"\n#include <vector>\n')

    def test_operators_are_included_one_by_one(self):
        rule = rules.operators_are_included_one_by_one
        self.finds(rule, 1, src__ops__a_Dcpp='#include "gen/ops/b.h"\n#include "gen/ops/c_native.h"\n')
        self.finds(rule, 0, src__ops__a_Dcpp='#include "gen/ops/b.h"\n#include "gen/ops/b_native.h"\n')
        self.finds(rule, 0, src__autograd__b_Dh='#include "gen/ops/b.h"\n#include "gen/calls/add.h"\n')

    def test_costly_headers(self):
        rule = rules.costly_headers_stay_in_their_files
        self.finds(rule, 1, src__core__a_Dcpp="#include <nlohmann/json.hpp>\n")
        self.finds(rule, 1, src__core__a_Dcpp="#include <iostream>\n")
        self.finds(rule, 0, src__command_line_Dcpp="#include <CLI/CLI.hpp>\n")

    def test_files_are_short(self):
        self.finds(rules.files_are_short, 1, src__core__a_Dcpp="\n" * 801)
        self.finds(rules.files_are_short, 0, src__core__a_Dcpp="\n" * 800)

    def test_pragma_once(self):
        self.finds(rules.headers_have_pragma_once, 1, src__core__a_Dh="int a;\n")
        self.finds(rules.headers_have_pragma_once, 0, src__core__a_Dh="#pragma once\nint a;\n")

    def test_sources_are_built(self):
        build = "core_sources = files(\n  'a.cpp',\n)\n"
        self.finds(rules.sources_are_built, 0, src__core__a_Dcpp="", **{"src__core__meson_Dbuild": build})
        self.finds(rules.sources_are_built, 1, src__core__b_Dcpp="", **{"src__core__meson_Dbuild": build})

    def test_text_is_tidy(self):
        self.finds(rules.text_is_tidy, 1, src__core__a_Dcpp="int a; \n")
        self.finds(rules.text_is_tidy, 1, src__core__a_Dcpp="int a;")
        self.finds(rules.text_is_tidy, 0, src__core__a_Dcpp="int a;\n")

    def test_nothing_is_left_unfinished(self):
        word = "TO" + "DO"
        self.finds(rules.nothing_is_left_unfinished, 1, src__core__a_Dcpp=f"// {word}: more\n")

    def test_few_places_catch(self):
        text = "void f() { try { g(); } catch (...) {} }\n"
        self.finds(rules.few_places_catch, 1, src__core__a_Dcpp=text)
        self.finds(rules.few_places_catch, 0, src__interp__vm__errors_Dcpp=text)
        self.finds(rules.few_places_catch, 1, src__interp__torch__a_Dcpp=text)

    def test_no_kernel_asks_who_looks(self):
        rule = rules.no_kernel_asks_who_looks
        self.finds(rule, 1, src__ops__a_Dcpp="if (!is_watched(tls())) return fast(x);\n")
        self.finds(rule, 2, src__keys__a_Dcpp="return state.watched;\nreturn has_listener();\n")
        self.finds(rule, 0, src__dispatch__a_Dh="if (is_watched(state)) return slow(x);\n")

    def test_files_are_opened_in_one_place(self):
        rule = rules.files_are_opened_in_one_place
        for line in ('std::fopen(path, "w");', "std::ofstream out(path);", "int f = open(path, O_RDWR);",
                     "unlink(path.c_str());", "rename(a.c_str(), b.c_str());", "void* p = dlopen(path, 0);",
                     "std::filesystem::remove(path);"):
            self.finds(rule, 1, src__interp__a_Dcpp=line + "\n")
            self.finds(rule, 0, src__prompt__a_Dcpp=line + "\n")
        for line in ("tensor.rename(names);", 'rename(arguments[0]);', "file.open(path);",
                     "list.erase(std::remove(a, b, c), d);"):
            self.finds(rule, 0, src__interp__a_Dcpp=line + "\n")

    def test_one_arithmetic_path(self):
        rule = rules.one_arithmetic_path
        self.finds(rule, 1, src__ops__cpu__a_Dcpp="float y = std::exp(x);\n")
        self.finds(rule, 0, src__ops__ufunc__a_Dh="T y = std::exp(x);\n")
        self.finds(rule, 0, src__ops__cpu__a_Dcpp="double y = std::log(x);  // one path: no vectors here\n")

    def test_one_function_a_message(self):
        rule = rules.one_function_a_message
        check = 'TSC_CHECK(n > 0, "expected a positive " "number, and got {}", n);\n'
        self.finds(rule, 0, src__core__a_Dcpp=check)
        self.finds(rule, 1, src__core__a_Dcpp=check, src__core__b_Dcpp=check)
        self.finds(rule, 1, src__core__a_Dcpp='throw_error(ErrorKind::TypeError,\n "one and the same text");\n' * 2)
        other = 'TSC_CHECK(n > 0, "{} is too short", n); throw_error(k, "expected a different one");\n'
        self.finds(rule, 0, src__core__a_Dcpp=check, src__core__b_Dcpp=other)

    def test_messages(self):
        text = 'TSC_CHECK(a == "x",\n  "a text of more than that: {}");\nthrow_error(k, "short");\n'
        self.assertEqual(list(rules.messages(text)), [(1, "a text of more than that: {}")])

    def test_yaml(self):
        self.finds(rules.yaml_is_read, 1, src__ops__a_Dyaml="a: 1\nb: 2\na: 3\n")
        self.finds(rules.yaml_is_read, 0, src__ops__a_Dyaml="- {a: 1}\n- {a: 2}\n")

    def test_one_row_a_name(self):
        row = "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"
        other = "- func: add.out(Tensor self) -> Tensor\n"
        self.finds(rules.one_row_a_name, 1, src__ops__a_Dyaml=row, src__ops__b_Dyaml=row)
        self.finds(rules.one_row_a_name, 0, src__ops__a_Dyaml=row + other,
                   src__autograd__a_Dyaml="- name: add.Tensor(Tensor self)\n")

    def test_no_list_of_operators(self):
        rule = rules.no_list_of_operators
        rows = {"src__ops__a_Dyaml": "- func: add.Tensor(Tensor self) -> Tensor\n  autogen: [sub_, mul.out]\n"
                                     "- func: div(Tensor self) -> Tensor\n"}
        list_of_names = 'constexpr std::string_view kNames[] = {"add", "sub", "mul"};\n'
        self.finds(rule, 1, src__keys__a_Dcpp=list_of_names, **rows)
        self.finds(rule, 1, src__keys__a_Dcpp=f"void f() {{\n  static {list_of_names}}}\n", **rows)
        self.finds(rule, 1, src__keys__a_Dcpp='const Row kRows[] = {{"aten::add", &f}, {"div", &g}, {"sub_", &h}};\n', **rows)
        self.finds(rule, 0, src__keys__a_Dcpp='constexpr std::string_view kNames[] = {"add", "sub", "other"};\n', **rows)
        self.finds(rule, 0, src__keys__a_Dcpp='const BuiltinDef kDefs[] = {{"add", &f}, {"div", &g}, {"sub", &h}};\n', **rows)
        self.finds(rule, 0, src__keys__a_Dcpp='void f() {\n  add("add");\n  sub("sub");\n  mul("mul");\n}\n', **rows)
        self.finds(rule, 1, codegen__writers__a_Dpy='NAMES = ("add.Tensor", "div", "mul.out")\n', **rows)
        self.finds(rule, 1, codegen__writers__a_Dpy='NAMES = re.compile("add|sub|div")\n', **rows)
        self.finds(rule, 0, codegen__writers__a_Dpy='NAMES = ("dim", "add", "sub")\n', **rows)


class Project(unittest.TestCase):
    """The project itself keeps every rule."""


def keeps(rule):
    def test(self):
        found = list(rule(Tree(Path(__file__).resolve().parents[2])))
        if found:
            self.fail("\n".join(map(str, found)))
    return test


for rule in rules.RULES:
    setattr(Project, f"test_project_{rule.__name__}", keeps(rule))
