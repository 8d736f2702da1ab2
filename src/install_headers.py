"""Copies the public headers into an installation: install_headers.py SOURCE GENERATED DESTINATION."""

import os
import pathlib
import shutil
import sys

FOLDERS = ("autograd", "core", "dispatch", "graph", "keys", "observe", "ops", "tensorscope")


def main(source, generated, destination):
    destination = pathlib.Path(os.environ.get("DESTDIR", "") + destination)
    headers = [path for folder in FOLDERS for suffix in ("*.h", "*.def")
               for path in (source / folder).rglob(suffix)]
    pairs = [(path, path.relative_to(source)) for path in headers]
    pairs += [(path, path.relative_to(generated)) for path in generated.rglob("*.h")]
    for path, name in pairs:
        (destination / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, destination / name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
