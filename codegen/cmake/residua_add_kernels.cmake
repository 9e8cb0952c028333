# residua_add_kernels(my_kernels
#   HEADER blocks.hpp                                  the header that defines the blocks
#   BLOCKS blocks::pre_norm blocks::post_norm          their C++ names; the last part names header and namespace
#   [SCALARS float double]                             element types; both where not given
#   [INSTRUCTION_SETS baseline avx2 avx512])           what this processor family has, where not given
#
# Defines the library my_kernels: #include <my_kernels/pre_norm.hpp>, namespace my_kernels::pre_norm. The generator is
# built around the header and run at build time; it runs again when the header changes, and files that come out the
# same are left alone. The sources lie in <build>/residua/my_kernels/, or below RESIDUA_GENERATED_ROOT if that is set.
#
# Cross-compiling: build the target my_kernels_generate in a host build with RESIDUA_GENERATED_ROOT set (and
# RESIDUA_INSTRUCTION_SETS to the target's: baseline), then configure the cross build with the same RESIDUA_GENERATED_ROOT.

set(RESIDUA_GENERATED_ROOT "" CACHE PATH "Where generated kernels lie; the build folder where empty")

function(residua_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "BLOCKS;SCALARS;INSTRUCTION_SETS")
  if(NOT arg_HEADER OR NOT arg_BLOCKS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "residua: residua_add_kernels(${target}) needs HEADER and BLOCKS, and takes SCALARS and INSTRUCTION_SETS; "
                        "given besides: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT target MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "residua: residua_add_kernels(${target}): the name becomes a C++ namespace, so it must be an identifier")
  endif()
  if(NOT arg_SCALARS)
    set(arg_SCALARS float double)
  endif()
  if(NOT arg_INSTRUCTION_SETS)
    residua_instruction_sets(arg_INSTRUCTION_SETS)
  endif()
  if(NOT "baseline" IN_LIST arg_INSTRUCTION_SETS)
    list(PREPEND arg_INSTRUCTION_SETS baseline)
  endif()

  set(root "${RESIDUA_GENERATED_ROOT}")
  if(NOT root)
    set(root "${CMAKE_CURRENT_BINARY_DIR}/residua")
  endif()
  get_filename_component(header "${arg_HEADER}" ABSOLUTE)
  if(NOT EXISTS "${header}")
    message(FATAL_ERROR "residua: residua_add_kernels(${target}): there is no header ${header}")
  endif()

  # The files that the generator will write.
  set(names "")
  set(entries "")
  set(files "")
  set(sources "")
  foreach(set IN LISTS arg_INSTRUCTION_SETS)
    set(sources_${set} "")
  endforeach()
  foreach(block IN LISTS arg_BLOCKS)
    string(REGEX REPLACE "^.*::" "" name "${block}")
    if(name IN_LIST names)
      message(FATAL_ERROR "residua: two blocks are called ${name}; their headers would be one file")
    endif()
    list(APPEND names "${name}")
    string(APPEND entries "      {\"${name}\", ${block}.view()},\n")
    set(base "${root}/${target}/${name}")
    list(APPEND sources "${base}.cpp")
    list(APPEND files "${base}.hpp" "${base}.tiles.hpp" "${base}.jacobian.txt" "${base}.jacobian.tex" "${base}.jacobian.json")
    foreach(set IN LISTS arg_INSTRUCTION_SETS)
      list(APPEND sources_${set} "${base}.${set}.cpp")
      list(APPEND files "${base}.${set}.cpp")
    endforeach()
  endforeach()
  list(APPEND files ${sources})

  if(CMAKE_CROSSCOMPILING)
    foreach(file IN LISTS files)
      if(NOT EXISTS "${file}")
        message(FATAL_ERROR "residua: ${file} is missing; generate it with a host build (RESIDUA_GENERATED_ROOT, target ${target}_generate)")
      endif()
    endforeach()
    add_custom_target(${target}_generate)
  else()
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/residua/${target}.generator.cpp" CONTENT
"#include \"@header@\"
#include <residua/codegen/driver.hpp>

int main(int argc, char** argv) {
  return residua::codegen::run(argc, argv, {
@entries@  });
}
" @ONLY)
    add_executable(${target}_generator "${CMAKE_CURRENT_BINARY_DIR}/residua/${target}.generator.cpp")
    target_link_libraries(${target}_generator PRIVATE residua::codegen)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/residua/${target}.stamp")
    add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${files}
      COMMAND ${target}_generator --library ${target} --output "${root}" --scalars ${arg_SCALARS} --instruction-sets ${arg_INSTRUCTION_SETS}
      COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
      DEPENDS ${target}_generator
      COMMENT "Generating kernels ${target}"
      VERBATIM)
    add_custom_target(${target}_generate DEPENDS "${stamp}")
    set_source_files_properties(${files} PROPERTIES GENERATED TRUE)
  endif()

  add_library(${target} STATIC ${sources})
  add_dependencies(${target} ${target}_generate)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${root}>")
  target_link_libraries(${target} PUBLIC residua::rt)
  # One object library for each instruction set: its flags reach no other code.
  foreach(set IN LISTS arg_INSTRUCTION_SETS)
    add_library(${target}_${set} OBJECT ${sources_${set}})
    add_dependencies(${target}_${set} ${target}_generate)
    target_include_directories(${target}_${set} PRIVATE "${root}")
    target_link_libraries(${target}_${set} PRIVATE residua::rt)
    # Contracted as the kernels say and nowhere else: full and partial registers round alike.
    residua_flags_of(${set} flags)
    target_compile_options(${target}_${set} PRIVATE ${flags} -ffp-contract=off)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
      target_compile_options(${target}_${set} PRIVATE -O3)  # a kernel that nobody said how to compile is fast
    endif()
    get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
    if(independent)
      set_target_properties(${target}_${set} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${set}>)
  endforeach()
endfunction()
