"""PyTorch's structured groups: each is one here, or says why it is not, and docs/structured.md lists them."""

import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import table  # noqa: E402

try:
    import torchgen
except ImportError:
    torchgen = None


class Groups(unittest.TestCase):
    def test_what_is_not_structured_has_its_reason(self):
        _, unstructured, absent = table.sort_groups(table.rows())
        self.assertEqual([name for name, reason in {**unstructured, **absent}.items() if not reason], [])

    def test_no_reason_is_left_over(self):
        rows = table.rows()
        self.assertEqual([row.full_name for row in rows.values() if row.unstructured and row.structured], [])
        absent = [name for name in table.recorded_groups() if name not in rows]
        for pattern, reason in table.absent_reasons():
            self.assertTrue(any(pattern.fullmatch(name) for name in absent), reason)

    def test_the_page_lists_them(self):
        self.assertEqual(table.split_page()[1], table.table(), "run tests/parity/structured/table.py")

    @unittest.skipIf(torchgen is None, "PyTorch is not here")
    def test_the_record_is_of_the_package(self):
        import yaml

        path = pathlib.Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
        names = [row["func"].partition("(")[0] for row in rows if row.get("structured")]
        self.assertEqual(names, table.recorded_groups())


if __name__ == "__main__":
    unittest.main()
