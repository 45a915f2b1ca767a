// SPDX-License-Identifier: Apache-2.0
#include "support/skip.h"

#include <doctest/doctest.h>

TEST_CASE("skipped for a first reason") { PH_SKIP("the first reason"); }

TEST_CASE("skipped for a second reason") { PH_SKIP("the second reason"); }

TEST_CASE("a case that runs") { CHECK(1 + 1 == 2); }
