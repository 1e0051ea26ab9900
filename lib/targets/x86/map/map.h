/* map.h - the emitters of maps, scatters and scans. */
#ifndef TCC_X86_MAP_H
#define TCC_X86_MAP_H
#include "tcc/target.h"

TccEmitterFunction tcc_map_emit, tcc_scatter_emit, tcc_scan_emit, tcc_solve_emit;
#endif
