//! The entries of an archive, told one after the other.

use std::ops::ControlFlow;

use super::budget::Budget;
use super::window::Window;

/// An order to go on, or to stop.
pub type Flow = ControlFlow<()>;

/// The listener that is told of each entry.
pub trait Entries<'b> {
    fn budget(&self) -> &'b Budget;

    /// Takes in the name of an entry.
    fn name(&mut self, name: &[u8]) -> Flow;

    /// Takes in the content of an entry, as much of it as it wants.
    fn content(&mut self, name: &[u8], content: &mut Window<'_>) -> Flow;

    /// Takes in that the content of an entry cannot be decoded.
    fn closed(&mut self, name: &[u8]) -> Flow;
}
