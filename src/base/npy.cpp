// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace parhelion {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct NameRow {
  std::string_view descr;
  DType dtype;
};
constexpr NameRow name_rows[] = {
    {"|b1", DType::Bool}, {"|i1", DType::I8},  {"<i2", DType::I16}, {"<i4", DType::I32},
    {"<i8", DType::I64},  {"|u1", DType::U8},  {"<u2", DType::U16}, {"<u4", DType::U32},
    {"<u8", DType::U64},  {"<f2", DType::F16}, {"<f4", DType::F32}, {"<f8", DType::F64},
};

DType stored_as(DType dtype) {
  if (dtype == DType::BF16) return DType::U16;
  if (dtype == DType::F8E4M3 || dtype == DType::F8E5M2) return DType::U8;
  return dtype;
}

struct Header {
  DType dtype = DType::F32;
  bool column_major = false;
  std::vector<std::int64_t> sizes;
};

/// The text behind `'key':` in the dictionary of the header, up to its end.
std::optional<std::string_view> after_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  return trim(header.substr(colon + 1));
}

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  const std::size_t end = text.find(')');
  if (!starts_with(text, "(") || end == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const std::string_view part : split(text.substr(1, end - 1), ',')) {
    if (trim(part).empty()) continue;  // "(3,)"
    const auto size = parse_integer(trim(part));
    if (!size || *size < 0) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes.size() <= max_rank ? std::optional(sizes) : std::nullopt;
}

std::optional<Header> parse_header(std::string_view text) {
  Header header;
  const auto descr = after_key(text, "descr");
  const auto order = after_key(text, "fortran_order");
  const auto shape = after_key(text, "shape");
  if (!descr || !order || !shape || descr->size() < 5) return std::nullopt;
  const auto row = std::ranges::find(name_rows, descr->substr(1, 3), &NameRow::descr);
  if (row == std::end(name_rows)) return std::nullopt;
  auto sizes = parse_shape(*shape);
  if (!sizes) return std::nullopt;
  header.dtype = row->dtype;
  header.column_major = starts_with(*order, "True");
  header.sizes = std::move(*sizes);
  return header;
}

Buffer reorder_columns(std::span<const std::byte> bytes, const Header& header) {
  std::vector<std::int64_t> strides(header.sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    strides[i] = step;
    step *= header.sizes[i];
  }
  auto* data = const_cast<std::byte*>(bytes.data());  // only read by copy_of
  return Buffer::copy_of(TensorView(data, header.dtype, header.sizes, strides));
}

bool readable_as(DType file, DType wanted) {
  return file == wanted || file == stored_as(wanted) ||
         (file == DType::U16 && wanted == DType::F16);
}

}  // namespace

Result<Buffer> read_npy(const fs::path& path, std::optional<DType> as) {
  auto content = read_file(path);
  if (!content) return std::unexpected(content.error());
  const auto refuse = [&](std::string_view why) {
    return fail(8011, fmt::format("{}: {}", path.string(), why), {},
                "save it with numpy.save as a little-endian array of numbers");
  };
  const std::string_view text = *content;
  if (!starts_with(text, magic) || text.size() < 12) return refuse("not an .npy file");
  const auto byte = [&](std::size_t i) -> std::size_t {
    return static_cast<unsigned char>(text[i]);
  };
  const bool wide = byte(6) >= 2;  // format 1 has a 16-bit header length
  const std::size_t begin = wide ? 12 : 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (wide) length |= byte(10) << 16 | byte(11) << 24;
  if (begin + length > text.size()) return refuse("the header is cut off");
  auto header = parse_header(text.substr(begin, length));
  if (!header) return refuse("an array of this kind is not supported");
  if (as) {
    if (!readable_as(header->dtype, *as)) {
      return refuse(fmt::format("holds {}, wanted is {}", name(header->dtype), name(*as)));
    }
    header->dtype = *as;
  }
  std::int64_t bytes = size_bytes(header->dtype);
  for (const std::int64_t size : header->sizes) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return refuse("the shape is too large");
  }
  const auto raw = std::as_bytes(std::span(text.substr(begin + length)));
  if (raw.size() != static_cast<std::size_t>(bytes)) {
    return refuse(fmt::format("holds {} bytes of elements, its shape needs {}", raw.size(), bytes));
  }
  if (header->column_major && header->sizes.size() > 1) {
    return reorder_columns(raw, *header);
  }
  return Buffer::from_bytes(raw, header->dtype, header->sizes);
}

Result<std::string> write_npy(const fs::path& path, const TensorView& host) {
  const Buffer dense = Buffer::copy_of(host);
  const DType stored = stored_as(host.dtype);
  const auto row = std::ranges::find(name_rows, stored, &NameRow::dtype);
  std::string shape;
  for (int i = 0; i < host.rank; ++i) shape += fmt::format("{}, ", host.size(i));
  if (host.rank != 1 && !shape.empty()) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   row->descr, trim(shape));
  // Elements start at a multiple of 64 bytes: 10 before the header, a newline ends it.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file(magic);
  file +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  const auto bytes = static_cast<std::size_t>(dense.elements() * size_bytes(host.dtype));
  file.append(static_cast<const char*>(dense.data()), bytes);
  if (auto written = write_file(path, file); !written) return std::unexpected(written.error());
  if (stored == host.dtype) return std::string();
  return fmt::format("{} is stored as {} bit patterns: .npy has no name for it", name(host.dtype),
                     name(stored));
}

}  // namespace parhelion
