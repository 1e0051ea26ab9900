# find_package(tccrt): the library that runs what tcc compiled, as tccrt::tccrt (shared) and tccrt::tccrt_static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/tccrtTargets.cmake)
