/* The quick reader against MLIR: both make the same LLVM IR of each form that the emitters write, and what is not of these forms, or
 * is damaged, is left to MLIR. */
#include "lib/codegen/object/llvm_read.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include <stdio.h>
#include <stdlib.h>

static const char all[] =
    "llvm.mlir.global hidden constant @code_1(\"\\C3\\0F\") {addr_space = 0 : i32, alignment = 64 : i64, section = \".text.code\"} : !llvm.array<2 x i8>\n"
    "llvm.mlir.global hidden constant @code_2() {addr_space = 0 : i32, alignment = 64 : i64, section = \".text.code\"} : !llvm.array<9 x i8>\n"
    "llvm.func hidden @part(%1: !llvm.ptr {llvm.noalias}, %2: i64) -> i64 attributes {passthrough = [\"noinline\", \"nounwind\", \"stackrealign\"]}\n"
    "llvm.mlir.global internal constant @data1(\"\\01\\FF\") {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<2 x i8>\n"
    "llvm.func internal @inner(%1: i1) attributes {passthrough = [\"noinline\", \"optnone\", \"nounwind\"]} {\n"
    "llvm.cond_br %1, ^b2, ^b3\n"
    "^b2:\n"
    "llvm.br ^b3\n"
    "^b3:\n"
    "llvm.return\n}\n"
    "llvm.func @entry(%1: !llvm.ptr, %2: !llvm.ptr, %3: i64) -> f32 attributes {passthrough = [\"nounwind\"]} {\n"
    "%4 = llvm.mlir.constant(0 : i64) : i64\n"
    "%5 = llvm.mlir.constant(-8 : i64) : i64\n"
    "%6 = llvm.mlir.constant(dense<0x3F800000> : vector<16xf32>) : vector<16xf32>\n"
    "%7 = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>) : vector<4xi32>\n"
    "%8 = llvm.mlir.constant(true) : i1\n"
    "%9 = llvm.mlir.constant(0x7FF8000000000000 : f64) : f64\n"
    "%10 = llvm.mlir.zero : vector<16xf32>\n"
    "%11 = llvm.mlir.poison : vector<4xi32>\n"
    "%34 = llvm.mlir.poison : vector<16xi32>\n"
    "%12 = llvm.mlir.addressof @data1 : !llvm.ptr\n"
    "%13 = llvm.mlir.addressof @code_2 : !llvm.ptr\n"
    "%14 = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>\n"
    "%15 = llvm.getelementptr %1[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n"
    "%16 = llvm.load %15 : !llvm.ptr -> !llvm.ptr\n"
    "%17 = llvm.getelementptr %16[%3] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
    "%18 = llvm.load %17 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>\n"
    "%19 = llvm.fadd %18, %6 {fastmathFlags = #llvm.fastmath<contract>} : vector<16xf32>\n"
    "%20 = llvm.intr.fma(%18, %19, %10) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>\n"
    "%21 = llvm.intr.sqrt(%20) : (vector<16xf32>) -> vector<16xf32>\n"
    "%22 = llvm.fcmp \"olt\" %21, %20 : vector<16xf32>\n"
    "%23 = llvm.select %22, %21, %20 : vector<16xi1>, vector<16xf32>\n"
    "%24 = llvm.intr.masked.load %17, %22, %10 {alignment = 4 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>\n"
    "llvm.intr.masked.store %24, %17, %22 {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr\n"
    "%25 = llvm.trunc %3 : i64 to i32\n"
    "%26 = llvm.insertelement %25, %11[%4 : i64] : vector<4xi32>\n"
    "%27 = llvm.shufflevector %26, %11 [0, 0, 0, 0] : vector<4xi32>\n"
    "%28 = llvm.add %27, %7 : vector<4xi32>\n"
    "%29 = llvm.getelementptr %16[%28] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, i32\n"
    "%30 = llvm.intr.masked.gather %29, %14, %28 {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>\n"
    "llvm.intr.masked.scatter %30, %29, %14 {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into vector<4x!llvm.ptr>\n"
    "\"llvm.intr.prefetch\"(%17) {cache = 1 : i32, hint = 3 : i32, rw = 0 : i32} : (!llvm.ptr) -> ()\n"
    "%31 = llvm.call @part(%2, %3) : (!llvm.ptr, i64) -> i64\n"
    "llvm.call %13(%12, %31) : !llvm.ptr, (!llvm.ptr, i64) -> ()\n"
    "%32 = llvm.alloca %5 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr\n"
    "llvm.store %23, %32 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr\n"
    "%33 = llvm.call_intrinsic \"llvm.x86.avx512.permvar.sf.512\"(%23, %34) : (vector<16xf32>, vector<16xi32>) -> vector<16xf32>\n"
    "%46 = llvm.intr.vector.insert %27, %34[8] : vector<4xi32> into vector<16xi32>\n"
    "%47 = llvm.atomicrmw add %15, %3 acq_rel : !llvm.ptr, i64\n"
    "%35 = llvm.icmp \"slt\" %4, %3 : i64\n"
    "llvm.cond_br %35, ^b200(%4, %33 : i64, vector<16xf32>), ^b201(%33 : vector<16xf32>)\n"
    "^b200(%36: i64, %37: vector<16xf32>):\n"
    "%38 = llvm.fmul %37, %6 : vector<16xf32>\n"
    "%39 = llvm.sub %36, %5 : i64\n"
    "%40 = llvm.icmp \"ult\" %39, %31 : i64\n"
    "llvm.call @inner(%40) : (i1) -> ()\n"
    "llvm.cond_br %40, ^b200(%39, %38 : i64, vector<16xf32>), ^b201(%38 : vector<16xf32>)\n"
    "^b201(%41: vector<16xf32>):\n"
    "%42 = llvm.extractelement %41[%4 : i64] : vector<16xf32>\n"
    "%43 = llvm.fpext %42 : f32 to f64\n"
    "%44 = llvm.fdiv %43, %9 : f64\n"
    "%45 = llvm.fptrunc %44 : f64 to f32\n"
    "llvm.return %45 : f32\n}\n";

