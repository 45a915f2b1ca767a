// SPDX-License-Identifier: Apache-2.0
#include "toolchain/messages.h"
#include "toolchain/ptxas_log.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::toolchain;

namespace {

constexpr const char* gxx_log =
    "<stdin>: In function 'void f()':\n"
    "<stdin>:3:5: error: 'x' was not declared in this scope\n"
    "    3 |     x = 1;\n"
    "      |     ^\n"
    "<stdin>:5:10: warning: unused variable 'y' [-Wunused-variable]\n"
    "<stdin>:7:1: error: expected ';' before '}' token\n";

}  // namespace

TEST_CASE("messages of g++ and clang, NVRTC and nvcc, ptxas") {
  auto m = parse_messages(gxx_log);
  REQUIRE(m.size() == 3);
  CHECK(m[0].line == 3);
  CHECK(m[0].column == 5);
  CHECK(m[0].error);
  CHECK(m[0].text == "'x' was not declared in this scope");
  CHECK_FALSE(m[1].error);
  CHECK(m[2].line == 7);

  m = parse_messages("softmax.cu(12): error: identifier \"y\" is undefined\n    y = 1;\n    ^\n\n"
                     "softmax.cu(14): warning #177-D: variable \"z\" was declared\n"
                     "1 error detected in the compilation of \"softmax.cu\".\n");
  REQUIRE(m.size() == 2);
  CHECK(m[0].line == 12);
  CHECK(m[0].text == "identifier \"y\" is undefined");
  CHECK_FALSE(m[1].error);
  CHECK(m[1].line == 14);

  m = parse_messages("ptxas ./kernel.ptx, line 11; fatal   : Parsing error near 'bad'\n"
                     "ptxas fatal   : Ptx assembly aborted due to errors\n");
  REQUIRE(m.size() == 2);
  CHECK(m[0].line == 11);
  CHECK(m[0].error);
  CHECK(m[0].text == "Parsing error near 'bad'");
  CHECK(m[1].line == 0);
  CHECK(parse_messages("ptxas info    : 0 bytes gmem\n").empty());
}

TEST_CASE("a refused text points at the user's line: PH8101") {
  const std::string text = "a\nb\n  x = 1;\nd\ne\nf\ng\n";
  LineTable lines;
  lines.entries = {{2, "softmax.cpp", 40, 3}, {6, "softmax.cpp", 44, 9}};
  const Diagnostic d = refused("g++ 12.2.0", "softmax", gxx_log, text, lines);
  CHECK(d.code == 8101);
  CHECK(d.message ==
        "g++ 12.2.0 refuses the text of softmax: line 3 of the text: 'x' was not declared in this "
        "scope");
  CHECK(d.where == Place{"softmax.cpp", 40, 3});
  REQUIRE(d.notes.size() == 2);
  CHECK(d.notes[0].message == "in the text: x = 1;");
  CHECK(d.notes[1].message == "line 7 of the text: expected ';' before '}' token");
  CHECK(d.notes[1].where == Place{"softmax.cpp", 44, 9});
  CHECK(warnings_of(gxx_log) ==
        std::vector<std::string>{"unused variable 'y' [-Wunused-variable]"});
  const Diagnostic silent = refused("g++ 12.2.0", "softmax", "no verdict", text, {});
  CHECK(silent.message == "g++ 12.2.0 refuses the text of softmax: no verdict");
  CHECK(silent.where == Place{});
}

TEST_CASE("a refused flag is said as such: PH8106") {
  for (const char* log :
       {"g++: error: unrecognized command-line option '-fimagined'",
        "clang++: error: unknown argument: '-fimagined'",
        "clang (LLVM option parsing): Unknown command line argument '-imagined'.  Try: '--help'",
        "nvrtc: error: unrecognized option --imagined found",
        "ptxas fatal   : Unknown option '--imagined'"}) {
    const Diagnostic d = refused("the tool", "softmax", log, "", {});
    CHECK(d.code == 8106);
    CHECK(d.message == std::string("the tool does not take a flag: ") + log);
  }
}

TEST_CASE("what ptxas says about a kernel") {
  const auto facts = parse_ptxas_log(
      "ptxas info    : 24 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "    1464 bytes stack frame, 2352 bytes spill stores, 2388 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 1464 bytes cumulative stack size\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Function properties for b\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 2 barriers, 1024 bytes smem\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized\n"
      "ptxas warning : Registers are spilled to local memory in function 'a'\n");
  CHECK(facts.registers == 40);
  CHECK(facts.stack_bytes == 1464);
  CHECK(facts.spill_store_bytes == 2352);
  CHECK(facts.spill_load_bytes == 2388);
  CHECK(facts.shared_bytes == 1024);
  REQUIRE(facts.warnings.size() == 2);
  CHECK(facts.warnings[0] ==
        "C7510: Potential Performance Loss: wgmma.mma_async instructions are serialized");
  CHECK(facts.warnings[1] == "Registers are spilled to local memory in function 'a'");
  CHECK(parse_ptxas_log("ptxas info    : Used 16 registers, used 0 barriers\n").shared_bytes == 0);
  CHECK_FALSE(parse_ptxas_log("").registers);
}
