//! Pictures for models that see: a page of a PDF, or an image file, within limits.

pub mod raster;
pub mod view;
