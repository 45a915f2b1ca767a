// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

namespace artifact_test {

using namespace parhelion;

artifact::Artifact sample(const std::string& text) {
  artifact::Artifact a;
  a.kind = artifact::Kind::Cubin;
  a.kernel = "softmax";
  a.arch = "sm_90a";
  a.features = {"avx512_bf16"};
  a.bytes = artifact::as_bytes(std::string("\0binary\xff", 8) + text);
  a.launch.symbols = {{CallSymbol::Kind::Stride, 1, 2}, {CallSymbol::Kind::Scalar, 3, 0}};
  LaunchParameter x{LaunchParameter::Kind::Pointer, "x", DType::BF16, 0, true, 8,
                    SizeProgram::symbol(1)};
  LaunchParameter scratch{LaunchParameter::Kind::Scratch, "s", DType::F32, -1, false, 8, {}};
  scratch.value = SizeProgram::constant(0);
  a.launch.parameters = {x, scratch};
  a.launch.phases = {{"softmax_1", SizeProgram::symbol(0), 4, 128, 1024}};
  a.launch.workspace_bytes = SizeProgram::binary(SizeProgram::Code::CeilDiv,
                                                 SizeProgram::symbol(0), SizeProgram::constant(8));
  a.text = text;
  a.lines.entries = {{3, "softmax.cpp", 41, 18}};
  a.steps = {{"ptxas -v k.ptx", "ptxas info: \"quoted\"\n", 0.25}};
  a.facts.registers = 40;
  a.facts.spill_store_bytes = 0;
  a.facts.warnings = {"C7510: serialised"};
  a.code_hash = hash_text("code");
  return a;
}

Json origin(const std::string& text, const std::string& flag) {
  Json o = Json::object();
  Json flags = Json::array();
  flags.push("-march=x86-64-v3").push(flag);
  o.set("text", hash_text(text).hex()).set("flags", std::move(flags));
  Json tool = Json::object();
  tool.set("name", "g++").set("version", "12.2.0");
  return o.set("tool", std::move(tool));
}

}  // namespace artifact_test
