// SPDX-License-Identifier: Apache-2.0
// A test that cannot run says so, with the reason; it never passes silently.
#pragma once

namespace parhelion::test {

void note_skip(const char* reason);

}  // namespace parhelion::test

/// Ends the test case: `PH_SKIP("no clang++ on this machine")`. Outside subcases only: doctest does
/// not come back for the subcases after one that returns.
#define PH_SKIP(reason)                    \
  do {                                     \
    ::parhelion::test::note_skip(reason);  \
    return;                                \
  } while (false)
