//! The pure core of a run: events, the state they fold to, and what to do next.
