/* pipeline.c - parses a pipeline text and runs it.
 *
 *   text    = element {"," element}            element = name ["{" options "}"] | name "(" text ")" | name of a pipeline
 *   options = option {" " option}              option  = name "=" value, value quoted by '...', "..." or {...} if it has spaces
 *
 * An element whose name is in passes.def or among the target's own passes is a step of ours; neighbouring elements of any other name are one step for MLIR's
 * own pass manager, so that what we do not know (nesting, options, pass names) is parsed and reported by MLIR. Everything is
 * parsed before the first step runs: a typing mistake at the end of a text costs nothing. */
#include "mlir-c/Pass.h"
#include "tcc/clock.h"
#include "tcc/target.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 8 }; /* of named pipelines inside each other */

typedef struct {
  const TccPassInfo *pass; /* NULL: upstream */
  TccStr text;             /* the elements as written */
  const char **options;    /* name, value pairs */
  size_t noptions;
  MlirPassManager manager; /* of an upstream step */
  double milliseconds;
} Step;

typedef struct {
  TccIr *ir;
  TccArena *arena;
  const TccTarget *target; /* NULL: a pass of any target is accepted */
  const char *origin;      /* start of the text given by the caller: diagnostics point into it */
  size_t length;
  TCC_VEC(Step) steps;
} Parser;

static MlirLogicalResult parse_error(Parser *parser, const char *at, const char *format, ...) TCC_PRINTF(3, 4);
static MlirLogicalResult parse_error(Parser *parser, const char *at, const char *format, ...) {
  TccText message = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&message, format, args);
  va_end(args);
  bool inside = at >= parser->origin && at <= parser->origin + parser->length;
  MlirLocation location = mlirLocationFileLineColGet(parser->ir->context, mlirStringRefCreateFromCString("pipeline"), 1,
                                                     inside ? (unsigned)(at - parser->origin) + 1 : 1);
  tcc_error_at(location, "%s", message.data);
  tcc_text_destroy(&message);
  return mlirLogicalResultFailure();
}

/* ---- options ---- */

static TccStr trim(TccStr text) {
  while (text.length && strchr(" \t\n", text.data[0])) ++text.data, --text.length;
  while (text.length && strchr(" \t\n", text.data[text.length - 1])) --text.length;
  return text;
}

/* The declared options of a row, one call each; returns false at the end. */
static bool next_declared(const char **cursor, TccStr *out_name, TccStr *out_default) {
  while (**cursor == ' ' || **cursor == ';') ++*cursor;
  if (!**cursor) return false;
  const char *equals = strchr(*cursor, '=');
  if (!equals) return false;
  const char *colon = strchr(equals, ':'), *end = strchr(equals, ';');
  if (!end) end = equals + strlen(equals);
  if (!colon || colon > end) colon = end;
  *out_name = (TccStr){*cursor, (size_t)(equals - *cursor)};
  *out_default = trim((TccStr){equals + 1, (size_t)(colon - equals - 1)});
  *cursor = end;
  return true;
}

static void add_option(Parser *parser, Step *step, TccStr name, TccStr value) {
  size_t count = step->noptions++;
  step->options = tcc_arena_grow(parser->arena, step->options, 2 * count * sizeof(char *), 2 * (count + 1) * sizeof(char *));
  step->options[2 * count] = tcc_arena_copy(parser->arena, name.data, name.length);
  step->options[2 * count + 1] = tcc_arena_copy(parser->arena, value.data, value.length);
}

enum { NUMBER_DIGITS = 9 }; /* an int holds them */

static bool is_number(TccStr text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return text.length > 0 && text.length <= NUMBER_DIGITS;
}

/* An option whose default is a number takes numbers. */
static MlirLogicalResult check_option(Parser *parser, const Step *step, TccStr name, TccStr given) {
  const char *names[64], *cursor = step->pass->options;
  size_t count = 0;
  TccStr declared, value;
  while (count < 64 && next_declared(&cursor, &declared, &value)) {
    if (tcc_str_equal(declared, name)) {
      if (!is_number(value) || is_number(given)) return mlirLogicalResultSuccess();
      return parse_error(parser, given.data, "option '%.*s' of pass '%s' needs a number of at most %d digits, not '%.*s'",
                         TCC_STR_ARG(name), step->pass->name, NUMBER_DIGITS, TCC_STR_ARG(given));
    }
    names[count++] = tcc_arena_copy(parser->arena, declared.data, declared.length);
  }
  const char *near = tcc_nearest(name, names, count);
  if (near)
    return parse_error(parser, name.data, "pass '%s' has no option '%.*s'; did you mean '%s'?", step->pass->name, TCC_STR_ARG(name),
                       near);
  TccText list = {0};
  tcc_text_put_words(&list, names, count, "and");
  const MlirLogicalResult failure = parse_error(parser, name.data, "pass '%s' has no option '%.*s'; it has %s", step->pass->name,
                                                TCC_STR_ARG(name), list.length ? list.data : "none");
  tcc_text_destroy(&list);
  return failure;
}

