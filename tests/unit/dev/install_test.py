#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build, and builds README's program against it as a user's project would.

Use: install_test.py CMAKE SOURCE BUILD
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(Mine CXX)
find_package(Parhelion REQUIRED)
add_executable(mine mine.cpp)
target_link_libraries(mine PRIVATE parhelion::parhelion)
add_executable(library library.cpp)
target_link_libraries(library PRIVATE parhelion::kernels)
"""
LIBRARY_USER = """#include <parhelion/kernels/library.h>
int main() { return parhelion::kernels::find("softmax") ? 0 : 1; }
"""


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def readme_program(source):
    blocks = re.findall(r"```cpp\n(.*?)```", (source / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if "int main" in block)


def main():
    cmake, source, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder) / "prefix"
        project = Path(folder) / "project"
        project.mkdir()
        run(cmake, "--install", build, "--prefix", prefix)
        (project / "CMakeLists.txt").write_text(PROJECT)
        (project / "mine.cpp").write_text(readme_program(source))
        (project / "library.cpp").write_text(LIBRARY_USER)
        run(cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", project / "build")
        if "softmax" not in run(project / "build/mine", "list"):
            sys.exit("the program does not list its kernel")
        run(project / "build/mine", "run", "softmax", "--arg", "x=f16[37,129]")
        run(project / "build/library")
        run(prefix / "bin/parhelion", "--version")
        for path in ("libexec/parhelion-worker", "include/parhelion/parhelion.h"):
            if not (prefix / path).is_file():
                sys.exit(f"{path} is not installed")


if __name__ == "__main__":
    main()
