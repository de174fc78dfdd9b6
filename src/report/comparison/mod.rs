//! Two runs of one study beside each other, as a page, as JSON and as text.

pub mod gather;
pub mod page;
pub mod paired;
pub mod table;
