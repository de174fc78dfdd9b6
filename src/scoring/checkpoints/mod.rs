//! The ten execution checkpoints.
