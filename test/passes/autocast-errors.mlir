// RUN: tcc-opt %s --tcc-autocast=to=f8 --verify-diagnostics

// expected-error@+1 {{tcc-autocast: to must be bf16 or f16, not 'f8'}}
module {
}
