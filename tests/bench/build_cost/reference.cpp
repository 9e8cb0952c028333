#include <xtensor/xtensor.hpp>
