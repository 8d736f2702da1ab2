"""Compiled kernels on disk, and faults: what is wrong is never loaded, and never lost."""

import os
import signal
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))
SCRIPT = "import torch; print((torch.ones(3, device='cuda') * 2).sum().item())"
HEADER = 48  # bytes before the image
# With a sanitizer each takes seconds.
PROCESSES = 24 if "ASAN_OPTIONS" in os.environ else 200


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "kernels"

    def tearDown(self):
        self.temporary.cleanup()

    def run_script(self, script=SCRIPT, arguments=("--cuda", "emulator"), limit=None, **variables):
        environment = {**os.environ, "TENSORSCOPE_KERNEL_CACHE": str(self.folder), **variables}
        command = [PROGRAM, *arguments, "-c", script]
        if limit is not None:
            command = ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "bash", *command]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check_runs(self, warning="", **options):
        done = self.run_script(**options)
        self.assertEqual((done.returncode, done.stdout), (0, "6.0\n"), done.stderr)
        if warning:
            self.assertIn(warning, done.stderr)
            self.assertEqual(done.stderr.count("it is compiled again"), 1, done.stderr)
        else:
            self.assertEqual(done.stderr, "")

    def entries(self):
        return sorted(self.folder.glob("*.kernel"))


class Folder(Case):
    def test_a_second_process_compiles_nothing(self):
        self.check_runs()
        self.assertEqual(len(self.entries()), 3)
        # Without a compiler.
        self.check_runs(CXX="/does/not/exist")
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)

    def test_damaged_entries_are_compiled_again(self):
        self.check_runs()
        for at in (0, 10, 30, HEADER + 200):
            path = self.entries()[0]
            bytes_ = bytearray(path.read_bytes())
            bytes_[at] ^= 1
            path.write_bytes(bytes_)
            self.check_runs(warning="is ")
            self.check_runs()

    def test_entries_that_are_cut_off(self):
        self.check_runs()
        for size in (0, 20, HEADER, HEADER + 100):
            path = self.entries()[0]
            path.write_bytes(path.read_bytes()[:size])
            self.check_runs(warning="cut off")

    def test_an_entry_that_others_may_write(self):
        self.check_runs()
        self.entries()[0].chmod(0o666)
        self.check_runs(warning="not this user's alone")

    @unittest.skipIf(os.geteuid() != 0, "only root can give a file away")
    def test_what_another_user_owns(self):
        self.check_runs()
        os.chown(self.entries()[0], 12345, -1)
        self.check_runs(warning="not this user's alone")
        os.chown(self.folder, 12345, -1)
        before = [path.read_bytes() for path in self.entries()]
        self.check_runs()
        self.assertEqual([path.read_bytes() for path in self.entries()], before)

    def test_a_folder_that_others_may_read(self):
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.check_runs()
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)

    def test_a_link_in_the_place_of_the_folder(self):
        other = self.folder.parent / "other"
        other.mkdir()
        self.folder.symlink_to(other)
        self.check_runs()
        self.assertEqual(list(other.iterdir()), [])

    def test_a_full_disk(self):
        # Room for the compiler's files and not for its library would fail the compile; so the library is there.
        self.check_runs()
        for path in self.entries():
            path.unlink()
        done = self.run_script(limit=4)
        self.assertEqual(self.entries(), [])
        self.assertNotIn("6.1", done.stdout)
        self.check_runs()

    def test_many_processes(self):
        environment = {**os.environ, "TENSORSCOPE_KERNEL_CACHE": str(self.folder)}
        running = [subprocess.Popen([PROGRAM, "--cuda", "emulator", "-c", SCRIPT], env=environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
        for process in running:
            with process:
                self.assertEqual(process.communicate(), ("6.0\n", ""))
        self.assertEqual(len(self.entries()), 3)
        self.assertEqual(list(self.folder.glob(".new-*")), [])

    def test_killed_while_writing(self):
        self.folder.mkdir(mode=0o700)
        (self.folder / ".new-abcdef").write_bytes(b"half")
        self.check_runs()
        for delay in range(2, 22, 2):  # hundredths of a second
            for path in self.entries():
                path.unlink()
            environment = {**os.environ, "TENSORSCOPE_KERNEL_CACHE": str(self.folder)}
            process = subprocess.Popen([PROGRAM, "--cuda", "emulator", "-c", SCRIPT], env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(delay / 100)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.check_runs()

    def test_old_entries_go(self):
        self.check_runs()
        self.run_script(script=SCRIPT.replace("* 2", "/ 0.5"), TENSORSCOPE_KERNEL_CACHE_MB="0")
        self.assertLessEqual(len(self.entries()), 1)

    def test_no_folder(self):
        self.check_runs(TENSORSCOPE_KERNEL_CACHE="")


class Faults(Case):
    def test_an_allocation_that_fails_once_is_tried_again(self):
        self.check_runs(TENSORSCOPE_EMULATOR_FAIL="allocate:1")

    def test_a_launch_that_fails(self):
        done = self.run_script(TENSORSCOPE_EMULATOR_FAIL="launch:2", TENSORSCOPE_CUDA_SYNC="1")
        self.assertIn("CUDA error: unspecified launch failure", done.stderr)

    def test_a_compile_that_fails(self):
        done = self.run_script(TENSORSCOPE_EMULATOR_FAIL="compile:1")
        self.assertIn("does not compile: the emulator was told to fail here", done.stderr)
        self.check_runs()

    def check_fault(self, code: str, count: int, *messages: str):
        """A formula that does not end well on `count` numbers: the process ends with every message."""
        script = f"""
import torch
f = torch.cuda.jiterator._create_jit_fn({code!r})
f(torch.arange({count}., device='cuda')).cpu()
"""
        done = self.run_script(script=script)
        self.assertEqual(done.returncode, 1, done.stderr)
        for message in messages:
            self.assertIn(message, done.stderr)

    def test_a_kernel_that_runs_past_the_end(self):
        self.check_fault(
            "template <typename T> T beyond(T x) { return (&x)[1 << 28]; }",
            3,
            "emulator: kernel beyond_f32_contiguous_",
            "CUDA error: an illegal memory access was encountered",
        )

    def test_a_kernel_of_fibers_that_runs_past_the_end(self):
        self.check_fault(
            "template <typename T> T beyond(T x) { __syncthreads(); return (&x)[1 << 28]; }",
            300,
            "emulator: kernel beyond_f32_contiguous_",
            "CUDA error: an illegal memory access was encountered",
        )

    def test_threads_that_wait_for_ever(self):
        self.check_fault(
            "template <typename T> T wait(T x) { if (x > T(1)) __syncwarp(); else __syncthreads(); return x; }",
            300,
            "wait at __syncthreads and",
            "CUDA error: unspecified launch failure",
        )

    def test_no_gpu(self):
        done = self.run_script(arguments=("--cuda", "off"))
        self.assertIn("RuntimeError: Found no NVIDIA driver on your system.", done.stderr)
        script = "import torch; print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated())"
        self.assertEqual(self.run_script(script=script, arguments=("--cuda", "off")).stdout, "False 0 0\n")

    def test_cuda_goes_to_the_current_device(self):
        script = """import torch
torch.cuda.set_device(1)
x = torch.ones(2, 2, 2, 2)
print(x.cuda().device, x.cuda(0, True).device, x.to("cuda").device, x.cuda(memory_format=torch.channels_last).stride())
try:
    x.cuda("cpu")
except RuntimeError as error:
    print(error)"""
        self.assertEqual(self.run_script(script=script, TENSORSCOPE_EMULATOR_DEVICES="2").stdout,
                         "cuda:1 cuda:0 cuda:1 (8, 1, 4, 2)\nInvalid device, must be cuda device\n")

    def test_fallback_to_the_cpu(self):
        script = "import torch; x = torch.ones(2, 2).cuda(); print(torch.linalg.svdvals(x), torch.linalg.svdvals(x).device)"
        done = self.run_script(script=script, arguments=("--cuda", "emulator", "--cuda-fallback"))
        self.assertIn("cuda:0", done.stdout)
        self.assertEqual(done.stderr.count("aten::_linalg_svd.U has no CUDA kernel here, and runs on the CPU"), 1)


if __name__ == "__main__":
    unittest.main()
