"""Which kernel a call gets, as :jit tells: by layout, dtypes, numbers and alignment."""

import itertools
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))
# Where the number stands: the call, and what the kernel's name and its reason say.
NUMBERS = {"{x} - {y}": ("", ""), "3 - {y}": ("_number_a", ", a is a number"), "{x} - 3": ("_number_b", ", b is a number")}
# dtype, first element of the operands: the elements that fit 16 bytes and the operands' alignment.
WIDTHS = {("float32", 0): 4, ("float32", 1): 1, ("float32", 2): 2, ("float16", 0): 8, ("float16", 4): 4, ("bfloat16", 2): 2,
          ("float64", 0): 2, ("float64", 1): 1, ("int16", 0): 8, ("int32", 0): 4, ("complex64", 0): 2, ("complex128", 0): 1}
# In kernels' names, and in their reasons.
NAMES = {"float32": ("f32", "Float"), "float16": ("f16", "Half"), "bfloat16": ("bf16", "BFloat16"), "float64": ("f64", "Double"),
         "int16": ("i16", "Short"), "int32": ("i32", "Int"), "complex64": ("c64", "ComplexFloat"), "complex128": ("c128", "ComplexDouble")}


class Cases(unittest.TestCase):
    def kernels(self, lines, **variables):
        """{name: why} of the session's kernels, and what it printed before."""
        source = "\n".join(["import torch", *lines, ":jit", ""])
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "TENSORSCOPE_CUDA": "emulator", "TENSORSCOPE_KERNEL_CACHE": cache, **variables}
            done = subprocess.run([PROGRAM, "--echo"], input=source, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        printed, table = done.stdout.split("tsc> :jit\n")
        rows = [line.split(None, 8) for line in table.splitlines()[1:] if "%" in line]
        return {row[0]: row[8] for row in rows}, printed

    def test_contiguous_operands_of_one_dtype(self):
        lines, expected = [], {}
        for (dtype, start), width in WIDTHS.items():
            for call, (suffix, reason) in NUMBERS.items():
                lines.append(f"x = torch.ones(64, dtype=torch.{dtype}, device='cuda')[{start}:]")
                lines.append("y = " + call.format(x="x", y="x"))
                short, long = NAMES[dtype]
                # The result begins at the start of its own memory.
                expected[f"sub_{short}_contiguous_{width}{suffix}"] = (
                    f"sub in {long}, contiguous{reason}, {width} element{'' if width == 1 else 's'} a thread")
        found, _ = self.kernels(lines)
        self.assertEqual({name: why for name, why in found.items() if name.startswith("sub_")}, expected)

    def test_the_four_cases(self):
        lines = ["h = torch.ones(8, 8, dtype=torch.float16, device='cuda')", "n = torch.tensor(3.)"]
        expected = {}
        for is_strided, is_cast, (call, (suffix, reason)) in itertools.product((False, True), (False, True), NUMBERS.items()):
            x = "h[:, ::2]" if is_strided else "h"
            out = f"torch.empty({x}.shape, dtype=torch.float{64 if is_cast else 16}, device='cuda')"
            lines.append(f"y = torch.sub({call.replace(' - ', ', ').replace('3', 'n').format(x=x, y=x)}, out={out})")
            layout, layout_reason = ("strided1", "strided in 1 dimension") if is_strided else ("contiguous",) * 2
            width = 4 if is_strided or is_cast else 8
            expected[f"sub_f16{'_cast' * is_cast}_{layout}_{width}{suffix}"] = (
                f"sub in Half, {layout_reason}{', dtypes as arguments' * is_cast}{reason}, {width} elements a thread")
        found, _ = self.kernels(lines)
        self.assertEqual({name: why for name, why in found.items() if name.startswith("sub_")}, expected)

    def test_a_launch_is_told_at_its_hop(self):
        _, printed = self.kernels(["x = torch.ones(2, 3, device='cuda')", ":watch short", "y = x.t() - 3", "y = x.t() - 3", ":watch off",
                                   ":explain x.t() - 3"])
        launch = "launched sub_f32_contiguous_4_number_b, 1 block of 256 threads"
        self.assertIn(f"CUDA -> cuda::sub_outf\n        {launch} (compiled)\n", printed)
        self.assertIn(f"CUDA -> cuda::sub_outf\n        {launch} (in memory)\n", printed)
        entry = re.search(r"  launched +(.*) \(in memory, entry ([0-9a-f]{32})\)", printed)
        self.assertIsNotNone(entry, printed)
        self.assertEqual(f"launched {entry[1]}", launch)

    def test_a_lowered_limit_of_32_bits(self):
        script = """x = torch.arange(300., device='cuda').reshape(20, 15)
print(torch.equal((x * 2 + x.t().reshape(20, 15)[:, 1:2]).cpu(), x.cpu() * 2 + x.cpu().t().reshape(20, 15)[:, 1:2]))
print(torch.equal(x[::2, ::3].double().cpu(), x.cpu()[::2, ::3].double()), (x.flip(0) + x).sum().item(), x.amax(1)[3].item())
print(torch.equal(x.sum(0).cpu(), x.cpu().sum(0)), torch.equal(x[:, [3, 1]].cpu(), x.cpu()[:, [3, 1]]), x.argmax().item())
print((torch.zeros(1, device='cuda').expand(20, 15) + 1).sum().item(), torch.nn.functional.avg_pool1d(x, 3)[2, 1].item())"""
        found, printed = self.kernels(script.splitlines(), TENSORSCOPE_CUDA_INDEX_LIMIT="64")
        whole, same = self.kernels(script.splitlines())
        self.assertEqual(printed, same)
        self.assertEqual(printed.count("True"), 4, printed)
        self.assertGreater(sum("_64bit" in name for name in found), 2, found)
        self.assertEqual(sum("_64bit" in name for name in whole), 0, whole)


if __name__ == "__main__":
    unittest.main()
