//! A study on disk: its layouts, its claim, its data and code, and the references no agent may see.
