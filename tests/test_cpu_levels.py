"""The kernels of each instruction set that the processor has give the same results, and keep to their memory."""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))

POOLS = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
total = 0
def add(x):
    global total
    total = (total * 31 + (x.double() * 1000).round().nan_to_num(0, 7, 7).sum().long().item()) % 1000000007
for dtype in [torch.float32, torch.float64, torch.float16, torch.bfloat16]:
    for size in [1, 2, 3, 5, 9, 17, 33, 100]:
        for kernel in [1, 2, 3, 5]:
            for stride in [1, 2, 3]:
                for x in [torch.randn(3, size).to(dtype), torch.randn(size, 3).to(dtype).t()]:
                    for padding in range(kernel // 2 + 1):
                        if size + 2 * padding >= kernel:
                            add(F.max_pool1d(x, kernel, stride, padding))
                            add(F.max_pool1d(x, kernel, stride, padding, return_indices=True)[1])
                            add(F.avg_pool1d(x, kernel, stride, padding))
                            add(F.avg_pool1d(x, kernel, stride, padding, True, False))
print(total)
"""

def run(level, script):
    done = subprocess.run([PROGRAM, "-c", script], env={**os.environ, "TSC_CPU_LEVEL": level}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


class Levels(unittest.TestCase):
    def check(self, script):
        baseline = run("baseline", script)
        self.assertEqual(baseline[0], 0, baseline[2])
        for level in ["avx2", "avx512"]:
            self.assertEqual(run(level, script), baseline, level)

    def test_pools_of_every_length(self):
        self.check(POOLS)


if __name__ == "__main__":
    unittest.main()
