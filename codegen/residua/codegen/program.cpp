#include <residua/codegen/program.hpp>

namespace residua::codegen {

std::vector<int> reads_of(instruction const& i) {
  std::vector<int> list = i.inputs;
  for (epilogue_part const& part : i.epilogue)
    if (part.other >= 0 && !part.keep) list.push_back(part.other);
  return list;
}

std::vector<int> writes_of(instruction const& i) {
  std::vector<int> list;
  for (int result : {i.result, i.second})
    if (result >= 0) list.push_back(result);
  for (epilogue_part const& part : i.epilogue)
    if (part.keep) list.push_back(part.other);
  return list;
}

}  // namespace residua::codegen
