//! The picture as one HTML page that needs nothing else: no script, no font,
//! no image from elsewhere, and a content policy that forbids them.

pub mod drawing;
pub mod drawn;
pub mod forest;
pub mod gantt;
pub mod logged;
pub mod page;
pub mod region;
pub mod strip;
