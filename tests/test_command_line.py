"""The command line: options and arguments, exit statuses, and output that nobody can write."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
FULL = "/dev/full"
LOST = ("Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' encoding='UTF-8'>\n"
        "OSError: [Errno 28] No space left on device\n")
NO_SPACE = "OSError: [Errno 28] No space left on device"


def run(*arguments, **extra):
    extra = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **extra}
    if "input" in extra:
        del extra["stdin"]
    return subprocess.run([PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE, text=True, timeout=60, **extra)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, text):
        path = self.folder / "script.tsc"
        path.write_text(text)
        return path


class ListOfOperators(Files):
    def test_the_list_is_all_of_standard_output(self):
        path = self.script("import sys\nx = torch.ones(2, requires_grad=True)\nprint('x', x.tanh())\n"
                           "(x @ x).backward()\nsys.exit(3)\n")
        done = run("--list-ops-used", path)
        names = done.stdout.splitlines()
        self.assertEqual(names, sorted(set(names)))
        # Of the script, of a composite, of gradients, and of printing.
        self.assertLessEqual({"aten::ones", "aten::tanh", "aten::matmul", "aten::dot", "aten::mul.Tensor"}, set(names))
        self.assertNotIn("aten::sort", names)
        self.assertTrue(done.stderr.startswith("x tensor([0.7616, 0.7616]"), done.stderr)
        self.assertEqual(done.returncode, 3)

    def test_a_script_is_needed(self):
        done = run("--list-ops-used")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("give it a FILE", done.stderr)


class Arguments(Files):
    def test_what_follows_the_script_is_the_scripts(self):
        path = self.script("import sys\nprint(sys.argv)\n")
        done = run(path, "a", "--on", "Nothing", "--seed", "-x")
        self.assertEqual(done.stdout, f"{[str(path), 'a', '--on', 'Nothing', '--seed', '-x']}\n")
        self.assertEqual(run("--seed", "3", path, "--versoin").stdout, f"{[str(path), '--versoin']}\n")
        self.assertEqual(run("--", path, "b").stdout, f"{[str(path), 'b']}\n")

    def test_what_follows_the_code_is_the_codes(self):
        show = "import sys; print(sys.argv)"
        self.assertEqual(run("-c", show, "a", "b").stdout, "['-c', 'a', 'b']\n")
        self.assertEqual(run("-c", show, "a", "-c", "1").stdout, "['-c', 'a', '-c', '1']\n")
        self.assertEqual(run("-c", show, "--", "--seed").stdout, "['-c', '--seed']\n")
        self.assertEqual(run("-c", show).stdout, "['-c']\n")

    def test_code_may_come_several_times(self):
        done = run("-c", "x = 1", "-e", "print(x)", "--on", "Tracer", "-cprint(x + 1)", "a")
        self.assertEqual(done.stdout, "1\n2\n")

    def test_unknown_options_are_refused_with_the_nearest(self):
        for arguments, text in ((["--versoin"], "'--versoin'; did you mean '--version'?"),
                                (["--onn", "Profiler"], "'--onn'; did you mean '--on'?"),
                                (["--ehco=1"], "'--ehco'; did you mean '--echo'?"),
                                (["-c", "print(1)", "-z"], "'-z'\n"),
                                (["-iz", "file"], "'-z'\n"),
                                (["--nothing-like-it", "file"], "'--nothing-like-it'\n")):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("there is no option " + text, done.stderr)
                self.assertIn("--help", done.stderr)

    def test_a_script_that_cannot_be_read(self):
        for path, text in ((self.folder, "Is a directory"), (self.folder / "none.tsc", "No such file or directory")):
            done = run(path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^tensorscope: can't read the script: \[Errno \d+\] {text}: '{path}'\n$")

    def test_standard_input_that_cannot_be_read(self):
        descriptor = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        done = run(stdin=descriptor)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Is a directory", done.stderr)


class Output(Files):
    """Nothing that was printed gets lost in silence: as CPython, by an OSError or at the end by 120."""

    def to_full(self, *arguments, **extra):
        with open(FULL, "w", encoding="utf-8") as full:
            return run(*arguments, stdout=full, **extra)

    def test_what_is_held_back_until_the_end(self):
        path = self.script("print(1)\n")
        for arguments, extra in ((["-c", "print(1)"], {}), ([path], {}), ([], {"input": "print(1)\n"}),
                                 (["--echo"], {"input": "1 + 1\n"}), (["--echo"], {"input": ":help\n"}),
                                 (["-c", "print(1); exit(3)"], {}), (["--version"], {}), (["--help"], {}),
                                 (["--cflags"], {})):
            with self.subTest(arguments):
                done = self.to_full(*arguments, **extra)
                self.assertEqual((done.returncode, done.stderr), (120, LOST))

    def test_what_is_written_at_once(self):
        for code in ("print('x' * 100000)", "print(1, flush=True)",
                     "import sys; sys.stdout.write('a'); sys.stdout.flush()"):
            with self.subTest(code):
                done = self.to_full("-c", code)
                self.assertEqual(done.returncode, 120)
                self.assertIn(NO_SPACE, done.stderr.splitlines())
                self.assertTrue(done.stderr.endswith(LOST), done.stderr)

    def test_the_error_can_be_caught_and_is_not_forgotten(self):
        done = self.to_full("-c", "try:\n    print('x' * 100000)\nexcept OSError as e:\n"
                            "    import sys\n    print(e.errno, e, file=sys.stderr)\n")
        self.assertEqual(done.stderr, "28 [Errno 28] No space left on device\n" + LOST)
        self.assertEqual(done.returncode, 120)

    def test_an_entry_with_much_output(self):
        done = self.to_full("--echo", input="x = 'y' * 100000\nx\nprint(x)\n")
        self.assertEqual(done.returncode, 120)
        self.assertTrue(done.stderr.endswith(LOST), done.stderr)

    def test_files(self):
        for code in (f"f = open('{FULL}', 'w'); f.write('abc'); f.close()",
                     f"f = open('{FULL}', 'w'); f.write('abc'); f.flush()",
                     f"f = open('{FULL}', 'w'); f.write('abc' * 10000)",
                     f"f = open('{FULL}', 'wb'); f.write(b'abc'); f.close()",
                     f"f = open('{FULL}', 'w'); f.writelines(['abc'] * 10000)",
                     f"with open('{FULL}', 'w') as f:\n    print(1, file=f)",
                     f"print(1, file=open('{FULL}', 'w'), flush=True)",
                     f"import numpy; numpy.savetxt('{FULL}', torch.ones(3))"):
            with self.subTest(code):
                done = run("-c", code)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("OSError: [Errno 28] No space left on device", done.stderr.splitlines()[-1])

    def test_what_cannot_be_read(self):
        for mode in ("r", "rb"):
            done = run("-c", f"print(open('/proc/self/mem', '{mode}').read())")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("OSError: [Errno 5] Input/output error", done.stderr)

    def test_what_is_asked_for_is_shown(self):
        done = run("-c", "print(input('name? ') + '!')", input="somebody\n")
        self.assertEqual((done.stdout, done.stderr), ("name? somebody!\n", ""))

    def test_standard_error(self):
        with open(FULL, "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "-c", "import sys; print(1, file=sys.stderr); print(2)"],
                                  stdout=subprocess.PIPE, stderr=full, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))

    def test_a_stream_that_is_closed_takes_no_file_in(self):
        path = self.folder / "written"
        code = f"print('lost'); f = open('{path}', 'w'); f.write('kept'); f.close(); print('lost')"
        done = subprocess.run(["sh", "-c", '"$0" -c "$1" >&-', PROGRAM, code], timeout=60, check=False)
        self.assertEqual((done.returncode, path.read_text()), (0, "kept"))
        done = subprocess.run(["sh", "-c", '"$0" <&- 2>&-', PROGRAM], timeout=60, check=False)
        self.assertEqual(done.returncode, 0)

    def test_a_reader_that_leaves_ends_it_quietly(self):
        done = subprocess.run(["sh", "-c", '"$0" -c "for i in range(100000): print(i)" | head -n 1', PROGRAM],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=True)
        self.assertEqual((done.stdout, done.stderr), ("0\n", ""))


class Commands(Files):
    """Scripts with commands among their lines, as `:save` writes them."""

    SESSION = "x = torch.ones(2, requires_grad=True)\n:off Autograd\nx * 3\ny = _\nprint(y.requires_grad)\n"

    def test_they_run_as_loaded(self):
        self.assertEqual(run(self.script(self.SESSION)).stdout, "False\n")
        self.assertEqual(run(input=self.SESSION).stdout, "False\n")
        self.assertEqual(run("-", input=self.SESSION).stdout, "False\n")
        self.assertEqual(run("-c", self.SESSION).stdout, "False\n")

    def test_what_a_session_saves(self):
        path = self.folder / "saved.tsc"
        run("--echo", input=self.SESSION + f":on Profiler\nfor i in range(2):\n    print(i)\n\n:save {path}\n")
        done = run(path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "False\n0\n1\n", ""))

    def test_commands_write_where_they_do_at_the_prompt(self):
        done = run(self.script("x = torch.ones(2)\n:watch short\nx + x\n:vars\n"))
        self.assertEqual(done.stdout, "x               f32[2]\n_               f32[2]\n")
        self.assertTrue(done.stderr.startswith("aten::add.Tensor(f32[2], f32[2], alpha=1)\n"), done.stderr)

    def test_a_colon_inside_of_python_is_no_command(self):
        done = run(self.script('text = """\n:off Autograd\n"""\nprint(text)\nd = {1\n:2}\nprint(d)\n'))
        self.assertEqual(done.stdout, "\n:off Autograd\n\n{1: 2}\n")
        done = run(self.script(':on Tracer\ntext = """\n:off Autograd\n"""\nprint(text)\n'))
        self.assertEqual(done.stdout, "\n:off Autograd\n\n")

    def test_errors_have_their_lines(self):
        name = self.script("")
        for text, error, shown in (
                ("x = 1\n:on Profilr\n", f"ValueError: there is no key 'Profilr' to switch; did you mean 'Profiler'? "
                 f"({name}, line 2)\n", ""),
                ("print(1)\n\n:nothing\nprint(2)\n", f"ValueError: there is no command ':nothing'; `:help` lists them "
                 f"({name}, line 3)\n", ""),
                (":on Tracer\nprint(1)\n\n1 / 0\n", "Traceback (most recent call last):\n"
                 f'  File "{name}", line 4, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero\n',
                 "1\n"),
                # Before anything runs.
                ("print(1)\n:on Tracer\ny = = 2\n", f'  File "{name}", line 3\n    y = = 2\n        ^\n'
                 "SyntaxError: invalid syntax\n", "")):
            with self.subTest(text):
                done = run(self.script(text))
                self.assertEqual((done.returncode, done.stderr, done.stdout), (1, error, shown))

    def test_the_end_of_a_script(self):
        self.assertEqual(run(self.script("print(1)\n:quit\nprint(2)\n")).stdout, "1\n")
        self.assertEqual(run(self.script(":on Tracer\nexit(7)\n")).returncode, 7)

    def test_switches_stay_for_the_prompt_that_follows(self):
        done = run("-i", "--echo", self.script("x = 5\n:on Tracer\n"), input="x\n")
        self.assertEqual(done.stdout, "tsc Tracer> x\n5\ntsc Tracer> \n")


if __name__ == "__main__":
    unittest.main()