/* Length of a value that starts at text: up to white space outside of quotes and braces. 0 if a quote or brace stays open. */
static size_t value_length(TccStr text) {
  size_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.length; ++i) {
    char c = text.data[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (depth-- == 0) return 0;
    } else if (depth == 0 && strchr(" \t\n", c)) {
      return i;
    }
  }
  return quote || depth ? 0 : text.length;
}

static MlirLogicalResult parse_options(Parser *parser, Step *step, TccStr text) {
  const char *cursor = step->pass->options;
  TccStr name, value;
  while (next_declared(&cursor, &name, &value)) add_option(parser, step, name, value);
  for (text = trim(text); text.length; text = trim(text)) {
    const char *equals = memchr(text.data, '=', text.length);
    size_t word = 0;
    while (word < text.length && !strchr(" \t\n=", text.data[word])) word++;
    if (!equals || text.data + word != equals)
      return parse_error(parser, text.data, "option of pass '%s' is not written name=value: '%.*s'", step->pass->name, (int)word,
                         text.data);
    name = (TccStr){text.data, (size_t)(equals - text.data)};
    value = (TccStr){equals + 1, text.length - name.length - 1};
    size_t length = value_length(value);
    if (!length && value.length && !strchr(" \t\n", value.data[0]))
      return parse_error(parser, value.data, "value of option '%.*s' has an unclosed quote or brace", TCC_STR_ARG(name));
    value.length = length;
    text.length -= (size_t)(value.data + length - text.data);
    text.data = value.data + length;
    if (length >= 2 && strchr("'\"{", value.data[0])) ++value.data, value.length -= 2;
    if (mlirLogicalResultIsFailure(check_option(parser, step, name, value))) return mlirLogicalResultFailure();
    add_option(parser, step, name, value);
  }
  return mlirLogicalResultSuccess();
}

/* ---- elements ---- */

