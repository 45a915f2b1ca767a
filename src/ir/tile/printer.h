// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/tile/names.h"

#include <string>

namespace parhelion::ir {

/// Writes one kernel; print() and hash() differ in its options only.
class Printer {
 public:
  struct Options {
    bool locations = true;
    bool nameless = false;  // no user names, messages or kernel name
  };
  Printer(const Function& function, Options options);
  std::string kernel();

 private:
  // print_host.cpp
  std::string parameter(const Parameter& p) const;
  void host_part();
  void blocks();
  void host_op(const HostOp& op);
  std::string made(const Tensor& t) const;
  std::string view(const Tensor& t) const;
  std::string returned() const;
  // print.cpp
  void line(std::string_view text, Location where = {});
  void region(RegionId id);
  void op(OpId id);
  void loop(const Op& o);
  void while_loop(const Op& o);
  void branch(const Op& o);
  void plain(const Op& o);
  void open(const std::string& head, Location where);
  void close(std::string_view tail = "}");
  std::string results(const Op& o) const;
  std::string bound(const Op& o, const Bound& b) const;
  std::string carry(const Op& o, RegionId body, std::size_t first) const;
  std::string operands(const Op& o) const;
  std::string place(const Op& o, const Access& a) const;
  std::string subscript(const Op& o, const Subscript& s) const;
  std::string attributes(const Op& o, const Access& a) const;
  std::string attributes(const Op& o) const;
  std::string dim(AxisId axis) const;
  std::string dims(const std::vector<SizeId>& sizes) const;
  std::string type(const TileType& t) const;
  std::string size(SizeId id) const { return names_.size(f_, id); }
  std::string val(ValueId id) const { return "%" + names_.values[id.index()]; }
  std::string tensor(TensorId id) const { return "@" + names_.tensors[id.index()]; }

  const Function& f_;
  Options options_;
  Names names_;
  bool sites_in_order_ = true;
  std::string text_;
  int depth_ = 0;
};

}  // namespace parhelion::ir
