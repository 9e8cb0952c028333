# residua_add_kernels(my_kernels
#   HEADER blocks.hpp                                  the header that defines the blocks
#   BLOCKS blocks::pre_norm blocks::post_norm          their C++ names; the last part names header and namespace
#   [SCALARS float double]                             element types; both where not given
#   [INSTRUCTION_SETS baseline avx2 avx512])           those that may run, the baseline always; all of the package where not given
#
# Defines the library my_kernels: #include <my_kernels/pre_norm.hpp>, namespace my_kernels::pre_norm. The generator,
# my_kernels_generator, is built around the header and run at build time; it runs again when the header changes, and files
# that come out the same are left alone. What the header includes besides the language is linked to the generator:
# target_link_libraries(my_kernels_generator PRIVATE ...). The sources lie in <build>/residua/my_kernels/, or below
# RESIDUA_GENERATED_ROOT if that is set.
#
# Cross-compiling: build the target my_kernels_generate in a host build with RESIDUA_GENERATED_ROOT set (and
# RESIDUA_INSTRUCTION_SETS to the target's: baseline), then configure the cross build with the same RESIDUA_GENERATED_ROOT.

set(RESIDUA_GENERATED_ROOT "" CACHE PATH "Where generated kernels lie; the build folder where empty")

# Stops with a sentence about this call.
macro(residua_refuse sentence)
  message(FATAL_ERROR "residua: residua_add_kernels(${target}): ${sentence}")
endmacro()

# Every name of a list is one of those that are known, and there once.
function(residua_check_names target keyword names known)
  foreach(name IN LISTS names)
    if(NOT name IN_LIST known)
      list(JOIN known ", " these)
      residua_refuse("${keyword} has '${name}', but there are ${these}")
    endif()
  endforeach()
  set(unique ${names})
  list(REMOVE_DUPLICATES unique)
  if(NOT "${unique}" STREQUAL "${names}")
    list(JOIN names " " these)
    residua_refuse("${keyword} repeats a name: ${these}")
  endif()
endfunction()

# Whether names can be C++ namespaces: the compiler says it, which knows its keywords and the macros of the system.
function(residua_try_namespaces result names)
  string(MD5 key "${names};${CMAKE_CXX_COMPILER}")
  set(source "${CMAKE_BINARY_DIR}/residua/names_${key}.cpp")
  set(text "#include <cerrno>\n#include <climits>\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n")
  foreach(name IN LISTS names)
    string(APPEND text "namespace outer { namespace ${name} {} }\n")
  endforeach()
  file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(RESIDUA_NAMES_${key} "${CMAKE_BINARY_DIR}/residua/names" "${source}" CXX_STANDARD 20)
  set(${result} ${RESIDUA_NAMES_${key}} PARENT_SCOPE)
endfunction()

function(residua_check_namespaces target names)
  foreach(name IN LISTS target names)
    string(LENGTH "${name}" length)
    if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$" OR name MATCHES "__" OR name MATCHES "^(std|residua)$" OR length GREATER 200)
      residua_refuse("'${name}' becomes a C++ namespace and a file, so it must be a short identifier, and not std or residua")
    endif()
  endforeach()
  residua_try_namespaces(good "${target};${names}")
  if(good)
    return()
  endif()
  foreach(name IN LISTS target names)
    residua_try_namespaces(good "${name}")
    if(NOT good)
      residua_refuse("'${name}' becomes a C++ namespace, and the compiler takes it for something else")
    endif()
  endforeach()
endfunction()

