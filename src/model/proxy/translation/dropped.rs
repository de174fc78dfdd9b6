//! The parts that a translation takes out of a request, in words.

/// Names of what was taken out, each once, in the order in which it was met.
#[derive(Debug, Default)]
pub struct Dropped(Vec<String>);

impl Dropped {
    /// Notes something that was taken out.
    pub fn add(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }

    /// All of it.
    pub fn into_words(self) -> Vec<String> {
        self.0
    }
}
