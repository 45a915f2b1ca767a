# SPDX-License-Identifier: Apache-2.0
"""A small tree in a temporary folder, good but for what a test puts into it."""

import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tools/dev"))

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
GOOD = {
    "CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\nproject(x)\n",
    "include/parhelion/dtype.h": LICENCE + "#pragma once\n#include <cstdint>\n",
    "src/base/CMakeLists.txt":
        "# SPDX-License-Identifier: Apache-2.0\nph_library(base SOURCES a.cpp b.cpp)\n",
    "src/base/a.h": LICENCE + "#pragma once\n#include <parhelion/dtype.h>\n#include <fmt/core.h>\n",
    "src/base/a.cpp": LICENCE + '#include "base/a.h"\n#include <xxhash.h>\n#include <sys/mman.h>\n',
    "src/base/b.cpp": LICENCE + '#include "a.h"\n#include <fmt/format.h>\n',
    "src/ir/CMakeLists.txt":
        "# SPDX-License-Identifier: Apache-2.0\n"
        "ph_library(ir_tile SOURCES op.cpp DEPENDS base LIBS z)\n",
    "src/ir/op.cpp": LICENCE + '#include "base/a.h"\n',
}


class TreeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for path, text in GOOD.items():
            self.write(path, text)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def assert_finding(self, check, *parts):
        """Exactly one finding, and it says all of the parts."""
        found, _ = check(self.root)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def assert_clean(self, check):
        self.assertEqual(check(self.root)[0], [])
