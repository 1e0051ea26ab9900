
// expected-error@+1 {{something else}}
"undefined1.op"() : () -> ()

// -----

// expected-error {{on the wrong line}}
func.func private @fine()

// -----

// expected-error@+1 no braces
func.func private @fine()
