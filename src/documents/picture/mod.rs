//! Pictures for models that see: a page of a PDF, an SVG or another image file, within limits.

pub mod raster;
#[cfg(feature = "svg")]
pub mod svg;
pub mod view;
