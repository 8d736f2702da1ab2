"""A build with some of the rows: what the tables hold, and that all that calls other rows still compiles."""

import re
import tempfile
import unittest
from pathlib import Path

from families import ADD, load

from codegen.model import Family
from codegen.rows import structured_groups
from codegen.selection import ALL, Selection, SelectionError
from codegen.writers import api, direct, register

FAMILY = Family("room", "family")


class Files(unittest.TestCase):
    def selection(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "script.ops"
        path.write_text(text)
        return Selection.load(path)


class Names(Files):
    def test_a_name_stands_in_a_line(self):
        selection = self.selection("# of a script\naten::add.Tensor\n\naten::mm  # products\n")
        self.assertEqual(selection.names, {"add.Tensor": 2, "mm": 4})

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        with self.assertRaisesRegex(SelectionError, r"script.ops:1: error: there is no operator aten::add.Tenser, "
                                                    r"did you mean aten::add.Tensor\?"):
            self.selection("aten::add.Tenser\n").check(load(ADD))

    def test_a_file_without_names_is_refused(self):
        with self.assertRaisesRegex(SelectionError, "no operator is selected"):
            self.selection("# nothing\n")


class Tables(Files):
    def setUp(self):
        self.rows = load(ADD)
        self.groups = structured_groups(self.rows)

    def tables(self, selection):
        text = register.write(FAMILY, self.rows, self.groups, selection)
        return re.findall(r"^const StaticKernel kKernels_(\w+)\[\]", text, re.M), text

    def test_without_a_selection_all_rows_are_there(self):
        self.assertEqual(self.tables(ALL)[0], ["add_Tensor", "add__Tensor", "add_out"])
        index = register.write_all_operators({FAMILY: (self.rows, self.groups)})
        self.assertIn('selected_operators() {\n  return "";', index)

    def test_tables_have_the_selected_rows_only(self):
        selection = self.selection("aten::add.Tensor\n")
        names, text = self.tables(selection)
        self.assertEqual(names, ["add_Tensor"])
        # What has a name of its own stays; an unused function of an unnamed namespace would be a warning.
        self.assertIn("add_outf(", text)
        self.assertNotIn("Tensor& add_(DispatchKeySet", text)
        index = register.write_all_operators({FAMILY: (self.rows, self.groups)}, selection)
        self.assertEqual(re.findall(r"\.schema = &kSchema_(\w+)", index), ["add_Tensor"])
        self.assertIn("script.ops", index)

    def test_declarations_are_those_of_every_row(self):
        self.assertIn("struct add_out {", api.write_call_header([(FAMILY, self.rows)]))
        self.assertIn("add_outf(", direct.write_header(FAMILY, self.rows, self.groups))


if __name__ == "__main__":
    unittest.main()
