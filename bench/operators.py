"""Says which names of PyTorch's operator database operators.tsc does not measure."""

import subprocess
import sys
from pathlib import Path

from torch.testing._internal.common_methods_invocations import op_db

SCRIPT = Path(__file__).resolve().parent / "operators.tsc"


def main():
    listed = subprocess.run([sys.executable, SCRIPT, "names"], check=True, stdout=subprocess.PIPE, text=True)
    measured = set(listed.stdout.split("\n"))
    for entry in op_db:
        name = entry.name + ("." + entry.variant_test_name if entry.variant_test_name else "")
        if name not in measured:
            print(name)


main()
