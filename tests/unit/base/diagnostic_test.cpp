// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include "base/files.h"
#include "base/json.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace parhelion;

TEST_CASE("the table of codes is sorted, and every row says something") {
  const auto rows = diag_rows();
  CHECK(std::ranges::is_sorted(rows, {}, &DiagRow::code));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK_FALSE(rows[i].summary.empty());
    if (i > 0) CHECK(rows[i].code != rows[i - 1].code);
    CHECK(rows[i].code >= 1000);
    CHECK(rows[i].code <= 9999);
  }
}

TEST_CASE("a diagnostic has the severity of its row") {
  CHECK(diag(8001, "m").severity == Severity::Error);
  CHECK(diag(8211, "m").severity == Severity::Warning);
  CHECK_THROWS_AS((void)diag(1, "m"), InternalError);
  const Result<int> failed = fail(8002, "m", {}, "h");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().front().help == "h");
}

TEST_CASE("text of a diagnostic, with the line of the source") {
  const TemporaryDirectory folder("parhelion-diagnostic");
  const std::string file = (folder.path() / "k.cpp").string();
  REQUIRE(write_file(file, "first\n\tout[rows] = x;\n"));
  Diagnostic d = diag(8001, "message", {file, 2, 2}, "do this");
  d.notes = {{"a note", {"other.cpp", 7, 0}}, {"another", {}}};
  CHECK(render_text(d) == file + ":2:2: error[PH8001]: message\n  \tout[rows] = x;\n  \t^\n"
                                 "  note: other.cpp:7: a note\n  note: another\n  help: do this\n");
  CHECK(render_text(d, true).contains("\033[31merror[PH8001]\033[0m: message"));
  d.where = {"not_there.cpp", 2, 2};
  CHECK(render_text(d).starts_with("not_there.cpp:2:2: error[PH8001]: message\n  note"));
  d.where = {file, 99, 1};
  CHECK(render_text(d).starts_with(file + ":99:1: error[PH8001]: message\n  note"));
  CHECK(render_text(diag(8001, "m")) == "error[PH8001]: m\n");
}

TEST_CASE("JSON of diagnostics") {
  Diagnostic d = diag(8211, "message", {"k.cpp", 2, 3}, "do this");
  d.notes = {{"a note", {"other.cpp", 7, 0}}};
  const auto json = Json::parse(render_json(Diagnostics{d}));
  REQUIRE(json);
  const Json& o = json->as_array().front();
  CHECK(o.string_or("code", "") == "PH8211");
  CHECK(o.string_or("severity", "") == "warning");
  CHECK(o.integer_or("column", 0) == 3);
  CHECK(o.find("notes")->as_array().front().string_or("message", "") == "a note");
}

TEST_CASE("an Error carries its diagnostics and their text") {
  const Error error(diag(1101, "outside", {"k.cpp", 3, 1}));
  CHECK(error.diagnostics().front().code == 1101);
  CHECK(std::string(error.what()) == "k.cpp:3:1: error[PH1101]: outside\n");
}

TEST_CASE("a broken invariant says where") {
  try {
    PH_ASSERT(1 + 1 == 3, "arithmetic");
    FAIL("not reached");
  } catch (const InternalError& e) {
    CHECK(std::string(e.what()).contains("arithmetic (1 + 1 == 3)"));
    CHECK(std::string(e.what()).contains("diagnostic_test.cpp"));
  }
}