# Builds the generator, and the target that runs it when it or a file is missing or old.
function(residua_add_generator target header root blocks files scalars instruction_sets)
  set(entries "")
  foreach(block IN LISTS blocks)
    string(REGEX REPLACE "^.*::" "" name "${block}")
    string(APPEND entries "  blocks.push_back(residua::codegen::entry_of(\"${name}\", ${block}));\n")
  endforeach()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/residua")
  file(CONFIGURE OUTPUT "${folder}/${target}.generator.cpp" CONTENT
"#include \"@header@\"
#include <residua/codegen/driver.hpp>

int main(int argc, char** argv) {
  std::vector<residua::codegen::entry> blocks;
@entries@  return residua::codegen::run(argc, argv, blocks);
}
" @ONLY)
  add_executable(${target}_generator "${folder}/${target}.generator.cpp")
  target_link_libraries(${target}_generator PRIVATE residua::codegen)

  set(stamp "${root}/${target}.stamp")
  add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${files}
    COMMAND ${target}_generator --library ${target} --output "${root}" --scalars ${scalars} --instruction-sets ${instruction_sets}
    COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
    DEPENDS ${target}_generator
    COMMENT "Generating kernels ${target}"
    VERBATIM)
  add_custom_target(${target}_generate DEPENDS "${stamp}")
  set_source_files_properties(${files} PROPERTIES GENERATED TRUE)
  if(CMAKE_GENERATOR MATCHES "Makefiles")  # make knows no byproducts: a file that was deleted takes the stamp with it
    file(WRITE "${folder}/${target}.files.cmake"
"foreach(file IN ITEMS \"${files}\")
  if(NOT EXISTS \"\${file}\")
    file(REMOVE \"${stamp}\")
  endif()
endforeach()
")
    add_custom_target(${target}_files COMMAND ${CMAKE_COMMAND} -P "${folder}/${target}.files.cmake" VERBATIM)
    add_dependencies(${target}_generate ${target}_files)
  endif()
endfunction()

function(residua_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "BLOCKS;SCALARS;INSTRUCTION_SETS")
  foreach(word IN LISTS arg_UNPARSED_ARGUMENTS arg_BLOCKS arg_SCALARS arg_INSTRUCTION_SETS)
    if(word IN_LIST arg_UNPARSED_ARGUMENTS OR word MATCHES "^[A-Z_]+$")
      residua_refuse("'${word}' is no keyword; they are HEADER, BLOCKS, SCALARS and INSTRUCTION_SETS")
    endif()
  endforeach()
  if(NOT arg_HEADER OR NOT arg_BLOCKS)
    residua_refuse("HEADER and BLOCKS must be given")
  endif()
  if(NOT arg_SCALARS)
    set(arg_SCALARS float double)
  endif()
  residua_check_names(${target} SCALARS "${arg_SCALARS}" "float;double")
  get_property(known GLOBAL PROPERTY RESIDUA_COMPILED_SETS)
  if(NOT arg_INSTRUCTION_SETS)
    set(arg_INSTRUCTION_SETS ${known})
  endif()
  residua_check_names(${target} INSTRUCTION_SETS "${arg_INSTRUCTION_SETS}" "${known}")
  if(NOT "baseline" IN_LIST arg_INSTRUCTION_SETS)
    list(PREPEND arg_INSTRUCTION_SETS baseline)
  endif()
  get_filename_component(header "${arg_HEADER}" ABSOLUTE)
  if(NOT EXISTS "${header}")
    residua_refuse("there is no header ${header}")
  endif()
  set(root "${RESIDUA_GENERATED_ROOT}")
  if(NOT root)
    set(root "${CMAKE_CURRENT_BINARY_DIR}/residua")
  endif()

  # The files that the generator will write.
  get_property(endings GLOBAL PROPERTY RESIDUA_BLOCK_FILES)
  set(names "")
  set(files "")
  foreach(block IN LISTS arg_BLOCKS)
    string(REGEX REPLACE "^.*::" "" name "${block}")
    if(name IN_LIST names)
      message(FATAL_ERROR "residua: two blocks are called ${name}; their headers would be one file")
    endif()
    list(APPEND names "${name}")
    foreach(ending IN LISTS endings)
      list(APPEND files "${root}/${target}/${name}${ending}")
    endforeach()
  endforeach()
  residua_check_namespaces(${target} "${names}")
  set(sources ${files})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")

  if(CMAKE_CROSSCOMPILING)
    foreach(file IN LISTS files)
      if(NOT EXISTS "${file}")
        message(FATAL_ERROR "residua: ${file} is missing; generate it with a host build (RESIDUA_GENERATED_ROOT, target ${target}_generate)")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    if("${header}" IS_NEWER_THAN "${root}/${target}.stamp")
      message(WARNING "residua: ${header} is newer than what was generated from it; run ${target}_generate in the host build again")
    endif()
    add_custom_target(${target}_generate)
  else()
    residua_add_generator(${target} "${header}" "${root}" "${arg_BLOCKS}" "${files}" "${arg_SCALARS}" "${arg_INSTRUCTION_SETS}")
  endif()

  add_library(${target} ${sources})
  add_dependencies(${target} ${target}_generate)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${root}>")
  target_link_libraries(${target} PUBLIC residua::rt)
endfunction()
