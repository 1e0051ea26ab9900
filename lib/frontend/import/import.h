/* import.h - what the handlers of every importer share.
 *
 * A node of a model is imported by a handler, which its front end finds in a table: it reads the inputs of an ImportCall, and attributes
 * or arguments as its front end has them, builds tcc ops and sets the outputs. A handler that cannot goes
 * `return import_unsupported(c, "why")` (the model is fine) or `return import_invalid(c, "why")` (the model is wrong). Builders (tcc_build_*
 * of ir.h, and import_* here) take null values and give null values, so a handler need not test each step: the first complaint is the
 * node's reason. The outputs of a node that failed are poison: what depends on them is skipped without a word, so that one walk finds all
 * that is not supported.
 *
 * All sizes are known expressions here: unknown sizes of inputs become fresh symbols, and no handler builds a "?". */
#ifndef TCC_FRONTEND_IMPORT_H
#define TCC_FRONTEND_IMPORT_H
#include "tcc/import.h"
#include "tcc/ir.h"

/* What a name stands for: a tensor, the bytes of a tensor of strings (a tensor, that only operators on strings take), a sequence of known length, one
 * whose elements are the rows of a tensor, or parts of one along axis `count`, which is the tensor's first there (items[0]: their sizes), a map (items: its keys, a vector or text, and its values, a vector), an absent optional, or the outcome of a failed node. */
typedef struct ImportValue ImportValue;
struct ImportValue {
  enum { IMPORT_ABSENT, IMPORT_TENSOR, IMPORT_TEXT, IMPORT_SEQUENCE, IMPORT_ROWS, IMPORT_PARTS, IMPORT_MAP, IMPORT_POISON } kind;
  MlirValue tensor;
  ImportValue *items;
  size_t count;
  bool is_meant; /* of an absent one: an operator gives it */
};

typedef struct Importer Importer;       /* one run; importer.h */
typedef struct ImportScope ImportScope; /* names of a graph; importer.h */

/* A node at hand. A front end puts it first in a struct of its own, with what it reads nodes by. */
typedef struct ImportCall ImportCall;
struct ImportCall {
  Importer *importer;
  TccIr *ir;
  ImportScope *scope;
  ImportCall *outer; /* the node whose subgraph or function it stands in; NULL */
  TccStr op, domain; /* the operator, and what stands before it in reports; domain may be empty */
  TccStr name;       /* the node's own, or that of its first output */
  int kind;          /* the table's number for a handler that several operators share */
  TccBuilder b;
  size_t ninputs, noutputs;
  ImportValue *inputs, *outputs;
  const TccStr *output_names; /* empty ones are read by nobody */
  const char *reason;         /* NULL while all is well; "" for one that is told elsewhere */
  bool is_unsupported;        /* the reason's kind */
};

/* ---- failing; always false ---- */
bool import_unsupported(ImportCall *c, const char *format, ...) TCC_PRINTF(2, 3);
bool import_invalid(ImportCall *c, const char *format, ...) TCC_PRINTF(2, 3);
bool import_fail_status(ImportCall *c, TccStatus *status); /* consumes it; true for NULL */

/* ---- inputs and outputs ---- */
bool import_has_input(const ImportCall *c, size_t index);
bool import_has_output(const ImportCall *c, size_t index);        /* somebody may read it */
MlirValue import_input(ImportCall *c, size_t index);              /* null if absent */
bool import_need(ImportCall *c, size_t count);                    /* the first count inputs are tensors */
bool import_output(ImportCall *c, size_t index, MlirValue value); /* false if value is null */
bool import_absent_output(ImportCall *c, size_t index);           /* it is an optional without a value; true */

/* ---- shapes and sizes ---- */
typedef struct {
  TccElem elem;
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} ImportShape;
/* Rank 0, no element type for a null value. Axes behind the last one have the size 1: PyTorch takes a number for a vector of one element, where an axis is
 * named, and what a malformed graph lacks fits nothing. */
