//! Pure decisions: whether a command, a file change or a network call is allowed, asked for or forbidden.
