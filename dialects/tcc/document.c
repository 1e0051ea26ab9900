/* document.c - the op table as a page: docs/ops.md is this text, checked in and re-derived by a test. */
#include "tcc/op_kinds.h"
#include "tcc/optable.h"

static const struct {
  const char *kind, *text;
} derivatives[TCC_OP_COUNT] = {
#define TCC_GRAD(SYM, kind, linear, rule, text) [TCC_OP_##SYM] = {#kind, text},
#include "dialects/tcc/grads.def"
};

static void put_cell(TccText *out, TccStr text) { /* | would end the cell */
  for (size_t i = 0; i < text.length; i++) {
    if (text.data[i] == '|') tcc_text_put(out, "\\|", 2);
    else tcc_text_put(out, text.data + i, 1);
  }
}

static void put_derivative(TccText *out, TccOpKind kind) {
  if (!strcmp(derivatives[kind].kind, "ZERO")) tcc_text_printf(out, "0: ");
  else if (!strcmp(derivatives[kind].kind, "NONE")) tcc_text_printf(out, "none: ");
  put_cell(out, tcc_str(derivatives[kind].text));
}

static void put_row(TccText *out, const TccOpRow *row) {
  tcc_text_printf(out, "| `%s` | ", row->name);
  for (size_t i = 0; i < row->noperands; i++)
    tcc_text_printf(out, "%s%.*s%s", i ? ", " : "", TCC_STR_ARG(row->operands[i].name), row->operands[i].optional ? "?" : "");
  tcc_text_printf(out, " | ");
  for (size_t i = 0; i < row->nresults; i++) tcc_text_printf(out, "%s%.*s", i ? ", " : "", TCC_STR_ARG(row->results[i]));
  tcc_text_printf(out, " | ");
  for (size_t i = 0; i < row->nattributes; i++) {
    const TccAttrRow *attribute = &row->attributes[i];
    tcc_text_printf(out, "%s%.*s: ", i ? ", " : "", TCC_STR_ARG(attribute->name));
    put_cell(out, attribute->type);
    if (attribute->has_default)
      tcc_text_printf(out, " = %.*s", TCC_STR_ARG(attribute->default_text.length ? attribute->default_text : tcc_str("\"\"")));
  }
  tcc_text_printf(out, " | %s | ", row->traits);
  put_cell(out, tcc_str(row->semantics));
  tcc_text_printf(out, " | ");
  put_derivative(out, row->kind);
  tcc_text_printf(out, " |\n");
}

void tcc_ops_document(TccText *out) {
  static const struct {
    TccLevel level;
    const char *title;
  } sections[] = {{TCC_LEVEL_STRUCT, "Structure"}, {TCC_LEVEL_PRIM, "Primitive ops"}, {TCC_LEVEL_COMP, "Composite ops"}};
  tcc_text_printf(
      out, "# The ops of the tcc dialect\n\n"
           "Generated from `dialects/tcc/ops.def` by `tcc-opt --print-ops-doc`; a test compares the two.\n\n"
           "Operands marked `?` may be the value of `tcc.none`. Attributes with a default may be left out. Traits: P pure,\n"
           "E elementwise with NumPy broadcasting, V view, X the result type is given, C commutative, T transcendental, S slow\n"
           "(`ops.def` says what depends on them). The derivative is the cotangent of each operand, g being that of the result r\n"
           "(`grads.def`).\n");
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    tcc_text_printf(
        out, "\n## %s\n\n| op | operands | results | attributes | traits | meaning | derivative |\n|---|---|---|---|---|---|---|\n",
        sections[i].title);
    for (int kind = 1; kind < TCC_OP_COUNT; kind++)
      if (tcc_op_level((TccOpKind)kind) == sections[i].level) put_row(out, tcc_op_row((TccOpKind)kind));
  }
}
