// SPDX-License-Identifier: Apache-2.0
#include "base/code_writer.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/rng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

using namespace parhelion;

TEST_CASE("hashes have a text that reads back") {
  const Hash h = hash_text("softmax");
  CHECK(h.hex().size() == 32);
  CHECK(Hash::parse(h.hex()) == h);
  CHECK(h.short_hex() == h.hex().substr(0, 6));
  CHECK(Hash{0, 1}.hex() == "00000000000000000000000000000001");
  CHECK_FALSE(Hash::parse("12"));
  CHECK_FALSE(Hash::parse(std::string(31, '0') + "G"));
  CHECK(hash_text("a") != hash_text("b"));
  const std::array bytes = {std::byte{'a'}};
  CHECK(hash_bytes(bytes) == hash_text("a"));
}

TEST_CASE("a streamed hash tells pieces apart") {
  const auto of = [](std::string_view a, std::string_view b) {
    return Hasher().add(a).add(b).finish();
  };
  CHECK(of("ab", "c") == of("ab", "c"));
  CHECK(of("ab", "c") != of("a", "bc"));
  CHECK(of("", "a") != of("a", ""));
  CHECK(Hasher().add(std::uint64_t{1}).finish() != Hasher().add(std::uint64_t{2}).finish());
}

TEST_CASE("strong ids") {
  struct Tag {};
  const Id<Tag> none, three(3u);
  CHECK_FALSE(none.valid());
  CHECK(three.valid());
  CHECK(three.index() == 3);
  CHECK(three == Id<Tag>(std::size_t{3}));
}

TEST_CASE("random numbers depend on seed, stream and counter alone") {
  Rng a(1, 2), b(1, 2), c(1, 3);
  bool same = true, differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t bits = a.bits();
    same = same && bits == b.bits() &&
           bits == random_bits(1, 2, static_cast<std::uint64_t>(i));
    differs = differs || bits != c.bits();
  }
  CHECK(same);
  CHECK(differs);
}

TEST_CASE("random numbers keep their ranges and their means") {
  Rng rng(11);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 7000; ++i) ++counts[rng.below(7)];
  CHECK(counts.size() == 7);
  // 1000 each, standard deviation 29.3: five of them.
  for (const auto& [value, count] : counts) CHECK(std::abs(count - 1000) < 147);
  double sum = 0, squares = 0, uniform = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = rng.normal(), u = rng.uniform();
    sum += x;
    squares += x * x;
    uniform += u;
    if (u < 0 || u >= 1) FAIL("uniform leaves [0, 1)");
    const std::int64_t v = rng.between(-3, 3);
    if (v < -3 || v > 3) FAIL("between leaves its range");
  }
  CHECK(std::fabs(sum / 1e4) < 0.05);
  CHECK(std::fabs(squares / 1e4 - 1) < 0.075);
  CHECK(std::fabs(uniform / 1e4 - 0.5) < 0.015);
  CHECK(rng.between(5, 5) == 5);
  (void)rng.between(std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::int64_t>::max());
  std::vector<int> items = {1, 2, 3, 4, 5};
  rng.shuffle(items);
  std::ranges::sort(items);
  CHECK(items == std::vector<int>{1, 2, 3, 4, 5});
}

TEST_CASE("a code writer indents, counts lines, and remembers where they come from") {
  CodeWriter out;
  out.line("// head");
  out.open("void f()");
  out.mark("softmax.cpp", 12, 3);
  out.line("g();");
  out.line("");
  out.raw("raw\n  text\n");
  out.mark("softmax.cpp", 14, 1);
  out.mark("softmax.cpp", 15, 1);  // of the same line: the later one
  out.line("h();");
  out.close();
  CHECK(out.text() == "// head\nvoid f() {\n  g();\n\nraw\n  text\n  h();\n}\n");
  CHECK(out.current_line() == 9);
  const LineTable& lines = out.lines();
  CHECK(lines.find(2) == nullptr);
  CHECK(lines.find(3)->user_line == 12);
  CHECK(lines.find(6)->user_line == 12);
  CHECK(lines.find(7)->user_line == 15);
  CHECK(lines.find(99)->user_line == 15);
  CHECK(lines.entries.size() == 2);
}
