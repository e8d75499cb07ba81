# The WebAssembly module: one standalone file without JavaScript glue. The package instantiates it by hand, so it imports
# nothing but the notice of memory growth, and as the variant with threads its memory (docs/formats/wasm-abi.md).
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/exports.txt crw_exports)
file(GLOB crw_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
set(crw_output crowdreel)
set(crw_memory -sMAXIMUM_MEMORY=2GB)
set(crw_link_depends ${CMAKE_CURRENT_LIST_DIR}/exports.txt)
if(CR_WASM_THREADS)
  # Its memory is the host's, made with these very limits (ts/src/threads.ts). Shared memory is reserved whole: systems give less of it.
  set(crw_output crowdreel-threads)
  set(crw_memory -sMAXIMUM_MEMORY=1GB -sIMPORTED_MEMORY -Wl,--shared-memory -Wl,--export=__stack_pointer -matomics
      -mmutable-globals)
  file(GLOB crw_thread_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/threads/*.c)
  list(APPEND crw_sources ${crw_thread_sources})
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/threads/exports.txt crw_thread_exports)
  list(APPEND crw_exports ${crw_thread_exports})
  list(APPEND crw_link_depends ${CMAKE_CURRENT_LIST_DIR}/threads/exports.txt)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${crw_link_depends})
list(TRANSFORM crw_exports PREPEND "_")
list(JOIN crw_exports "," crw_exported_functions)

add_executable(crowdreel_wasm ${crw_sources})
# Exports have no prototypes: the host is their only caller.
target_compile_options(crowdreel_wasm PRIVATE -Wno-missing-prototypes ${CR_LTO_COMPILE})
target_link_libraries(crowdreel_wasm PRIVATE crowdreel)
# What only moves records is small rather than fast. Not the files whose exports the engine's hot loops are inlined into.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/abi_handles.c ${CMAKE_CURRENT_LIST_DIR}/abi_memory.c ${CMAKE_CURRENT_LIST_DIR}/api_build.c
  ${CMAKE_CURRENT_LIST_DIR}/api_build_input.c ${CMAKE_CURRENT_LIST_DIR}/api_core.c ${CMAKE_CURRENT_LIST_DIR}/api_crowd_debug.c
  ${CMAKE_CURRENT_LIST_DIR}/api_follower.c ${CMAKE_CURRENT_LIST_DIR}/api_navmesh_edit.c ${CMAKE_CURRENT_LIST_DIR}/api_tile_cache.c
  PROPERTIES COMPILE_OPTIONS -Os)
set_target_properties(crowdreel_wasm PROPERTIES OUTPUT_NAME ${crw_output} SUFFIX .wasm)
target_link_options(crowdreel_wasm PRIVATE ${CR_LTO_LINK}
  -msimd128 -mbulk-memory --no-entry
  -sSTANDALONE_WASM -sWASM_BIGINT -sFILESYSTEM=0
  -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=4MB ${crw_memory}
  # A stack at the bottom of memory makes an overflow a trap instead of overwritten globals.
  -sTOTAL_STACK=1MB -Wl,--stack-first
  -sEXPORTED_FUNCTIONS=${crw_exported_functions})
set_property(TARGET crowdreel_wasm APPEND PROPERTY LINK_DEPENDS ${crw_link_depends})

include(${CMAKE_CURRENT_LIST_DIR}/mesh_tests.cmake)
