#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every .cpp is named in exactly one CMakeLists.txt, and the names are sorted.

Use: check_cmake_lists.py [ROOT]
"""

import re
import sys
from pathlib import Path

import tree

FOLDERS = ("src", "kernels", "tools", "tests", "bench", "examples")
COMMENT = re.compile(r"#[^\n]*")
CALL = re.compile(r"(\w+)\s*\(([^()]*)\)")
KEYWORD = re.compile(r"[A-Z][A-Z0-9_]+")


def lists(root):
    below = [p for p in tree.files(root, FOLDERS) if p.name == "CMakeLists.txt"]
    return ([Path("CMakeLists.txt")] if (root / "CMakeLists.txt").is_file() else []) + below


def source_runs(text):
    """Lists of the .cpp names that stand together: after one keyword of one call."""
    for _, arguments in CALL.findall(COMMENT.sub("", text)):
        run = []
        for word in arguments.split():
            if KEYWORD.fullmatch(word):
                yield run
                run = []
            elif word.endswith(".cpp") and "$" not in word:
                run.append(word)
        yield run


def check(root):
    found = []
    named = {}
    for path in lists(root):
        for run in source_runs((root / path).read_text()):
            if run != sorted(run):
                found.append(f"{path}: sources are not sorted: {' '.join(run)}")
            for name in run:
                named.setdefault(path.parent / name, set()).add(path)
    sources = [p for p in tree.files(root, FOLDERS) if p.suffix == ".cpp"]
    sources = [p for p in sources if not p.as_posix().startswith("tests/golden/")]
    for path, where in sorted(named.items()):
        files = ", ".join(sorted(map(str, where)))
        if not (root / path).is_file():
            found.append(f"{files}: names {path}, which is not there")
        elif len(where) > 1:
            found.append(f"{path}: named in {files}")
    found += [f"{path}: in no CMakeLists.txt" for path in sources if path not in named]
    return found, f"{len(sources)} sources"


if __name__ == "__main__":
    sys.exit(tree.finish("check_cmake_lists", *check(tree.root_from_arguments())))
