//! The folder in which the engine and a shell exchange commands and what they came to.
//!
//! `NUMBER.sh` is a command and `NUMBER.out` its output; `NUMBER.end` stands there when it is
//! over. `ask` is a pipe that the shell reads numbers from, `control` one for the words
//! `interrupt`, `kill` and `end`. Each name is a single one and is opened without following a
//! link, since the folder belongs to whoever nobody trusts.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::reply::{CappedOutput, CommandStanding};

/// The longest mark of an end, or of a session, in bytes.
const MARK: u64 = 256;

/// The folder of an exchange, held open.
#[derive(Debug)]
pub struct Exchange {
    folder: OwnedFd,
}

/// A word to the process that watches over the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlWord {
    /// SIGINT to what the command runs.
    Interrupt,
    /// SIGKILL to what the command runs; the shell lives.
    Kill,
    /// SIGKILL to the shell, in whose place another one is started.
    End,
}

impl ControlWord {
    fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt\n",
            Self::Kill => "kill\n",
            Self::End => "end\n",
        }
    }
}

impl Exchange {
    /// Opens a folder.
    ///
    /// # Errors
    /// One that is missing, or that a link leads to.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        Ok(Self {
            folder: open(folder, flags, Mode::empty())?,
        })
    }

    /// The mark that the shell under way was started with, once it listens.
    pub fn mark(&self) -> Option<String> {
        Some(self.short("ready")?.trim().to_owned())
    }

    /// The command of a number, where one was given under it.
    pub fn command(&self, number: u32) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let file = self.regular(&format!("{number}.sh"))?;
        file.take(1 << 20).read_to_end(&mut text).ok()?;
        Some(text)
    }

    /// Gives a command to the shell.
    ///
    /// # Errors
    /// A command that cannot be written, or a shell that does not listen.
    pub fn give(&self, number: u32, command: &str) -> io::Result<()> {
        let name = format!("{number}.sh");
        for old in [name.clone(), format!("{number}.end")] {
            self.remove(&old)?;
        }
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = openat(
            &self.folder,
            name.as_str(),
            flags,
            Mode::from_bits_truncate(0o644),
        )?;
        // Whatever the caller's mask: the shell has to read it.
        fchmod(&file, Mode::from_bits_truncate(0o644))?;
        let mut file = File::from(file);
        file.write_all(command.as_bytes())?;
        if !command.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        drop(file);
        self.say("ask", &format!("{number}\n"))
    }

    /// Says a word to the process that watches over the shell.
    ///
    /// # Errors
    /// A process that does not listen.
    pub fn control(&self, word: ControlWord) -> io::Result<()> {
        self.say("control", word.word())
    }

    /// The standing of a command that was given.
    pub fn standing(&self, number: u32) -> CommandStanding {
        let end = self.short(&format!("{number}.end"));
        // The shell's own mark comes whole, by a rename: one that is half written, or says
        // something else, is none of its marks.
        end.as_deref()
            .and_then(standing_of_mark)
            .unwrap_or(CommandStanding::Running)
    }

    /// The output of a command from a byte on, capped at `cap` bytes, and the byte behind it.
    pub fn output(&self, number: u32, from: u64, cap: u64) -> OutputPart {
        let nothing = OutputPart {
            output: CappedOutput::default(),
            upto: from,
        };
        let Some(mut file) = self.regular(&Self::output_name(number)) else {
            return nothing;
        };
        let Ok(length) = file.metadata().map(|found| found.len()) else {
            return nothing;
        };
        // A file that was shortened begins anew.
        let from = if from > length { 0 } else { from };
        let mut read = |at: u64, count: u64| {
            let mut bytes = Vec::new();
            // What cannot be read is missing in a text that is cut anyway.
            if file.seek(SeekFrom::Start(at)).is_ok() {
                let _ = (&file).take(count).read_to_end(&mut bytes);
            }
            bytes
        };
        let there = length - from;
        let output = if there <= cap {
            CappedOutput {
                beginning: read(from, there),
                ..CappedOutput::default()
            }
        } else {
            CappedOutput {
                beginning: read(from, cap / 2),
                left_out: there - 2 * (cap / 2),
                end: read(length - cap / 2, cap / 2),
            }
        };
        OutputPart { output, upto: length }
    }

    /// The name of the file with the output of a command.
    pub fn output_name(number: u32) -> String {
        format!("{number}.out")
    }

    fn short(&self, name: &str) -> Option<String> {
        let mut text = String::new();
        self.regular(name)?.take(MARK).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// A plain file of the folder.
    fn regular(&self, name: &str) -> Option<File> {
        // A pipe in its place must not be waited for.
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let file = File::from(openat(&self.folder, name, flags, Mode::empty()).ok()?);
        file.metadata().ok()?.is_file().then_some(file)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.folder, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn say(&self, pipe: &str, line: &str) -> io::Result<()> {
        use std::os::unix::fs::FileTypeExt as _;
        let flags = OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let mut file = File::from(openat(&self.folder, pipe, flags, Mode::empty())?);
        if !file.metadata()?.file_type().is_fifo() {
            return Err(io::Error::other(format!("`{pipe}` is no pipe any more")));
        }
        // Shorter than what a pipe takes at once.
        file.write_all(line.as_bytes())
    }
}

/// The standing that the mark of an end tells, where it is one.
fn standing_of_mark(mark: &str) -> Option<CommandStanding> {
    let (word, code) = mark.strip_suffix('\n')?.split_once(' ')?;
    let code = code.parse().ok()?;
    match word {
        "ended" => Some(CommandStanding::Ended(code)),
        "gone" => Some(CommandStanding::ShellGone(code)),
        _ => None,
    }
}

/// A part of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPart {
    pub output: CappedOutput,
    /// The byte behind it.
    pub upto: u64,
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_and_pipes_in_the_place_of_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "secret\n").unwrap();
        let exchange = Exchange::open(folder.path()).unwrap();
        symlink(folder.path().join("secret"), folder.path().join("1.out")).unwrap();
        symlink("secret", folder.path().join("1.end")).unwrap();
        nix::unistd::mkfifo(&folder.path().join("2.end"), Mode::S_IRWXU).unwrap();
        assert_eq!(exchange.output(1, 0, 100).output, CappedOutput::default());
        assert_eq!(exchange.standing(1), CommandStanding::Running);
        assert_eq!(exchange.standing(2), CommandStanding::Running);
        // A command is written in the place of a link, not through it.
        symlink("secret", folder.path().join("3.sh")).unwrap();
        nix::unistd::mkfifo(&folder.path().join("ask"), Mode::S_IRWXU).unwrap();
        let _nobody_reads = exchange.give(3, "true");
        assert_eq!(
            std::fs::read_to_string(folder.path().join("secret")).unwrap(),
            "secret\n"
        );
        symlink("secret", folder.path().join("control")).unwrap();
        assert!(exchange.control(ControlWord::End).is_err());
        let linked = folder.path().join("linked");
        symlink(folder.path(), &linked).unwrap();
        assert!(Exchange::open(&linked).is_err());
    }

    #[test]
    fn an_end_that_is_not_whole_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let exchange = Exchange::open(folder.path()).unwrap();
        let end = folder.path().join("1.end");
        for mark in [
            "",
            "ended",
            "ended 0",
            "ended x\n",
            "over 0\n",
            "ended 0\nended 1\n",
        ] {
            std::fs::write(&end, mark).unwrap();
            assert_eq!(exchange.standing(1), CommandStanding::Running, "{mark:?}");
        }
        std::fs::write(&end, "ended 3\n").unwrap();
        assert_eq!(exchange.standing(1), CommandStanding::Ended(3));
        std::fs::write(&end, "gone 137\n").unwrap();
        assert_eq!(exchange.standing(1), CommandStanding::ShellGone(137));
    }

    #[test]
    fn output_is_capped_at_both_ends_and_told_on_from_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let exchange = Exchange::open(folder.path()).unwrap();
        std::fs::write(folder.path().join("1.out"), "0123456789").unwrap();
        let part = exchange.output(1, 0, 4);
        assert_eq!(part.output.text(), "01\n[6 bytes are left out]\n89");
        assert_eq!(part.upto, 10);
        assert_eq!(exchange.output(1, 8, 4).output.text(), "89");
        // Shorter than what was seen: from its beginning.
        std::fs::write(folder.path().join("1.out"), "ab").unwrap();
        assert_eq!(exchange.output(1, 8, 4).output.text(), "ab");
    }
}
