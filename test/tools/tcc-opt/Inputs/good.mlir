// expected-error@+1 {{unregistered dialect}}
"undefined1.op"() : () -> ()

// -----

"undefined2.op"() : () -> () // expected-error {{unregistered dialect}}

// -----

"undefined3.op"() : () -> ()
// expected-error@above {{unregistered dialect}}

// -----

func.func private @fine()