/* Length of the first element: up to a comma outside of brackets; SIZE_MAX if brackets do not match. */
static size_t element_length(TccStr text) {
  char stack[64];
  size_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.length; ++i) {
    char c = text.data[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (depth && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '(' || c == '{') {
      if (depth == sizeof stack) return SIZE_MAX;
      stack[depth++] = c == '(' ? ')' : '}';
    } else if (c == ')' || c == '}') {
      if (depth == 0 || stack[--depth] != c) return SIZE_MAX;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return depth || quote ? SIZE_MAX : text.length;
}

static MlirLogicalResult parse_ours(Parser *parser, const TccPassInfo *pass, TccStr element, TccStr name) {
  Step step = {.pass = pass, .text = element};
  TccStr rest = trim((TccStr){name.data + name.length, element.length - name.length});
  if (rest.length && rest.data[0] != '{')
    return parse_error(parser, rest.data, "pass '%s' works on the whole module: '%.*s' is not understood", pass->name,
                       TCC_STR_ARG(rest));
  if (rest.length) rest = (TccStr){rest.data + 1, rest.length - 2};
  if (mlirLogicalResultIsFailure(parse_options(parser, &step, rest))) return mlirLogicalResultFailure();
  TCC_VEC_PUSH(parser->arena, &parser->steps, step);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult unknown_pass(Parser *parser, TccStr name) {
  size_t npasses, npipelines;
  const TccPassInfo *table = tcc_pass_table(&npasses);
  const TccPipelineInfo *pipelines = tcc_pipeline_table(&npipelines);
  size_t own = parser->target ? parser->target->npasses : 0, count = 0;
  const char **names = TCC_NEW_ARRAY(parser->arena, const char *, npasses + own + npipelines);
  for (size_t i = 0; i < npasses; ++i) names[count++] = table[i].name;
  for (size_t i = 0; i < own; ++i) names[count++] = parser->target->passes[i].name;
  for (size_t i = 0; i < npipelines; ++i) names[count++] = pipelines[i].name;
  const char *near = tcc_nearest(name, names, count);
  if (near) return parse_error(parser, name.data, "unknown pass '%.*s'; did you mean '%s'?", TCC_STR_ARG(name), near);
  return parse_error(parser, name.data, "unknown pass '%.*s'", TCC_STR_ARG(name));
}

/* A target's own passes read its machine: only its pipelines take them, and those of a target that falls back to it. */
static bool takes(const Parser *parser, const TccTarget *owner) {
  const TccTarget *target = parser->target;
  return !owner || !target || owner == target || owner == target->fallback;
}

/* The text that an element stands for, or NULL. */
static const char *pipeline_text(const Parser *parser, TccStr element) {
  size_t count;
  const TccTarget *target = parser->target ? parser->target : tcc_target_table(&count)[0];
  if (tcc_str_is(element, "target-lower")) return target->lower ? target->lower : "";
  if (tcc_str_is(element, "target-layout")) return target->layout ? target->layout : "";
  if (tcc_str_is(element, "target-kernels")) return target->kernels ? target->kernels : "";
  return tcc_pipeline_text(element);
}

/* Adds an element to the upstream step that ends the list, or starts one. */
static void add_upstream(Parser *parser, TccStr element) {
  Step *last = parser->steps.count ? &parser->steps.data[parser->steps.count - 1] : NULL;
  if (last && !last->pass) {
    last->text = tcc_str(tcc_arena_printf(parser->arena, "%.*s,%.*s", TCC_STR_ARG(last->text), TCC_STR_ARG(element)));
    return;
  }
  Step step = {.text = element};
  TCC_VEC_PUSH(parser->arena, &parser->steps, step);
}

static MlirLogicalResult parse_text(Parser *parser, TccStr text, size_t depth) {
  for (bool more = trim(text).length > 0; more;) {
    size_t length = element_length(text);
    if (length == SIZE_MAX) return parse_error(parser, text.data, "brackets do not match in '%.*s'", TCC_STR_ARG(text));
    TccStr element = trim((TccStr){text.data, length});
    more = length < text.length;
    text.data += length + more;
    text.length -= length + more;
    TccStr name = element;
    for (size_t i = 0; i < element.length; ++i)
      if (strchr("({", element.data[i])) {
        name.length = i;
        break;
      }
    name = trim(name);
    if (!name.length) return parse_error(parser, element.data, "the name of a pass is missing");
    const TccTarget *owner;
    const TccPassInfo *pass = tcc_target_pass(name, &owner);
    const char *pipeline = pipeline_text(parser, element);
    MlirLogicalResult result = mlirLogicalResultSuccess();
    if (pass && !takes(parser, owner))
      result = parse_error(parser, name.data, "pass '%s' belongs to target %s, and the target is %s", pass->name, owner->name,
                           parser->target->name);
    else if (pass) result = parse_ours(parser, pass, element, name);
    else if (pipeline && depth < MAX_DEPTH) result = parse_text(parser, tcc_str(pipeline), depth + 1);
    else if (pipeline || tcc_str_starts(name, "tcc-")) result = unknown_pass(parser, name);
    else if (tcc_str_is(name, "builtin.module") && element.data[element.length - 1] == ')')
      result = depth < MAX_DEPTH
                   ? parse_text(parser, (TccStr){name.data + name.length + 1, element.length - name.length - 2}, depth + 1)
                   : unknown_pass(parser, name);
    else add_upstream(parser, element);
    if (mlirLogicalResultIsFailure(result)) return result;
  }
  return mlirLogicalResultSuccess();
}

/* ---- upstream: what the program has registered, as tcc-opt does ---- */

static MlirLogicalResult create_manager(Parser *parser, Step *step, bool verify) {
  step->manager = mlirPassManagerCreateOnOperation(parser->ir->context, mlirStringRefCreateFromCString("builtin.module"));
  mlirPassManagerEnableVerifier(step->manager, verify);
  TccText message = {0};
  MlirLogicalResult result =
      mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(step->manager),
                                   mlirStringRefCreate(step->text.data, step->text.length), tcc_append, &message);
  if (mlirLogicalResultIsFailure(result)) {
    /* "MLIR Textual PassPipeline Parser:1:1: error: TEXT", then lines that point into the text: TEXT alone is kept. */
    tcc_text_put(&message, "", 0);
    const char *start = strstr(message.data, "error: ");
    start = start ? start + strlen("error: ") : message.data;
    size_t length = strcspn(start, "\n");
    parse_error(parser, step->text.data, "%.*s", length ? (int)length : 21, length ? start : "malformed pass options");
  }
  tcc_text_destroy(&message);
  return result;
}

/* ---- running ---- */

static void print_part(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

static void print_ir(TccStr name, MlirOperation module) {
  fprintf(stderr, "// -----// IR after %.*s //----- //\n", TCC_STR_ARG(name));
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsElideLargeElementsAttrs(flags, 64);
  mlirOpPrintingFlagsElideLargeResourceString(flags, 64);
  mlirOperationPrintWithFlags(module, flags, print_part, stderr);
  mlirOpPrintingFlagsDestroy(flags);
  fprintf(stderr, "\n");
}

static bool prints_after(const Step *step, const TccPipelineOptions *options) {
  if (options->print_after_all) return true;
  if (!options->print_after) return false;
  if (step->pass) return strcmp(options->print_after, step->pass->name) == 0;
  /* An upstream step is printed after its last pass. */
  size_t length = strlen(options->print_after);
  TccStr text = step->text;
  for (size_t i = 0; i + length <= text.length; ++i)
    if (memcmp(text.data + i, options->print_after, length) == 0 && (i == 0 || strchr(",(", text.data[i - 1])) &&
        (i + length == text.length || strchr(",){", text.data[i + length])))
      return true;
  return false;
}

static MlirLogicalResult verify(TccIr *ir, MlirOperation module, const TccPipelineOptions *options, TccArena *arena) {
  if (!mlirOperationVerify(module)) return mlirLogicalResultFailure();
  const TccPassInfo *pass = tcc_pass_find(tcc_str("tcc-verify"));
  if (!pass) return mlirLogicalResultSuccess();
  TccPassRun run = {.ir = ir, .target = options->target, .scratch = arena};
  return pass->run(&run, module);
}

/* What says that something is wrong has failed, whatever it returns: an op that could not be built must not be left out of a model. */
static MlirLogicalResult note_error(MlirDiagnostic diagnostic, void *user) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) *(bool *)user = true;
  return mlirLogicalResultFailure(); /* it goes on to who shows it */
}

static MlirLogicalResult run_step(TccIr *ir, MlirOperation module, Step *step, const char *rest,
                                  const TccPipelineOptions *options) {
  MlirLogicalResult result;
  char text[96];
  if (tcc_limit_reached(&ir->limit))
    return tcc_error(module, "before '%.*s': %s", TCC_STR_ARG(step->text), tcc_limit_text(&ir->limit, text));
  bool wrong = false;
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(ir->context, note_error, &wrong, NULL);
  if (step->pass) {
    TccArena *scratch = tcc_arena_create();
    TccPassRun run = {.ir = ir,
                      .target = options->target,
                      .options = step->options,
                      .noptions = step->noptions,
                      .scratch = scratch,
                      .records = options->records,
                      .threads = options->threads,
                      .explain = options->explain,
                      .tune = options->tune,
                      .user = options->user,
                      .rest = rest};
    result = step->pass->run(&run, module);
    tcc_arena_destroy(scratch);
  } else {
    result = mlirPassManagerRunOnOp(step->manager, module);
  }
  mlirContextDetachDiagnosticHandler(ir->context, handler);
  if (wrong) result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result) && tcc_expr_too_large(ir->exprs))
    result = tcc_error(module, "in '%.*s': a size is an expression of too many terms", TCC_STR_ARG(step->text));
  tcc_symbolic_forget(ir); /* what the pass erased may come back at the same address */
  if (mlirLogicalResultIsSuccess(result) && options->verify_each) {
    TccArena *scratch = tcc_arena_create();
    result = verify(ir, module, options, scratch);
    tcc_arena_destroy(scratch);
    if (mlirLogicalResultIsFailure(result)) tcc_error(module, "the IR is invalid after '%.*s'", TCC_STR_ARG(step->text));
  }
  return result;
}

