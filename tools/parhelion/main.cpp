// SPDX-License-Identifier: Apache-2.0
#include "library.h"

int main(int argc, char** argv) {
  return parhelion::command_line(argc, argv, parhelion::kernels::library());
}
