// SPDX-License-Identifier: Apache-2.0
#include "layout/shared_image.h"

#include <algorithm>
#include <bit>

#include "base/diag.h"
#include "layout/algebra.h"
#include "layout/swizzle.h"

namespace parhelion::layout {
namespace {

int log2_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

// What one side asks of the image.
struct Wish {
  std::vector<Bits> low;  // offset bits from 0 up that one access covers
  Subspace wavefront;     // elements that one wavefront touches
};

// The elements of one 16-byte row of a matrix instruction, in order.
std::vector<Bits> matrix_row(const ImageSide& side, int element_bytes) {
  const auto& lanes = side.layout.bases(Input::Lane);
  if (side.access == SharedAccess::MatrixTrans) return {lanes[2], lanes[3], lanes[4]};
  const int in_register = log2_of(4 / element_bytes);
  std::vector<Bits> row(side.layout.bases(Input::Register).begin(),
                        side.layout.bases(Input::Register).begin() + in_register);
  row.push_back(lanes[0]);
  row.push_back(lanes[1]);
  return row;
}

// The 8 rows that a matrix instruction reads in one wavefront.
std::vector<Bits> matrix_rows(const ImageSide& side) {
  const auto& lanes = side.layout.bases(Input::Lane);
  if (side.access == SharedAccess::Matrix) return {lanes[2], lanes[3], lanes[4]};
  return {side.layout.bases(Input::Register)[0], lanes[0], lanes[1]};
}

int common_prefix(const std::vector<Bits>& low, const LinearLayout& layout) {
  const Subspace registers(layout.bases(Input::Register));
  int count = 0;
  while (count < static_cast<int>(low.size()) &&
         registers.contains(low[static_cast<std::size_t>(count)])) {
    ++count;
  }
  return count;
}

Wish wish_of(const ImageSide& side, const std::vector<Bits>& low, int vector, int element_bytes) {
  Wish wish;
  if (side.access != SharedAccess::Plain) {
    wish.low = matrix_row(side, element_bytes);
    wish.wavefront = Subspace(wish.low);
    for (const Bits b : matrix_rows(side)) wish.wavefront.add(b);
    return wish;
  }
  wish.low.assign(low.begin(), low.begin() + vector);
  const int bytes = element_bytes << vector;
  const int lane_bits = bytes <= 4 ? 5 : bytes == 8 ? 4 : 3;
  // Narrower accesses share words: the whole word counts as touched.
  const std::size_t word =
      element_bytes < 4 ? static_cast<std::size_t>(log2_of(4 / element_bytes)) : 0;
  const auto covered = std::min(low.size(), std::max(word, wish.low.size()));
  wish.wavefront = Subspace(std::span(low).first(covered));
  const auto& lanes = side.layout.bases(Input::Lane);
  for (int i = 0; i < std::min<int>(lane_bits, static_cast<int>(lanes.size())); ++i) {
    wish.wavefront.add(lanes[static_cast<std::size_t>(i)]);
  }
  return wish;
}

// Extends `space` by unit vectors to `dimension`.
Subspace extended(const Subspace& space, int dimension, int n) {
  Subspace result = space;
  for (const Bits v : extension(space, unit_vectors(n), dimension - space.dimension()))
    result.add(v);
  return result;
}

// Line bits G of dimension n - line with G ∩ a = G ∩ b = 0: then no wavefront meets a bank twice.
std::vector<Bits> line_bits(Subspace a, Subspace b, int line, int n) {
  if (n <= line) return {};
  a = extended(a, line, n);
  b = extended(b, line, n);
  const Subspace both = intersection(a, b);
  const auto only_a = extension(both, a.basis());
  const auto only_b = extension(both, b.basis());
  std::vector<Bits> g;
  for (std::size_t i = 0; i < only_a.size(); ++i) g.push_back(only_a[i] ^ only_b[i]);
  const auto outside = extension(sum(a, b), unit_vectors(n));
  g.insert(g.end(), outside.begin(), outside.end());
  return g;
}

// Replaces v by the vector of `complement` that differs from it by an element of `low`.
Bits project(Bits v, const std::vector<Bits>& low, const std::vector<Bits>& complement, int n) {
  std::vector<Bits> columns = complement;
  columns.insert(columns.end(), low.begin(), low.end());
  const auto inverse = BitMatrix(n, columns).right_inverse();
  PH_ASSERT(inverse.has_value(), "low and its complement do not span the tile");
  const Bits keep = (Bits{1} << complement.size()) - 1;
  return BitMatrix(n, columns).apply(inverse->apply(v) & keep);
}

LinearLayout assemble(const ImageSide& source, const ImageSide& target,
                      const std::vector<Bits>& low, const std::vector<Bits>& lines) {
  const int n = source.layout.output_bits();
  // A complement of low that holds the lane and warp bases as far as they fit: then the place
  // inside the vector does not depend on the lane.
  std::vector<Bits> wanted;
  for (const LinearLayout* layout : {&source.layout, &target.layout}) {
    for (const Input input : {Input::Lane, Input::Warp}) {
      wanted.insert(wanted.end(), layout->bases(input).begin(), layout->bases(input).end());
    }
  }
  for (const Bits unit : unit_vectors(n)) wanted.push_back(unit);
  const auto complement = extension(Subspace(low), wanted);
  std::vector<Bits> shifted_lines;
  for (const Bits g : lines) shifted_lines.push_back(project(g, low, complement, n));
  Subspace taken(low);
  for (const Bits g : shifted_lines) taken.add(g);
  LinearLayout image(source.layout.axes());
  for (const Bits b : low) image.add(Input::Offset, b);
  for (const Bits b : extension(taken, complement)) image.add(Input::Offset, b);
  for (const Bits b : shifted_lines) image.add(Input::Offset, b);
  return image;
}

SharedImage build(const ImageSide& source, const ImageSide& target, std::vector<Bits> low,
                  int element_bytes) {
  const int n = source.layout.output_bits();
  SharedImage result;
  result.source_vector = common_prefix(low, source.layout);
  result.target_vector = common_prefix(low, target.layout);
  const Wish a = wish_of(source, low, result.source_vector, element_bytes);
  const Wish b = wish_of(target, low, result.target_vector, element_bytes);
  const int line = log2_of(128 / element_bytes);
  result.image = assemble(source, target, low, line_bits(a.wavefront, b.wavefront, line, n));
  result.source_wavefronts =
      count_wavefronts(result.image, source, result.source_vector, element_bytes);
  result.target_wavefronts =
      count_wavefronts(result.image, target, result.target_vector, element_bytes);
  return result;
}

// Low bits to try: the common registers, alone or continued by those of one side.
std::vector<std::vector<Bits>> low_candidates(const ImageSide& source, const ImageSide& target,
                                              int element_bytes) {
  for (const ImageSide* side : {&source, &target}) {
    if (side->access != SharedAccess::Plain) return {matrix_row(*side, element_bytes)};
  }
  const int most = log2_of(16 / element_bytes);
  const auto& a = source.layout.bases(Input::Register);
  const auto& b = target.layout.bases(Input::Register);
  const Subspace common = intersection(Subspace(a), Subspace(b));
  // In the order of the source's registers where they are common: plain vectors need no renaming.
  std::vector<Bits> shared;
  Subspace used;
  for (const Bits v : a) {
    if (common.contains(v) && used.add(v)) shared.push_back(v);
  }
  for (const Bits v : extension(used, common.basis())) shared.push_back(v);
  if (static_cast<int>(shared.size()) > most) shared.resize(static_cast<std::size_t>(most));
  std::vector<std::vector<Bits>> candidates = {shared};
  for (const auto* own : {&a, &b}) {
    auto low = shared;
    const int room = most - static_cast<int>(shared.size());
    for (const Bits v : extension(Subspace(shared), *own, room)) low.push_back(v);
    if (low.size() > shared.size()) candidates.push_back(low);
  }
  // A bank is a word: an image fixes at least the order inside it.
  const int word = element_bytes < 4 ? log2_of(4 / element_bytes) : 0;
  for (auto& low : candidates) {
    for (const auto& more : {a, b, unit_vectors(source.layout.output_bits())}) {
      const int room = std::max(0, word - static_cast<int>(low.size()));
      for (const Bits v : extension(Subspace(low), more, room)) low.push_back(v);
    }
  }
  return candidates;
}

}  // namespace

LinearLayout row_major_image(const LinearLayout& layout) {
  LinearLayout image(layout.axes());
  for (std::size_t i = layout.axes().size(); i-- > 0;) {
    for (int b = 0; b < layout.axes()[i].bits; ++b) {
      image.add(Input::Offset, layout.axes()[i].name, b);
    }
  }
  return image;
}

int count_wavefronts(const LinearLayout& image, const ImageSide& side, int vector,
                     int element_bytes) {
  const auto place = inverse(image);
  PH_ASSERT(place.has_value(), "an image holds every element");
  const LinearLayout& layout = side.layout;
  const bool matrix = side.access != SharedAccess::Plain;
  const int n = layout.output_bits();
  // Registers that one access covers are skipped; copies in registers are not accessed again.
  Subspace covered;
  if (matrix) {
    for (const Bits b : matrix_row(side, element_bytes)) covered.add(b);
    for (const Bits b : matrix_rows(side)) covered.add(b);
  } else {
    const auto& low = image.bases(Input::Offset);
    for (int i = 0; i < vector; ++i) covered.add(low[static_cast<std::size_t>(i)]);
  }
  const auto rest = extension(covered, layout.bases(Input::Register));
  const int bytes = matrix ? 16 : element_bytes << vector;
  const std::vector<Bits> lanes = matrix ? matrix_rows(side) : layout.bases(Input::Lane);
  int total = 0;
  for (Bits w = 0; w < Bits{1} << layout.bits(Input::Warp); ++w) {
    const Bits warp = BitMatrix(n, layout.bases(Input::Warp)).apply(w);
    for (Bits r = 0; r < Bits{1} << rest.size(); ++r) {
      const Bits base = warp ^ BitMatrix(n, rest).apply(r);
      std::vector<std::uint32_t> addresses;
      for (Bits l = 0; l < Bits{1} << lanes.size(); ++l) {
        const Bits offset = place->apply(base ^ BitMatrix(n, lanes).apply(l));
        const Bits aligned = matrix ? offset & ~((Bits{16} / static_cast<Bits>(element_bytes)) - 1)
                                    : offset & ~((Bits{1} << vector) - 1);
        addresses.push_back(aligned * static_cast<std::uint32_t>(element_bytes));
      }
      total += wavefronts(addresses, bytes);
    }
  }
  return total;
}

SharedImage swizzled_image(const ImageSide& source, const ImageSide& target, int element_bytes) {
  PH_ASSERT(source.layout.axes() == target.layout.axes(), "sides of one image differ in axes");
  std::optional<SharedImage> best;
  for (auto& low : low_candidates(source, target, element_bytes)) {
    SharedImage image = build(source, target, std::move(low), element_bytes);
    const auto cost = [](const SharedImage& i) {
      return i.source_wavefronts + i.target_wavefronts;
    };
    if (!best || cost(image) < cost(*best)) best = std::move(image);
  }
  return *best;
}

}  // namespace parhelion::layout
