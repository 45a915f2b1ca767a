// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include "artifact/file.h"

#include <doctest/doctest.h>

using namespace parhelion;
using artifact_test::sample;

TEST_CASE("an artifact comes back from its file as it was") {
  const TemporaryDirectory folder("parhelion-artifact");
  const fs::path file = folder.path() / "a.phart";
  const artifact::Artifact before = sample();
  REQUIRE(artifact::write_artifact(file, before));
  const auto after = artifact::read_artifact(file);
  REQUIRE(after);
  CHECK(*after == before);
  CHECK(artifact::serialize(before) == artifact::serialize(*after));

  const artifact::Artifact empty;
  const auto read = artifact::deserialize(artifact::serialize(empty));
  REQUIRE(read);
  CHECK(*read == empty);
}

TEST_CASE("a summary is read without the rest") {
  const TemporaryDirectory folder("parhelion-artifact");
  const fs::path file = folder.path() / "a.phart";
  const artifact::Artifact before = sample();
  REQUIRE(write_file(file, artifact::serialize(before, artifact_test::origin("t"))));
  const auto summary = artifact::read_summary(file);
  REQUIRE(summary);
  CHECK(summary->kind == artifact::Kind::Cubin);
  CHECK(summary->kernel == "softmax");
  CHECK(summary->code_hash == before.code_hash);
  CHECK(summary->image_bytes == static_cast<std::int64_t>(before.bytes.size()));
  CHECK(summary->origin == artifact_test::origin("t"));
}

TEST_CASE("damage anywhere is an error value") {
  const std::string good = artifact::serialize(sample());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const auto read = artifact::deserialize(bad);
    REQUIRE_FALSE(read);
    const int code = read.error().front().code;
    CHECK((code == 8201 || code == 8202));
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    const auto read = artifact::deserialize(std::string_view(good).substr(0, size));
    REQUIRE_FALSE(read);
    CHECK(read.error().front().code == 8201);
  }
  const auto read = artifact::deserialize(good + "x");
  REQUIRE_FALSE(read);
  CHECK(read.error().front().message == "a damaged artifact: its checksum does not fit");
}

TEST_CASE("a newer schema is refused with both numbers") {
  std::string bytes = artifact::serialize(sample());
  bytes[24] = 9;  // the schema follows magic and checksum
  const auto read = artifact::deserialize(bytes);
  REQUIRE_FALSE(read);
  CHECK(read.error().front().code == 8202);
  CHECK(read.error().front().message == "an artifact of schema 9; this version reads up to 1");
}

TEST_CASE("kinds have names that read back") {
  for (int i = 0; i < 4; ++i) {
    const auto kind = static_cast<artifact::Kind>(i);
    CHECK(artifact::parse_kind(artifact::name(kind)) == kind);
  }
  CHECK_FALSE(artifact::parse_kind("exe"));
}