ImportShape import_shape(ImportCall *c, MlirValue value);
const TccExpr *import_size(ImportCall *c, int64_t value);
const TccExpr *import_size_add(ImportCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *import_size_sub(ImportCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *import_size_mul(ImportCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *import_product(ImportCall *c, const TccExpr *const *dims, int count);
bool import_is_size(const TccExpr *e, int64_t value);
/* Axis in [-rank, rank) to [0, rank). */
bool import_axis(ImportCall *c, int64_t axis, int rank, int64_t *out);
/* The sizes that broadcast a and b as in NumPy. */
bool import_broadcast_shape(ImportCall *c, const ImportShape *a, const ImportShape *b, ImportShape *out);

/* ---- values of inputs at compile time ---- */
/* Entries of a small integer tensor. NULL, and a reason (or a wish to specialise an input), if they are not known. */
const TccExpr *const *import_values(ImportCall *c, size_t input, size_t *out_count);
/* The same, all constants. */
const int64_t *import_constants(ImportCall *c, size_t input, size_t *out_count);
const double *import_reals(ImportCall *c, size_t input, size_t *out_count);
const double *import_known_reals(ImportCall *c, MlirValue value, size_t *out_count); /* the same, without a complaint */
/* The same as sizes, where the run may decide them: entries that are not known and that the caller did not give are counted while the model runs
 * (import_counted_size), each of which must not be negative. Only in what is not dropped (import_drops). */
const TccExpr *const *import_sizes(ImportCall *c, size_t input, size_t *out_count);
bool import_may_count(const ImportCall *c);
/* The same before anything is counted, for operators whose entries may be negative. */
typedef struct {
  const TccExpr *size; /* known */
  MlirValue value;     /* otherwise: rank 0, i64 */
} ImportEntry;
const ImportEntry *import_entries(ImportCall *c, size_t input, size_t *out_count);
MlirValue import_entry_value(ImportCall *c, const ImportEntry *entry); /* rank 0, i64 */
/* The size that a value is (rank 0, i64) when the model runs, which must not be negative and at most `most`; most NULL: 2^36 - 1. NULL for null. */
const TccExpr *import_counted_size(ImportCall *c, MlirValue value, const TccExpr *most);
/* What a value is known to be, without a complaint: false if it is not known. */
bool import_known_constant(ImportCall *c, MlirValue value, int64_t *out);

/* If the caller gave the inputs that the value of an input of this node is computed from, they become constants and the walk
 * begins again: true. */
bool import_specialise_given(ImportCall *c, size_t input);

/* The constant that size is. If its symbols are sizes of inputs whose data the caller gave, or were told, they are fixed to those
 * and the walk begins again; false and a reason otherwise. */
bool import_fix_size(ImportCall *c, const TccExpr *size, int64_t *out);
bool import_size_is_given(ImportCall *c, const TccExpr *size); /* it is no constant, and import_fix_size would make it one */
/* What the caller would have to tell for that: " --dim NAME=..." for each symbol, "" if nothing is missing. */
const char *import_wanted_dims(ImportCall *c, const TccExpr *size);
/* Whether a <= b may be taken for granted: provable, or assumed on the second walk (see importer.c) and then written to the
 * module's attribute tcc.constraints, to be checked when sizes are bound. Never: known not to hold, by itself or by what
 * constraints so far say; that is not assumed. */
bool import_assume_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b);
bool import_never_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b);
/* What a handler asks of sizes: known; or never, then false and a reason; or a constraint of the module. at_most, unlike assume_at_most,
 * is no choice between two ways to build a graph. shape: dims that are NULL may be anything. */
bool import_require_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b, const char *what);
bool import_require_equal(ImportCall *c, const TccExpr *a, const TccExpr *b, const char *what);
bool import_require_shape(ImportCall *c, const ImportShape *shape, int rank, const TccExpr *const *dims, const char *what);
/* a / b, which must leave no rest: provable, or assumed likewise. NULL and a reason if it cannot be. */
const TccExpr *import_divide(ImportCall *c, const TccExpr *a, const TccExpr *b);

/* ---- building, as tcc_build_* of ir.h; null in, null out ---- */
MlirValue import_op(ImportCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                    size_t nattrs);
MlirValue import_op_typed(ImportCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                          size_t nattrs, const ImportShape *result);
/* fft of real and imaginary part (null: 0), and irfft of n elements; out: both parts, null after a failure. */
void import_fft(ImportCall *c, MlirValue re, MlirValue im, int64_t axis, bool inverse, bool half, MlirValue *out);
MlirValue import_irfft(ImportCall *c, MlirValue re, MlirValue im, int64_t axis, const TccExpr *n);
const TccExpr *import_half_spectrum(ImportCall *c, const TccExpr *n);                /* n / 2 + 1, rounded down */
MlirValue import_fit(ImportCall *c, MlirValue x, int64_t axis, const TccExpr *size); /* an axis cut, or with zeros behind it */
MlirValue import_fit_last(ImportCall *c, MlirValue x, const TccExpr *size);          /* the same of the last one */
MlirValue import_unsqueeze(ImportCall *c, MlirValue x, int64_t axis);
MlirValue import_iota(ImportCall *c, TccElem elem, const TccExpr *size); /* rank 1 */
MlirValue import_index(ImportCall *c, MlirValue indices);                /* as i32 or i64 */
MlirValue import_nonzero(ImportCall *c, MlirValue x);                    /* [rank, a fresh symbol] */
/* The sum of products that an equation "bij,jk->bik" names; einsum.c. */
MlirValue import_einsum(ImportCall *c, TccStr equation, const MlirValue *operands, size_t count);