static char *text_from(const Parser *parser, size_t first) {
  TccText text = {0};
  for (size_t i = first; i < parser->steps.count; ++i)
    tcc_text_printf(&text, "%s%.*s", i > first ? "," : "", TCC_STR_ARG(parser->steps.data[i].text));
  char *copy = tcc_arena_copy(parser->arena, text.data, text.length);
  tcc_text_destroy(&text);
  return copy;
}

static void print_timing(const Parser *parser) {
  double total = 0;
  for (size_t i = 0; i < parser->steps.count; ++i) total += parser->steps.data[i].milliseconds;
  for (size_t i = 0; i < parser->steps.count; ++i) {
    const Step *step = &parser->steps.data[i];
    fprintf(stderr, "%10.3f ms %5.1f %%  %.*s\n", step->milliseconds, total > 0 ? 100 * step->milliseconds / total : 0,
            TCC_STR_ARG(step->text));
  }
  fprintf(stderr, "%10.3f ms         total\n", total);
}

/* A name that no step has would print nothing. */
static bool check_print_after(Parser *parser, const TccPipelineOptions *options) {
  bool found = !options->print_after;
  for (size_t i = 0; i < parser->steps.count && !found; ++i) found = prints_after(&parser->steps.data[i], options);
  if (!found)
    parse_error(parser, parser->origin, "the IR is to be printed after '%s', which is not in the pipeline", options->print_after);
  return found;
}

