# SPDX-License-Identifier: Apache-2.0
import unittest

from bad_tree import LICENCE, TreeTest

from check_sizes import check


class SizesTest(TreeTest):
    def test_good_tree(self):
        self.assert_clean(check)

    def test_600_lines_are_enough(self):
        self.write("src/base/b.cpp", LICENCE + "\n" * 599)
        self.assert_clean(check)
        self.write("src/base/b.cpp", LICENCE + "\n" * 600)
        self.assert_finding(check, "src/base/b.cpp", "601 lines, at most 600")

    def test_ninth_decile(self):
        for name in "abcdefgh":
            self.write(f"src/ir/{name}.cpp", LICENCE + "\n" * 400)
        self.assert_finding(check, "up to 401 lines, at most 300")

    def test_columns(self):
        self.write("src/base/b.cpp", LICENCE + "x" * 101 + "\n")
        self.assert_finding(check, "src/base/b.cpp:2: 101 columns, at most 100")

    def test_columns_of_the_prelude(self):
        self.write("src/base/b.cuh", LICENCE + "x" * 140 + "\n")
        self.assert_clean(check)
        self.write("src/base/b.cuh", LICENCE + "x" * 141 + "\n")
        self.assert_finding(check, "141 columns, at most 140")

    def test_goldens_and_tables_are_as_wide_as_they_are(self):
        self.write("tests/golden/cpu/softmax.cpp", "x" * 300 + "\n")
        self.write("src/base/codes.def", LICENCE + "x" * 300 + "\n")
        self.assert_clean(check)

    def test_licence(self):
        self.write("src/base/b.cpp", "int x;\n")
        self.assert_finding(check, "src/base/b.cpp", "no 'SPDX-License-Identifier: Apache-2.0'")

    def test_licence_of_a_script_is_its_second_line(self):
        self.write("tools/dev/x", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")
        self.assert_clean(check)
        self.write("tools/dev/x", "#!/bin/sh\n")
        self.assert_finding(check, "tools/dev/x")

    def test_public_headers(self):
        for number in range(15):
            self.write(f"include/parhelion/h{number}.h", LICENCE)
        self.assert_finding(check, "16 public headers, at most 15")


if __name__ == "__main__":
    unittest.main()
