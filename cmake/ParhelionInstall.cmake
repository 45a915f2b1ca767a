# SPDX-License-Identifier: Apache-2.0
# What is installed: one shared library of all folders, its public headers, the kernel library,
# the program, the worker, and a package for find_package(Parhelion).
include(CMakePackageConfigHelpers)

get_property(folders GLOBAL PROPERTY PARHELION_LIBRARIES)
set(objects)
foreach(folder ${folders})
  list(APPEND objects $<TARGET_OBJECTS:${folder}>)
endforeach()
add_library(parhelion_shared SHARED ${objects})
add_library(parhelion::parhelion ALIAS parhelion_shared)
# The folders' own libraries bring the third-party ones; their objects are all here already.
target_link_libraries(parhelion_shared PRIVATE ${folders})
target_include_directories(parhelion_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(parhelion_shared INTERFACE cxx_std_23)
set_target_properties(parhelion_shared PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME parhelion EXPORT_NAME parhelion
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
install(TARGETS parhelion_shared EXPORT ParhelionTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/parhelion DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(TARGET parhelion_kernels)
  # Compiled once; here it stands on the shared library instead of the folders' static ones.
  add_library(parhelion_kernels_installed STATIC $<TARGET_OBJECTS:parhelion_kernels>)
  add_library(parhelion::kernels ALIAS parhelion_kernels_installed)
  target_link_libraries(parhelion_kernels_installed PUBLIC parhelion_shared)
  target_include_directories(parhelion_kernels_installed INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/kernels>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/parhelion/kernels>)
  set_target_properties(parhelion_kernels_installed PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME parhelion_kernels EXPORT_NAME kernels
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS parhelion_kernels_installed EXPORT ParhelionTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parhelion/kernels FILES_MATCHING PATTERN "*.h")
endif()

if(TARGET parhelion)
  install(TARGETS parhelion RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET parhelion-worker)
  install(TARGETS parhelion-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR})
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Parhelion)
install(EXPORT ParhelionTargets NAMESPACE parhelion:: DESTINATION ${package_folder})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/ParhelionConfig.cmake.in ${PROJECT_BINARY_DIR}/ParhelionConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ParhelionConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ParhelionConfig.cmake
              ${PROJECT_BINARY_DIR}/ParhelionConfigVersion.cmake
        DESTINATION ${package_folder})
