// The thread sanitizer does not see how libgomp's threads wait for each other, and takes every parallel loop for a race.
// Here are the functions of libgomp that g++ calls for `omp parallel for schedule(static)`, on std::thread, which it sees.
// Linked to the tests of that configuration in front of libgomp; the kernels' own code is what it is everywhere.
#include <thread>
#include <vector>

namespace {
struct place {
  int thread = 0;
  int threads = 1;
};
thread_local place here;
thread_local bool in_parallel = false;
thread_local int most_threads = 4;  // more than some machines have cores: the sanitizer looks at order, not at time
}  // namespace

extern "C" {

int omp_get_max_threads() { return most_threads; }
void omp_set_num_threads(int threads) { most_threads = threads; }
int omp_get_thread_num() { return here.thread; }
int omp_get_num_threads() { return here.threads; }
int omp_in_parallel() { return in_parallel; }

void GOMP_parallel(void (*body)(void*), void* data, unsigned asked, unsigned) {
  int const threads = in_parallel ? 1 : asked != 0 ? static_cast<int>(asked) : most_threads;
  auto run = [=](int thread) {
    place const outer = here;
    bool const inside = in_parallel;
    here = {thread, threads};
    in_parallel = true;
    body(data);
    here = outer;
    in_parallel = inside;
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
}

}  // extern "C"
