# SPDX-License-Identifier: Apache-2.0
import unittest

from bad_tree import LICENCE, TreeTest

import check_includes
from check_includes import check


class IncludesTest(TreeTest):
    def include(self, path, *lines):
        self.write(path, LICENCE + "\n".join(f"#include {line}" for line in lines) + "\n")

    def test_good_tree(self):
        self.assert_clean(check)

    def test_higher_layer(self):
        self.include("src/base/b.cpp", '"ir/op.h"')
        self.write("src/ir/op.h", LICENCE)
        self.assert_finding(check, "src/base/b.cpp", "base may not include ir")

    def test_folder_that_the_row_leaves_out(self):
        self.write("src/plan/plan.h", LICENCE)
        self.include("src/runtime/load.cpp", '"plan/plan.h"')
        self.assert_finding(check, "runtime may not include plan")

    def test_public_header_of_another_folder(self):
        self.write("include/parhelion/tune.h", LICENCE)
        self.include("src/ir/op.cpp", "<parhelion/tune.h>")
        self.assert_finding(check, "ir may not include the public header of tune")

    def test_umbrella_header_is_for_users(self):
        self.write("include/parhelion/parhelion.h", LICENCE)
        self.include("src/ir/op.cpp", "<parhelion/parhelion.h>")
        self.assert_finding(check, "everything")

    def test_public_header_names_nothing_internal(self):
        self.include("include/parhelion/dtype.h", '"base/a.h"')
        self.assert_finding(check, "a public header may not include base/a.h")

    def test_kernels_see_public_headers_only(self):
        self.include("kernels/softmax.cpp", '"base/a.h"', "<parhelion/dtype.h>")
        self.assert_finding(check, "kernels may not include base")

    def test_tests_see_everything(self):
        self.include("tests/unit/ir/op_test.cpp", '"base/a.h"', "<parhelion/dtype.h>",
                     "<doctest/doctest.h>")
        self.assert_clean(check)

    def test_worker_has_a_row_of_its_own(self):
        self.include("tools/worker/main.cpp", '"base/a.h"', '"ir/op.h"')
        self.write("src/ir/op.h", LICENCE)
        self.assert_finding(check, "tools/worker may not include ir")

    def test_third_party_outside_its_folder(self):
        self.include("src/ir/op.cpp", "<nlohmann/json.hpp>")
        self.assert_finding(check, "<nlohmann/json.hpp> belongs to base only")

    def test_costly_header_twice(self):
        self.include("src/base/b.cpp", "<xxhash.h>")
        self.assert_finding(check, "src/base/a.cpp, src/base/b.cpp", "one .cpp only")

    def test_costly_header_in_a_header(self):
        self.include("src/base/a.cpp", "<cstdint>")
        self.include("src/base/b.h", "<xxhash.h>")
        self.assert_finding(check, "src/base/b.h", "costly")

    def test_unknown_third_party(self):
        self.include("src/ir/op.cpp", "<eigen3/Eigen.h>")
        self.assert_finding(check, "not in the table of third-party headers")

    def test_heavy_part_of_fmt_in_a_header(self):
        self.include("src/base/b.h", "<fmt/format.h>")
        self.assert_finding(check, "src/base/b.h", "<fmt/core.h>")

    def test_iostream_in_src(self):
        self.include("src/ir/op.cpp", "<iostream>")
        self.assert_finding(check, "no <iostream> in src/")

    def test_file_that_does_not_exist(self):
        self.include("src/ir/op.cpp", '"base/gone.h"')
        self.assert_finding(check, "no file of the project is called base/gone.h")

    def test_folder_without_a_row(self):
        self.write("src/utils/CMakeLists.txt", "")
        self.assert_finding(check, "src/utils: no row")

    def test_depends_says_more_than_the_row(self):
        self.write("src/ir/CMakeLists.txt", "ph_library(ir_tile SOURCES op.cpp DEPENDS base plan_cpu)")
        self.assert_finding(check, "ir may not depend on plan_cpu")

    def test_text_in_a_raw_string_is_not_an_include(self):
        self.write("src/ir/op.cpp", LICENCE + 'auto text = R"(\n#include <iostream>\n)";\n')
        self.assert_clean(check)

    def test_table_with_a_cycle(self):
        rows = {"a": (1, {"b"}), "b": (1, {"a"}), "c": (0, set())}
        self.assertEqual(check_includes.table_findings(rows), ["include table: a cycle among a, b"])

    def test_table_that_names_a_higher_layer(self):
        rows = {"a": (0, {"b"}), "b": (1, set())}
        self.assertEqual(check_includes.table_findings(rows),
                         ["include table: a lists b of a higher layer"])


if __name__ == "__main__":
    unittest.main()
