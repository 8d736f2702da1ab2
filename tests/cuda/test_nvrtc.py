"""NVRTC compiles the kernels of the scripts beside this file: no GPU is needed for that.

TENSORSCOPE_CUDA_CHECK=80,90,100 names the architectures; then all scripts run, which takes minutes. Otherwise one does,
for one architecture.
"""

import concurrent.futures
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))
SCRIPTS = Path(__file__).resolve().parent / "scripts"
ARCHITECTURES = os.environ.get("TENSORSCOPE_CUDA_CHECK", "")
NO_NVRTC = "there is no NVRTC"


@unittest.skipIf("ASAN_OPTIONS" in os.environ, "the sanitizer would look at NVRTC's memory, too")
class Nvrtc(unittest.TestCase):
    def run_script(self, script, cache, architectures):
        environment = {**os.environ, "TENSORSCOPE_CUDA": "emulator", "TENSORSCOPE_KERNEL_CACHE": cache,
                       "TENSORSCOPE_CUDA_NO_CACHING": "1", "TENSORSCOPE_CUDA_CHECK": architectures}
        if not architectures:
            del environment["TENSORSCOPE_CUDA_CHECK"]
        return subprocess.run([PROGRAM, script.name], cwd=script.parent, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout

    def test_kernels_compile(self):
        scripts = sorted(SCRIPTS.glob("*.tsc")) if ARCHITECTURES else [SCRIPTS / "elementwise_cases.tsc"]
        architectures = ARCHITECTURES or "90"
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            has_nvrtc = NO_NVRTC not in self.run_script(SCRIPTS / "order.tsc", cache, architectures)
            used = architectures if has_nvrtc else ""
            outputs = list(pool.map(lambda script: self.run_script(script, cache, used), scripts))
            kernels = len(list(Path(cache).iterdir()))
        for script, output in zip(scripts, outputs):
            with self.subTest(script.name):
                self.assertEqual(output, script.with_suffix(".expected").read_text())
        if has_nvrtc:
            seconds = time.monotonic() - start
            self.note = f"NVRTC compiled {kernels} kernels, each for sm_{architectures.replace(',', ', sm_')}, in {seconds:.0f} s"
        else:
            self.note = f"{kernels} kernels were not compiled by NVRTC, which is not installed"


if __name__ == "__main__":
    unittest.main()
