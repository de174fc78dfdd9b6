//! The reply of a shell to a command, or to the wish to wait for it, interrupt or kill it.

/// The standing of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandStanding {
    /// It ended with this exit status.
    Ended(i32),
    /// It took its shell with it, which ended with this exit status: another shell stands in
    /// its place, without its state.
    ShellGone(i32),
    /// It still runs.
    Running,
    /// The whole session is over; the reason in words.
    SessionOver(String),
}

/// The reply of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellReply {
    pub standing: CommandStanding,
    /// What was written since the last reply on the same command, both streams in their order.
    pub output: CappedOutput,
    /// The byte behind what was told, in the file with the whole of it.
    pub upto: u64,
    /// The name of that file, in the folder of the exchange.
    pub file: String,
}

/// The commands that an engine that is gone had given, and told of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommandsBefore {
    /// The number of the last command that came to something.
    pub number: u32,
    /// The byte behind what was told of its output.
    pub told: u64,
}

/// Output to a cap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CappedOutput {
    pub beginning: Vec<u8>,
    /// Bytes between the two ends that are left out.
    pub left_out: u64,
    pub end: Vec<u8>,
}

impl CappedOutput {
    /// The output as text, with a mark where something is left out.
    pub fn text(&self) -> String {
        let beginning = String::from_utf8_lossy(&self.beginning);
        if self.left_out == 0 {
            return beginning.into_owned();
        }
        format!(
            "{beginning}\n[{} bytes are left out]\n{}",
            self.left_out,
            String::from_utf8_lossy(&self.end)
        )
    }
}
