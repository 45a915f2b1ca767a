// SPDX-License-Identifier: Apache-2.0
#include "toolchain/version.h"

#include <doctest/doctest.h>

using namespace parhelion::toolchain;

TEST_CASE("versions are compared number by number") {
  CHECK(compare_versions("13.10", "13.9") > 0);
  CHECK(compare_versions("13", "13.0.0") == 0);
  CHECK(compare_versions("12.9.86", "13.0") < 0);
}

TEST_CASE("requirements") {
  CHECK(version_matches("13.0.88", ">=13.0,<13.6") == true);
  CHECK(version_matches("13.6.1", ">=13.0,<13.6") == false);
  CHECK(version_matches("13.0.88", "13.0") == true);
  CHECK(version_matches("13.0.88", "13") == true);
  CHECK(version_matches("13.1.5", "13.0") == false);
  CHECK(version_matches("13.0", "==13") == true);
  CHECK(version_matches("13.0", "!=13.0") == false);
  CHECK(version_matches("1", " > 0.9 ") == true);
  CHECK(version_matches("1", "<=1") == true);
  CHECK(version_matches("anything", "") == true);
  CHECK_FALSE(version_matches("13.0", "new"));
  CHECK_FALSE(version_matches("13.0", ">="));
  CHECK_FALSE(version_matches("13.0", ">=13.x"));
}

TEST_CASE("the version in what a tool prints") {
  CHECK(first_version("g++ (Debian 12.2.0-14+deb12u1) 12.2.0") == "12.2.0");
  CHECK(first_version("Cuda compilation tools, release 13.0, V13.0.88") == "13.0");
  CHECK(first_version("Debian clang version 19.1.7 (3)") == "19.1.7");
  CHECK(first_version("version 14") == "");
  CHECK(first_version("ends in 1.2.") == "1.2");
}
