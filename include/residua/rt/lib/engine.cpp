// The engine and what kernels check, compiled once.
#include <residua/rt/interface/any_kernel_definitions.hpp>

namespace residua::rt {

template class engine<float>;
template class engine<double>;
template class token_cache<float>;
template class token_cache<double>;
template class any_kernel<float>;
template class any_kernel<double>;

}  // namespace residua::rt
