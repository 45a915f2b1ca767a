# SPDX-License-Identifier: Apache-2.0
"""The files of the tree that the checks look at, and how a check ends."""

import sys
from pathlib import Path

FOLDERS = ("include", "src", "kernels", "tools", "tests", "bench", "examples", "python",
           "cmake", "scripts", ".ci")
CPP = {".h", ".cpp", ".def", ".inc", ".cuh"}


def files(root, folders=FOLDERS):
    """Paths below the listed folders, sorted, relative to the root."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                found.append(path.relative_to(root))
    return sorted(found)


def cpp_files(root, folders=FOLDERS):
    return [path for path in files(root, folders) if path.suffix in CPP]


def finish(name, findings, summary):
    """Prints the findings, or one line that says what was looked at; gives the exit status."""
    for finding in findings:
        print(finding)
    print(f"{name}: {len(findings)} finding(s); {summary}")
    return 1 if findings else 0


def root_from_arguments():
    if len(sys.argv) > 1:
        return Path(sys.argv[1]).resolve()
    return Path(__file__).resolve().parents[2]