/* ---- random numbers; random.c ---- */
/* A stream of random words, which no other stream of the run shares. */
typedef struct {
  MlirValue seed, offset;
} ImportStream;
/* The next stream of the graph, whose inputs tcc.seed and tcc.offset say which numbers it gives. False and a reason in the body of a loop. */
bool import_stream(ImportCall *c, ImportStream *out);
/* The same stream without taking it: what is drawn next. */
bool import_stream_now(ImportCall *c, ImportStream *out);
/* Stream `number` of a seed that the model has fixed: the same numbers in each run. */
bool import_stream_of(ImportCall *c, int64_t seed, int64_t number, ImportStream *out);
/* In [0, 1): as many bits as elem has digits, so that 1 does not occur. elem is a float type. */
MlirValue import_random_uniform(ImportCall *c, ImportStream *stream, TccElem elem, int rank, const TccExpr *const *dims);
/* f64 in [0, 1), other ones for each number `turn` (i64, rank 0) of an iteration: in the body of a loop, too. */
MlirValue import_random_uniform_again(ImportCall *c, const ImportStream streams[2], MlirValue turn, int rank,
                                      const TccExpr *const *dims);
/* Mean 0, variance 1, by Box and Muller. f32 and f64 as such, others computed in f32. Takes two streams. */
MlirValue import_random_normal(ImportCall *c, ImportStream *stream, TccElem elem, int rank, const TccExpr *const *dims);
/* bool: true with probability p, a float that broadcasts to the shape. */
MlirValue import_random_flags(ImportCall *c, ImportStream *stream, MlirValue p, int rank, const TccExpr *const *dims);
/* i64: low + a number below `range`, a positive i64 that broadcasts to the shape. */
MlirValue import_random_integers(ImportCall *c, ImportStream *stream, MlirValue low, MlirValue range, int rank,
                                 const TccExpr *const *dims);
/* i64, of rank 1: the numbers below n in an order in which all are equally likely. */
MlirValue import_random_order(ImportCall *c, ImportStream *stream, const TccExpr *n);
/* i64 [rows, count]: classes drawn by the weights of a row [rows, classes] of f32 or f64, which need not sum to one; each at most once
 * unless `again`. */
MlirValue import_random_classes(ImportCall *c, ImportStream *stream, MlirValue weights, const TccExpr *count, bool again);

/* ---- indices that a standard calls invalid; index.c ---- */
/* For an op whose `indices` are tuples of `depth` that name x's axes from `axis` on: the attribute `valid` joins attrs where the run has
 * to check them. False, with a reason, for a constant that is outside. */
bool import_valid(ImportCall *c, TccValid valid, MlirValue x, MlirValue indices, int axis, int depth, TccNamedAttr *attrs,
                  size_t *nattrs);
MlirValue import_gather_valid(ImportCall *c, MlirValue x, MlirValue indices, int64_t axis, TccValid valid);
/* x, any tensor, whose elements the run gives only where `holds`, a bool of rank 0, is true: else it ends with an error that says `message`.
 * Not checked with --indices=clamp, where results may be dropped (import_drops), and where x has no elements or no reader. */
MlirValue import_assert(ImportCall *c, MlirValue x, MlirValue holds, TccStr message);
/* Nodes from +1 to -1 on may not run. */
void import_uncertain(ImportCall *c, int change);
/* While true: nodes run in any case, and their results may be dropped. Returns what it was. */
bool import_drops(ImportCall *c, bool drops);
/* Imports the node by `build`, which uses import_drops. If that left out checks, or failed for a reason of the node's own, or as something in it has a size
 * that data decide, `exact`, which leaves out none, is tried in its place; NULL: there is none. Where both fail, the reason is build's. */
bool import_speculate(ImportCall *c, bool (*build)(ImportCall *c), bool (*exact)(ImportCall *c));

