# SPDX-License-Identifier: Apache-2.0
import unittest

from bad_tree import LICENCE, TreeTest

from check_cmake_lists import check


class CMakeListsTest(TreeTest):
    def test_good_tree(self):
        self.assert_clean(check)

    def test_source_that_no_list_names(self):
        self.write("src/base/c.cpp", LICENCE)
        self.assert_finding(check, "src/base/c.cpp: in no CMakeLists.txt")

    def test_commented_source_is_not_named(self):
        self.write("src/base/CMakeLists.txt", "ph_library(base SOURCES a.cpp\n# b.cpp\n)")
        self.assert_finding(check, "src/base/b.cpp: in no CMakeLists.txt")

    def test_name_without_a_source(self):
        self.write("src/base/CMakeLists.txt", "ph_library(base SOURCES a.cpp b.cpp c.cpp)")
        self.assert_finding(check, "names src/base/c.cpp, which is not there")

    def test_source_in_two_lists(self):
        self.write("src/CMakeLists.txt", "ph_library(all SOURCES base/a.cpp)")
        self.assert_finding(check, "src/base/a.cpp: named in src/CMakeLists.txt, src/base")

    def test_order(self):
        self.write("src/base/CMakeLists.txt", "ph_library(base SOURCES b.cpp a.cpp LIBS z)")
        self.assert_finding(check, "src/base/CMakeLists.txt: sources are not sorted: b.cpp a.cpp")

    def test_two_lists_of_one_call_are_sorted_by_themselves(self):
        self.write("src/base/CMakeLists.txt", "ph_embed(t FILES b.cpp)\nph_library(base SOURCES a.cpp)")
        self.assert_clean(check)

    def test_tests_count_too(self):
        self.write("tests/unit/ir/op_test.cpp", LICENCE)
        self.assert_finding(check, "tests/unit/ir/op_test.cpp: in no CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
