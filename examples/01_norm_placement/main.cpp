#include "blocks.hpp"

#include <norm_placement/post_norm.hpp>
#include <norm_placement/pre_norm.hpp>
#include <iostream>
int main(){
 norm_placement::pre_norm::parameters<double> p;
 norm_placement::pre_norm::kernel<double> k(p);
 auto x = residua::rt::zeros<double>(1,4,6); x(0,0,0)=1; x(0,2,3) = 2;
 auto y = k.forward(x);
 for (double v : y) std::cout << v << ' ';
 auto J = k.jacobian(x);
 auto g = k.vjp(x, y);
 std::cout << k.jacobian_trace(x) << "\n";
}
