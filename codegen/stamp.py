"""Writes a file that says that something was done, if it is not there yet: `stamp.py FILE`."""

import sys
from pathlib import Path

stamp = Path(sys.argv[1])
if not stamp.exists():
    stamp.write_text("// All generated headers are written.\n", encoding="utf-8")
