#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds files against the limits of size: lines, columns, the licence line, the public headers.

Use: check_sizes.py [ROOT]
"""

import sys
from pathlib import Path

import tree

MAX_LINES = 600
MAX_NINTH_DECILE = 300
MAX_PUBLIC_HEADERS = 15
COLUMNS = 100
PRELUDE_COLUMNS = 140  # the device prelude has one instruction's operands on a line

# path: why it may be longer than MAX_LINES. Keep it short.
LONG_FILES = {}

SPDX = "SPDX-License-Identifier: Apache-2.0"
# Formats without comments, or whose bytes are the test.
NO_LICENCE_LINE = {".json", ".npy", ".cu", ".kir", ".ph", ".txt", ".md", ".csv", ".toml", ".out", ".log"}


def is_golden(path):
    return path.as_posix().startswith("tests/golden/")


def column_limit(path):
    # A row of a table stays on one line, however long.
    if is_golden(path) or path.suffix == ".def":
        return None
    return PRELUDE_COLUMNS if path.suffix in {".cuh", ".inc"} else COLUMNS


def licence_finding(path, lines):
    # A script has its interpreter in the first line.
    if path.suffix in NO_LICENCE_LINE or is_golden(path) or any(SPDX in l for l in lines[:2]):
        return None
    return f"{path}: no '{SPDX}' in its first two lines"


def file_findings(path, text):
    lines = text.splitlines()
    found = []
    if len(lines) > MAX_LINES and path.as_posix() not in LONG_FILES and not is_golden(path):
        found.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}: look for the seam")
    if path.suffix in tree.CPP and column_limit(path):
        found += [f"{path}:{number}: {len(line)} columns, at most {column_limit(path)}"
                  for number, line in enumerate(lines, 1) if len(line) > column_limit(path)]
    licence = licence_finding(path, lines)
    return found + ([licence] if licence else [])


def ninth_decile(counts):
    return sorted(counts)[int(0.9 * (len(counts) - 1))] if counts else 0


def top_files(root):
    names = ("CMakeLists.txt", "Makefile")
    return [Path(name) for name in names if (root / name).is_file()]


def read(path):
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return None  # a binary test input has no lines


def check(root):
    found = []
    counts = {}
    for path in tree.files(root) + top_files(root):
        text = read(root / path)
        if text is None:
            continue
        found += file_findings(path, text)
        if path.suffix in tree.CPP and not is_golden(path):
            counts[path] = len(text.splitlines())
    decile = ninth_decile(counts.values())
    if decile > MAX_NINTH_DECILE:
        found.append(f"nine files in ten have up to {decile} lines, at most {MAX_NINTH_DECILE}")
    public = list((root / "include").rglob("*.h"))
    if len(public) > MAX_PUBLIC_HEADERS:
        found.append(f"{len(public)} public headers, at most {MAX_PUBLIC_HEADERS}")
    median = sorted(counts.values())[len(counts) // 2] if counts else 0
    longest = max(counts, key=counts.get, default="-")
    return found, (f"{len(counts)} files of C++, median {median} lines, 90 % up to {decile}, "
                   f"longest {longest} with {counts.get(longest, 0)}")


if __name__ == "__main__":
    sys.exit(tree.finish("check_sizes", *check(tree.root_from_arguments())))
