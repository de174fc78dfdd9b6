//! One file per effect: joins agent, sandbox and scoring to the engine.
