/* emitters.c - the table of x86 emitters: one row per kind of docs/kernels.md. */
#include "lib/codegen/emitters.h"
#include "lib/codegen/attention/attention.h"
#include "lib/codegen/contract/contract.h"
#include "lib/codegen/conv/conv.h"
#include "lib/codegen/map/pool.h"

const TccX86Emitter tcc_x86_emitters[] = {
    {"map", tcc_map_emit},           {"row", tcc_row_emit},   {"scatter", tcc_scatter_emit},     {"scan", tcc_scan_emit},
    {"contract", tcc_contract_emit}, {"pack", tcc_pack_emit}, {"attention", tcc_attention_emit}, {"conv", tcc_conv_emit},
    {"pool", tcc_pool_emit},
};
const size_t tcc_x86_emitter_count = sizeof tcc_x86_emitters / sizeof *tcc_x86_emitters;
