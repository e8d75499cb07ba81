# Fuzz targets: one program per fuzz_<name>.c. With CR_FUZZ (clang) libFuzzer drives them; else a small main runs them on files, and
# ctest on the inputs that were found: tests/data/fuzz/<name>.
set(cr_fuzz_dir ${CMAKE_CURRENT_LIST_DIR})
file(GLOB cr_fuzz_sources CONFIGURE_DEPENDS ${cr_fuzz_dir}/fuzz_*.c)
list(REMOVE_ITEM cr_fuzz_sources ${cr_fuzz_dir}/fuzz_main.c)
file(GLOB cr_fuzzkit_sources CONFIGURE_DEPENDS ${cr_fuzz_dir}/fuzzkit*.c)

add_library(cr_fuzzkit STATIC ${cr_fuzzkit_sources})
target_include_directories(cr_fuzzkit PUBLIC ${cr_fuzz_dir} ${cr_support_includes} ${cr_internal_includes})
target_link_libraries(cr_fuzzkit PUBLIC cr_support_replay cr_scene crowdreel)

if(CR_FUZZ)
  # Builds compare numbers by the million; telling the fuzzer each of them halves its speed and teaches it little.
  target_compile_options(cr_build PRIVATE -fno-sanitize-coverage=trace-cmp)
endif()

add_executable(fuzz_make_corpus ${cr_fuzz_dir}/make_corpus.c)
target_compile_definitions(fuzz_make_corpus PRIVATE CR_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(fuzz_make_corpus PRIVATE cr_fuzzkit)
add_custom_target(fuzzers DEPENDS fuzz_make_corpus)

foreach(source IN LISTS cr_fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  string(REPLACE "fuzz_" "" name ${target})
  if(CR_FUZZ)
    add_executable(${target} ${source})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} ${source} ${cr_fuzz_dir}/fuzz_main.c)
    add_test(NAME fuzz/${name} COMMAND ${target} ${CMAKE_SOURCE_DIR}/tests/data/fuzz/${name})
  endif()
  target_link_libraries(${target} PRIVATE cr_fuzzkit)
  add_dependencies(fuzzers ${target})
  if(CR_LTO_LINK)
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endforeach()
