//! Readers of what a study folder holds: papers, reports and data.
