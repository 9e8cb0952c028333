// Reading and writing parameters, compiled once.
#include <residua/rt/io/npy.hpp>