static bool parse_all(Parser *parser, TccStr text, bool verify_each) {
  if (mlirLogicalResultIsFailure(parse_text(parser, text, 0))) return false;
  for (size_t i = 0; i < parser->steps.count; ++i)
    if (!parser->steps.data[i].pass && mlirLogicalResultIsFailure(create_manager(parser, &parser->steps.data[i], verify_each)))
      return false;
  return true;
}

static void destroy(Parser *parser) {
  for (size_t i = 0; i < parser->steps.count; ++i)
    if (!mlirPassManagerIsNull(parser->steps.data[i].manager)) mlirPassManagerDestroy(parser->steps.data[i].manager);
  tcc_arena_destroy(parser->arena);
}

/* Our passes rely on what tcc-verify checks; a pipeline that starts with one gets the check first. tcc-infer-shapes mends
 * types, and checks the rest itself. */
static bool needs_verified_input(const Parser *parser) {
  if (!parser->steps.count || !parser->steps.data[0].pass) return false;
  TccStr name = tcc_str(parser->steps.data[0].pass->name);
  return !tcc_str_is(name, "tcc-verify") && !tcc_str_is(name, "tcc-infer-shapes");
}

MlirLogicalResult tcc_pipeline_run(TccIr *ir, MlirOperation module, TccStr text, const TccPipelineOptions *options) {
  Parser parser = {
      .ir = ir, .arena = tcc_arena_create(), .target = options->target->of, .origin = text.data, .length = text.length};
  MlirLogicalResult result = parse_all(&parser, text, options->verify_each) && check_print_after(&parser, options)
                                 ? mlirLogicalResultSuccess()
                                 : mlirLogicalResultFailure();
  tcc_ir_assume(ir, module);
  bool verified = needs_verified_input(&parser);
  if (mlirLogicalResultIsSuccess(result) && verified) {
    result = verify(ir, module, options, parser.arena);
    if (mlirLogicalResultIsSuccess(result)) tcc_ir_constrain(ir, module);
  }
  for (size_t i = 0; i < parser.steps.count && mlirLogicalResultIsSuccess(result); ++i) {
    Step *step = &parser.steps.data[i];
    if (options->before) options->before(text_from(&parser, i), module, options->user);
    double start = tcc_now_ms();
    result = run_step(ir, module, step, options->tune ? text_from(&parser, i + 1) : NULL, options);
    if (i == 0 && !verified && mlirLogicalResultIsSuccess(result)) tcc_ir_constrain(ir, module);
    step->milliseconds = tcc_now_ms() - start;
    if (options->phase) {
      TccStr name = step->pass ? tcc_str(step->pass->name) : step->text;
      options->phase(tcc_arena_copy(parser.arena, name.data, name.length), step->milliseconds, options->user);
    }
    if (mlirLogicalResultIsSuccess(result) && prints_after(step, options)) print_ir(step->text, module);
  }
  if (options->before) options->before(NULL, module, options->user);
  if (options->timing) print_timing(&parser);
  destroy(&parser);
  return result;
}