static int failures;

/* From the first constant or function to the flags of the module; what blocks come before a block has no fixed order. */
static char *printed(LLVMModuleRef module) {
  char *text = LLVMPrintModuleToString(module), *from = strstr(text, "\n@"), *flags = strstr(text, "\n!llvm.module.flags"), *preds;
  if (flags) *flags = 0;
  memmove(text, from, strlen(from) + 1);
  while ((preds = strstr(text, "; preds"))) memmove(preds, strchr(preds, '\n'), strlen(strchr(preds, '\n')) + 1);
  return text;
}

static bool reads(const char *text) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kernel", context);
  bool known = tcc_llvm_read(tcc_str(text), module) && !LLVMVerifyModule(module, LLVMReturnStatusAction, NULL);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return known;
}

static void compare(const char *text) {
  MlirContext mlir = mlirContextCreateWithThreading(false);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__llvm__(), mlir);
  mlirRegisterAllLLVMTranslations(mlir);
  LLVMContextRef context = LLVMContextCreate();
  MlirModule parsed = mlirModuleCreateParse(mlir, mlirStringRefCreateFromCString(text));
  LLVMModuleRef want = mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(parsed), context),
                is = LLVMModuleCreateWithNameInContext("kernel", context);
  bool known = tcc_llvm_read(tcc_str(text), is);
  char *a = printed(want), *b = printed(is);
  if (!known || strcmp(a, b) != 0)
    failures++, printf("failed: %s\n%s\n-- in place of --\n%s\n", known ? "another module" : "not read", b, a);
  LLVMDisposeMessage(a), LLVMDisposeMessage(b);
  LLVMDisposeModule(want), LLVMDisposeModule(is);
  LLVMContextDispose(context);
  mlirModuleDestroy(parsed);
  mlirContextDestroy(mlir);
}

/* Two texts with constants of one name, one of which declares what the other defines. */
static void share(void) {
  static const char first[] =
      "llvm.func hidden @f(%1: i64) attributes {passthrough = [\"nounwind\"]}\n"
      "llvm.mlir.global internal constant @data1(\"\\01\") {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<1 x i8>\n";
  static const char second[] =
      "llvm.mlir.global internal constant @data1(\"\\02\") {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<1 x i8>\n"
      "llvm.func hidden @f(%1: i64) attributes {passthrough = [\"nounwind\"]} {\nllvm.return\n}\n";
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("kernel", context);
  if (!tcc_llvm_read(tcc_str(first), module) || !tcc_llvm_read(tcc_str(second), module)) failures++, printf("failed: two texts\n");
  LLVMValueRef f = LLVMGetFirstFunction(module);
  if (!f || LLVMGetNextFunction(f) || LLVMCountBasicBlocks(f) != 1 || LLVMVerifyModule(module, LLVMReturnStatusAction, NULL))
    failures++, printf("failed: a function of two texts\n");
  if (tcc_llvm_read(tcc_str(second), module)) failures++, printf("failed: a second definition is read\n");
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

int main(void) {
  compare(all);
  share();
  for (size_t n = 0; n < sizeof all; n += 37) { /* cut short: no crash; one that ends between functions is a text */
    char text[sizeof all];
    memcpy(text, all, n), text[n] = 0;
    (void)reads(text);
  }
  static const char *const left[] = {"",
                                     "gpu.module @k {\n}\n",
                                     "llvm.func @f() {\nllvm.br ^b1\n}\n",
                                     "llvm.func @f() {\n%1 = llvm.fneg %0 : f32\nllvm.return\n}\n",
                                     "llvm.func @f(%1: i64) {\n%2 = llvm.add %1, %1 : i32\nllvm.return\n}\n",
                                     "llvm.func @f() {\n%1 = llvm.add %2, %2 : i32\nllvm.return\n}\n",
                                     "llvm.func @f(%1: i64) {\nllvm.call @g(%1) : (i64) -> ()\nllvm.return\n}\n",
                                     "llvm.func @f(%99999999999: i64) {\nllvm.return\n}\n"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (reads(left[i])) failures++, printf("failed: read: %s\n", left[i]);
  return failures != 0;
}
