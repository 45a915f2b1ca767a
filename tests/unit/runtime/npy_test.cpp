// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/npy.h"

#include <cstring>
#include <string>

namespace parhelion {
namespace {

/// A file as numpy.save writes it, format 1.0.
std::string npy(std::string header, std::string_view elements) {
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(elements);
}

Result<Buffer> read(std::string_view content, std::optional<DType> as = {}) {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "x.npy";
  REQUIRE(write_file(path, content).has_value());
  return read_npy(path, as);
}

std::string message(const Result<Buffer>& r) {
  const std::string text = r.error()[0].message;
  return text.substr(text.find(": ") + 2);
}

TEST_CASE("every dtype is written and read back") {
  const TemporaryDirectory folder;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(name(dtype));
    const Buffer zeros = Buffer::zeros({2, 3}, dtype);
    static_cast<unsigned char*>(zeros.data())[1 % size_bytes(dtype)] = 1;
    const auto note = write_npy(folder.path() / "t.npy", zeros);
    REQUIRE(note.has_value());
    const bool named = dtype != DType::BF16 && dtype != DType::F8E4M3 && dtype != DType::F8E5M2;
    CHECK(note->empty() == named);
    auto back = read_npy(folder.path() / "t.npy", dtype);
    REQUIRE(back.has_value());
    CHECK(back->dtype() == dtype);
    CHECK(back->size(1) == 3);
    CHECK(std::memcmp(back->data(), zeros.data(),
                      static_cast<std::size_t>(6 * size_bytes(dtype))) == 0);
  }
  CHECK(write_npy(folder.path() / "b.npy", Buffer::zeros({1}, DType::BF16)).value() ==
        "bf16 is stored as u16 bit patterns: .npy has no name for it");
}

TEST_CASE("shapes of all ranks round-trip") {
  const TemporaryDirectory folder;
  const std::vector<std::vector<std::int64_t>> shapes = {{}, {5}, {0}, {2, 0, 3}, {1, 2, 3, 4}};
  for (const auto& shape : shapes) {
    REQUIRE(write_npy(folder.path() / "s.npy", Buffer::zeros(shape, DType::F32)).has_value());
    auto back = read_npy(folder.path() / "s.npy");
    REQUIRE(back.has_value());
    CHECK(back->rank() == static_cast<int>(shape.size()));
    CHECK(std::equal(shape.begin(), shape.end(), back->view().sizes.begin()));
  }
}

TEST_CASE("column-major files come out row-major") {
  const std::string elements("\1\2\3\4\5\6", 6);
  auto b = read(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", elements));
  REQUIRE(b.has_value());
  CHECK(b->span<std::uint8_t>()[1] == 3);
  CHECK(b->span<std::uint8_t>()[3] == 2);
}

TEST_CASE("files that cannot be read as wanted are refused with the reason") {
  CHECK(message(read("hello, this is text")) == "not an .npy file");
  CHECK(read("x").error()[0].code == 8011);
  const std::string good = npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", "abcd");
  CHECK(read(good, DType::BF16)->dtype() == DType::BF16);
  CHECK(read(good, DType::F16)->dtype() == DType::F16);
  CHECK(message(read(good, DType::F32)) == "holds u16, wanted is f32");
  CHECK(message(read(good.substr(0, 40))) == "the header is cut off");
  CHECK(message(read(good.substr(0, good.size() - 1))) ==
        "holds 3 bytes of elements, its shape needs 4");
  CHECK(message(read(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"))) ==
        "an array of this kind is not supported");
  CHECK(message(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "abcd"))) ==
        "an array of this kind is not supported");
  CHECK(message(read(npy("{'descr': '<f8', 'fortran_order': False, "
                         "'shape': (4611686018427387904, 8), }",
                         ""))) == "the shape is too large");
}

}  // namespace
}  // namespace parhelion
