// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <parhelion/tensor.h>

#include <array>
#include <numeric>
#include <vector>

namespace parhelion {
namespace {

int code_of(const auto& result) { return result ? 0 : result.error()[0].code; }

int thrown_code(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostics()[0].code;
  }
  return 0;
}

TEST_CASE("a view is row-major unless strides are given") {
  std::array<float, 24> data{};
  const TensorView v(data.data(), {2, 3, 4});
  CHECK(v.dtype == DType::F32);
  CHECK(v.stride(0) == 12);
  CHECK(v.stride(1) == 4);
  CHECK(v.stride(2) == 1);
  CHECK(v.contiguous());
  CHECK(v.elements() == 24);
  CHECK(v.span_bytes() == 96);
  CHECK(layout_text(v) == "f32[2,3,4]");
  const TensorView column(data.data(), DType::F32, {3, 4}, {1, 3});
  CHECK_FALSE(column.contiguous());
  CHECK(column.span_bytes() == 48);
  CHECK(layout_text(column) == "f32[3,4] strides [1,3]");
  const TensorView one(data.data(), DType::F32, {3, 1}, {1, 99});
  CHECK(one.contiguous());  // the stride of one element is never used
  const TensorView scalar(data.data(), DType::F32, std::initializer_list<std::int64_t>{});
  CHECK(scalar.elements() == 1);
  CHECK(TensorView(nullptr, DType::F16, {0, 5}).span_bytes() == 0);
  const float constant = 1;
  CHECK(TensorView(&constant, {1}).read_only);
  CHECK(TensorView(std::span<float>(data)).size(0) == 24);
}

TEST_CASE("what a call refuses on its own") {
  alignas(8) std::array<float, 8> data{};
  CHECK(check_tensor(TensorView(data.data(), {8}), "'x'").has_value());
  const auto message = [](const TensorView& v) {
    return check_tensor(v, "'x'").error()[0].message;
  };
  const TensorView null(nullptr, DType::F32, {1024});
  CHECK(code_of(check_tensor(null, "'x'")) == 6004);
  CHECK(message(null) == "'x' is null with 1024 elements");
  CHECK(check_tensor(TensorView(nullptr, DType::F32, {0, 3}), "'x'").has_value());
  const TensorView negative(data.data(), DType::F32, {-1});
  CHECK(code_of(check_tensor(negative, "'x'")) == 6005);
  CHECK(message(negative) == "size 0 of 'x' is -1");
  const TensorView odd(reinterpret_cast<char*>(data.data()) + 2, DType::F32, {1});
  CHECK(code_of(check_tensor(odd, "'x'")) == 6007);
  CHECK(message(odd) == "'x' starts off the alignment of its element, f32");
  const TensorView backwards(data.data() + 7, DType::F32, {8}, {-1});
  CHECK(code_of(check_tensor(backwards, "'x'")) == 6008);
  CHECK(message(backwards) == "'x' has stride -1 in dimension 0");
  CHECK(thrown_code([] { return TensorView(nullptr, DType::F32, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }) ==
        6012);
}

TEST_CASE("buffers share, and the last owner frees") {
  Buffer a = Buffer::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Buffer b = a;
  a.span<float>()[4] = 50;
  CHECK(b.span<float>()[4] == 50);
  a = Buffer();
  CHECK_FALSE(a.valid());
  CHECK(b.span<float>()[4] == 50);
  CHECK(TensorView(b).size(1) == 3);
  const Buffer zero = Buffer::zeros({0, 7}, DType::BF16);
  CHECK(zero.valid());
  CHECK(zero.elements() == 0);
  CHECK(Buffer::zeros({3}, DType::I64).span<std::int64_t>()[2] == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(Buffer::empty({5}, DType::I8).data()) % 64 == 0);
}

TEST_CASE("misuse of buffers throws with a code") {
  const Buffer b = Buffer::zeros({4}, DType::BF16);
  CHECK(b.span<std::uint16_t>().size() == 4);  // its raw width
  CHECK(thrown_code([&] { return b.span<float>(); }) == 6012);
  CHECK(thrown_code([] { return Buffer::from<float>({1, 2, 3}, {2, 2}); }) == 6012);
  CHECK(thrown_code([] { return Buffer::empty({-3}, DType::F32); }) == 6005);
  CHECK(thrown_code([] { return Buffer::empty({1LL << 40, 1LL << 40}, DType::F32); }) == 6013);
  CHECK(thrown_code([] { return Buffer::empty({1LL << 60}, DType::F32); }) == 6013);
}

TEST_CASE("a strided view is copied into dense order") {
  std::vector<float> data(24);
  std::iota(data.begin(), data.end(), 0.f);
  const Buffer t = Buffer::copy_of(TensorView(data.data(), DType::F32, {4, 2, 3}, {1, 12, 4}));
  CHECK(t.span<float>()[0] == 0);
  CHECK(t.span<float>()[1] == 4);
  CHECK(t.span<float>()[3] == 12);
  CHECK(t.span<float>()[6] == 1);
  std::vector<float> out(24);
  REQUIRE(t.copy_to(TensorView(out.data(), {24})).has_value());
  CHECK(out[6] == 1);
  CHECK(code_of(t.copy_to(TensorView(out.data(), {23}))) == 6012);
  CHECK(code_of(t.copy_to(TensorView(out.data(), {24}).as_read_only())) == 6009);
}

TEST_CASE("DLPack keeps layout and flags both ways") {
  Buffer b = Buffer::from<std::int32_t>({1, 2, 3, 4}, {2, 2});
  dlpack::ManagedTensor* exported = b.to_dlpack();
  b = Buffer();  // the export holds the memory
  CHECK(exported->tensor.ndim == 2);
  CHECK(exported->tensor.dtype.code == 0);
  CHECK(exported->tensor.dtype.bits == 32);
  CHECK(exported->flags == 0);
  exported->flags = dlpack::flag_read_only;
  auto back = Buffer::from_dlpack(exported);
  REQUIRE(back.has_value());
  CHECK(back->view().read_only);
  CHECK(back->span<std::int32_t>()[3] == 4);
}

TEST_CASE("every dtype passes through DLPack") {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(name(dtype));
    auto back = Buffer::from_dlpack(Buffer::zeros({3}, dtype).to_dlpack());
    REQUIRE(back.has_value());
    CHECK(back->dtype() == dtype);
  }
}

TEST_CASE("foreign DLPack tensors are taken over or refused, and freed once") {
  static int freed = 0;
  freed = 0;
  std::array<float, 8> data{};
  std::array<std::int64_t, 2> shape = {2, 3};
  dlpack::ManagedTensor foreign;
  foreign.deleter = [](dlpack::ManagedTensor*) { ++freed; };
  foreign.tensor = {data.data(), {1, 0}, 2, {2, 32, 1}, shape.data(), nullptr, 8};
  {
    auto taken = Buffer::from_dlpack(&foreign);
    REQUIRE(taken.has_value());
    CHECK(taken->data() == data.data() + 2);  // byte_offset
    CHECK(taken->view().stride(0) == 3);
    CHECK(freed == 0);
  }
  CHECK(freed == 1);
  foreign.tensor.dtype = {5, 64, 1};
  const auto complex = Buffer::from_dlpack(&foreign);
  CHECK(code_of(complex) == 6010);
  CHECK(complex.error()[0].message ==
        "DLPack: dtype code 5 with 64 bits and 1 lanes is not supported");
  CHECK(freed == 2);
  foreign.tensor.dtype = {2, 32, 4};
  CHECK(code_of(Buffer::from_dlpack(&foreign)) == 6010);
  foreign.tensor.dtype = {2, 32, 1};
  foreign.tensor.device = {7, 0};
  CHECK(code_of(Buffer::from_dlpack(&foreign)) == 6010);
  foreign.tensor.device = {1, 0};
  foreign.version.major = 2;
  CHECK(code_of(Buffer::from_dlpack(&foreign)) == 6010);
  CHECK(freed == 5);
}

TEST_CASE("names of devices round-trip") {
  for (const Device d : {Device{}, Device{Device::Kind::Cuda, 0}, Device{Device::Kind::Cuda, 3}}) {
    CHECK(parse_device(name(d)) == d);
  }
  CHECK(parse_device("cuda") == Device{Device::Kind::Cuda, 0});
  CHECK_FALSE(parse_device("cuda:-1").has_value());
  CHECK_FALSE(parse_device("gpu").has_value());
}

}  // namespace
}  // namespace parhelion