/* ---- weights; weight.c ---- */
/* What a tensor is to training (TccImportOptions.parameters); buffers and constants are not trained, constants may be compiled in. */
typedef enum { IMPORT_CONSTANT, IMPORT_BUFFER, IMPORT_PARAMETER } ImportRole;
/* Elements of a tensor that lie in a file. strides: of each axis, in elements; NULL: dense, row-major. */
typedef struct {
  TccElem elem;
  int rank;
  const int64_t *dims, *strides;
  ImportRole role;
} ImportTensor;
#define IMPORT_MOST_DENSE ((size_t)1 << 31) /* bytes of a constant */
/* The tensor `name` at `place`: large ones stay in their file (tcc.weight), small ones and those that no file holds as they are become
 * constants. The place has the elements that the strides reach, each once. Null, and a reason, where it has
 * more or fewer bytes, and for strides that leave gaps between them. */
MlirValue import_weight(ImportCall *c, const ImportTensor *tensor, TccStr name, const TccSourcePlace *place);
void import_mark_buffer(ImportCall *c, MlirValue value); /* a weight turns out to be no parameter */
/* The elements of a constant, or of a weight that is small enough to be one. NULL: it is neither. */
const void *import_small_data(ImportCall *c, MlirValue value, size_t *out_count);
bool import_has_subnormals(ImportCall *c, MlirValue value); /* a vector of f32 of the file, of up to a few thousand */
/* A weight of products: where the file has subnormal numbers in it, they are zero. Multiplying one takes a hundred times as long, and
 * beside the others it is less than f32's rounding. */
MlirValue import_without_subnormals(ImportCall *c, MlirValue w);

/* ---- derivatives; gradient.c ---- */
/* The derivatives of y, of the sum of its elements, by each of xs: a call that the pass tcc-gradient replaces. Not in the body of a loop. */
bool import_gradient(ImportCall *c, MlirValue y, const MlirValue *xs, size_t count, MlirValue *out);

/* ---- bodies of loops; body.c ---- */
/* The body of a loop that the run-time runs (tcc_call_loop): what is built between open and close or drop goes into a function of its own.
 * Close appends the call, whose results out gets; drop forgets the body, and with `forgive` what was wrong in it. False after a reason. */
typedef struct {
  MlirBlock block, outer;
  size_t problems, loops, constraints;
} ImportBody;
void import_body_open(ImportCall *c, ImportBody *body);
bool import_body_close(ImportCall *c, ImportBody *body, size_t carried, const MlirValue *initial, const MlirValue *results,
                       const TccExpr *trips, bool conditional, MlirValue *out);
/* Whether data of an iteration decide a size of value, which is the body's; whether they decide this size. */
bool import_body_decides(ImportCall *c, const ImportBody *body, MlirValue value);
bool import_body_decides_size(ImportCall *c, const ImportBody *body, const TccExpr *size);
/* An expression that such a size never exceeds, without sizes that the body counts but those in `kept`; NULL: none is known. */
const TccExpr *import_body_bound(ImportCall *c, const ImportBody *body, const TccExpr *size, const TccMap *kept);
/* Before close: leaves of what is carried only the values that are `wanted`, and what these depend on. count, initial, results: as of close, what is left
 * afterwards; out_places: for each one before where it is now, SIZE_MAX for what is gone. */
void import_body_prune(ImportCall *c, ImportBody *body, const bool *wanted, size_t *count, MlirValue *initial, MlirValue *results,
                       size_t *out_places);
/* In place of close: the body, which reads nothing of outside, is a private function that gives `results`; the caller calls it. */
bool import_body_function(ImportCall *c, ImportBody *body, const char *name, size_t count, const MlirValue *results);
void import_body_drop(ImportCall *c, ImportBody *body, bool forgive);
void import_body_inline(ImportCall *c, ImportBody *body); /* it is no function: its ops go to where the body was opened */
size_t import_loops(const ImportCall *c);                 /* how many functions there are */
void import_loops_forget(ImportCall *c, size_t count);    /* those behind the first `count`, whose calls are gone */
MlirValue import_body_argument(ImportCall *c, ImportBody *body, MlirType type);
TccArena *import_arena(ImportCall *c);
size_t import_problems(const ImportCall *c);   /* nodes that failed so far */
size_t import_refusals(const ImportCall *c);   /* how often import_may_count said no */
bool import_could_assume(const ImportCall *c); /* another walk may take more for granted, if this one fails */
bool import_restarts(const ImportCall *c);     /* the walk begins again: what fails now says nothing */
/* False and a reason that names `what` where the types differ. */
bool import_same_type(ImportCall *c, MlirValue a, MlirValue b, const char *what);
#endif
