# The instruction sets that kernels are compiled for, and how.

set(RESIDUA_INSTRUCTION_SETS "" CACHE STRING
    "Instruction sets of kernels; those of the processor family where empty; native: the baseline and the best of this machine")

# The best instruction set of this machine, above the baseline.
function(residua_native_set result)
  if(NOT DEFINED RESIDUA_NATIVE_SET)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
    set(native "")
    if(macros MATCHES "__AVX2__" AND macros MATCHES "__FMA__")
      set(native avx2)
      if(macros MATCHES "__AVX512F__" AND macros MATCHES "__AVX512CD__" AND macros MATCHES "__AVX512DQ__" AND
         macros MATCHES "__AVX512BW__" AND macros MATCHES "__AVX512VL__")
        set(native avx512)
      endif()
    endif()
    set(RESIDUA_NATIVE_SET "${native}" CACHE INTERNAL "")
  endif()
  set(${result} "${RESIDUA_NATIVE_SET}" PARENT_SCOPE)
endfunction()

# The instruction sets of this build, the baseline first.
function(residua_instruction_sets result)
  set(sets ${RESIDUA_INSTRUCTION_SETS})
  if(sets STREQUAL "native")
    residua_native_set(native)
    set(sets baseline ${native})
  endif()
  if(NOT sets)
    set(sets baseline)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
      list(APPEND sets avx2 avx512)
    endif()
  endif()
  if(NOT "baseline" IN_LIST sets)
    list(PREPEND sets baseline)
  endif()
  set(${result} ${sets} PARENT_SCOPE)
endfunction()

# The compiler's flags for an instruction set. A function, for it is called from folders that see no variable of this one.
function(residua_flags_of set result)
  set(flags_baseline "")
  set(flags_avx2 -mavx2 -mfma)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl)
  set(${result} ${flags_${set}} PARENT_SCOPE)
endfunction()

# Compiles a target's sources as kernels of one instruction set. Their numbers are their own, whatever the user's flags: a sum
# is contracted where it says so and nowhere else, so that full and partial registers round alike, no sum is reordered, and a
# NaN is one.
function(residua_compile_kernels target set)
  residua_flags_of(${set} flags)
  target_compile_options(${target} PRIVATE ${flags} -fno-fast-math -fno-unsafe-math-optimizations -fno-associative-math
    -fno-reciprocal-math -fno-finite-math-only -fsigned-zeros -ffp-contract=off)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=.*address")
    # g++ follows the scope of every temporary that a register passes through: eight times the time to compile. What kernels
    # read and write by pointers, and the bounds of their arrays, stay checked.
    target_compile_options(${target} PRIVATE -fno-sanitize-address-use-after-scope)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=.*undefined")
    # For every register g++ would check null and alignment, for minutes; overflows, shifts and bounds stay checked.
    target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    target_compile_options(${target} PRIVATE -O3)  # a kernel that nobody said how to compile is fast
  endif()
endfunction()
