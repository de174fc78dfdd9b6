//! R's defaults of before 4.0, for scripts that were written for them.

/// A profile of R that brings back `stringsAsFactors = TRUE` and the old way to draw samples, for the
/// script's own code. It is handed to R as the file that `R_PROFILE_USER` names.
pub const R3_SHIM: &str = include_str!("../../../rescue/r3-shim.R");

/// Where the shim does not reach, for those who are offered it.
pub const NOT_REACHED: &str = "It does not reach calls such as `utils::read.csv`, the code of packages, \
`as.data.frame(matrix)`, and columns of text that are added to a frame later: there only an R of before 4.0 is \
the full answer.";
