# Test programs whose meshes, followers and crowds scripts/mesh-hashes.mjs compares between compilers, as WASI commands. Built only when asked for (no ctest).
set(CR_TESTS_DIR ${CMAKE_CURRENT_LIST_DIR}/../tests/native)
file(GLOB cr_mesh_test_support CONFIGURE_DEPENDS ${CR_TESTS_DIR}/support/support_core*.c
     ${CR_TESTS_DIR}/support/support_navmesh*.c ${CR_TESTS_DIR}/support/support_levels*.c)
file(GLOB cr_mesh_test_includes LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/native/src/*)
add_library(cr_mesh_test_support STATIC EXCLUDE_FROM_ALL ${cr_mesh_test_support})
target_include_directories(cr_mesh_test_support PUBLIC ${CR_TESTS_DIR}/support ${cr_mesh_test_includes})
target_link_libraries(cr_mesh_test_support PUBLIC cr_build cr_crowd)
add_custom_target(mesh_tests)
# The programs are those of the golden file.
file(READ ${CMAKE_SOURCE_DIR}/tests/golden/meshes.json cr_mesh_golden)
string(JSON cr_mesh_last LENGTH ${cr_mesh_golden})
math(EXPR cr_mesh_last "${cr_mesh_last} - 1")
foreach(index RANGE ${cr_mesh_last})
  string(JSON name MEMBER ${cr_mesh_golden} ${index})
  file(GLOB cr_mesh_test_source ${CR_TESTS_DIR}/*/${name}.c)
  add_executable(${name} EXCLUDE_FROM_ALL ${cr_mesh_test_source})
  target_link_libraries(${name} PRIVATE cr_mesh_test_support)
  target_link_options(${name} PRIVATE ${CR_LTO_LINK} -msimd128 -mbulk-memory -sSTANDALONE_WASM -sWASM_BIGINT
                      -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=1MB -Wl,--stack-first)
  set_target_properties(${name} PROPERTIES SUFFIX .wasm)
  add_dependencies(mesh_tests ${name})
endforeach()
