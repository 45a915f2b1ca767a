# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. A folder includes itself and exactly what its row lists."""

# layer, folder, what it may include besides itself
TABLE = """
0 base         -
1 ir           base
1 target       base
1 config       base
1 stats        base
2 layout       base target
2 lang         base ir config
2 interp       base ir
2 analysis     base ir target
2 artifact     base target
2 record       base stats config target
3 plan         base ir layout analysis config target
3 toolchain    base config target artifact
3 search       base config stats
4 passes       base ir layout analysis config target plan
4 heuristics   base analysis config target plan
4 emit         base ir layout config target
4 runtime      base target artifact
4 emulation    base target artifact
5 driver       base ir lang analysis config target plan artifact passes heuristics emit toolchain emulation
6 session      base ir lang interp config target artifact record heuristics driver runtime emulation
7 tune         base ir lang config target artifact record stats search driver runtime session
8 report       base config target record stats tune
8 bundle       base config target artifact runtime
8 aot          base config target artifact record driver session tune bundle
9 command_line base ir config target artifact record runtime session driver toolchain tune report bundle aot public
9 c_api        public
"""

# Public headers belong to the folder they are named for, but for these; None: to no folder.
PUBLIC_OWNERS = {
    "dtype": "base", "tensor": "base", "diagnostic": "base", "version": "base",
    "kernel": "lang", "parhelion": None,
}

# Parts of the tree outside src/: what they may include besides their own files.
# "kernels" stands for kernels/*.h, "public" for include/parhelion, "all" for everything.
PLACES = {
    "kernels": {"public"},
    "examples": {"public", "kernels"},
    "bench": {"public", "kernels"},
    "tools/parhelion": {"public", "kernels"},
    "tools/worker": {"base", "config", "target", "artifact", "runtime", "emulation"},
    "tests": {"all"},
}

# First letters of a third-party header: the folders it may appear in, and whether it is so costly
# that only one .cpp may include it. fmt is everywhere, as core.h in headers.
THIRD_PARTY = {
    "nlohmann/": ({"base"}, True),
    "toml++/": ({"base"}, True),
    "xxhash.h": ({"base"}, True),
    "boost/math/": ({"stats"}, True),
    "boost/context/": ({"emulation"}, False),
    "zstd.h": ({"artifact"}, False),
    "sqlite3.h": ({"record"}, False),
    "CLI/": ({"command_line"}, True),
    "benchmark/": ({"bench"}, False),
    "doctest/": ({"tests"}, False),
}

# Compiler and operating system; everything else without a .h is the standard library.
SYSTEM = {
    "cpuid.h", "dirent.h", "dlfcn.h", "elf.h", "errno.h", "fcntl.h", "immintrin.h", "link.h",
    "poll.h", "pthread.h", "sched.h", "signal.h", "spawn.h", "termios.h", "unistd.h", "x86intrin.h",
    "stdbool.h", "stddef.h", "stdint.h",
}


def rows():
    """{folder: (layer, set of folders)}"""
    table = {}
    for line in TABLE.strip().splitlines():
        layer, folder, *allowed = line.split()
        table[folder] = (int(layer), set(allowed) - {"-"})
    return table


def public_owner(header):
    """The folder of <parhelion/NAME.h>."""
    name = header.removeprefix("parhelion/").removesuffix(".h")
    return PUBLIC_OWNERS.get(name, name)
