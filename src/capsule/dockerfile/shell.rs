//! Commands of a shell, as far as they can be read without one.

use super::variables::Variables;

/// A command between the signs that part commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellCommand {
    /// Where it begins and ends in the text.
    pub from: usize,
    pub to: usize,
    pub words: Vec<ShellWord>,
    pub has_open_quote: bool,
}

/// A word, without its quotes and with the values of its variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellWord {
    /// Where it begins in the text.
    pub at: usize,
    pub text: String,
    /// Whether a shell would make something else of it.
    pub is_dynamic: bool,
}

/// The commands of a text. Assignments among them hold for those that follow.
pub fn commands(text: &str, variables: &mut Variables) -> Vec<ShellCommand> {
    let mut lexer = Lexer {
        text,
        at: 0,
        variables,
        command: ShellCommand::default(),
        word: None,
        found: Vec::new(),
    };
    lexer.run();
    lexer.found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    variables: &'a mut Variables,
    command: ShellCommand,
    word: Option<ShellWord>,
    found: Vec<ShellCommand>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.rest().chars().next()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn run(&mut self) {
        while let Some(letter) = self.rest().chars().next() {
            let at = self.at;
            match letter {
                '\n' | ';' | '&' | '|' | '(' | ')' => {
                    // `2>&1` and `>&2` part no commands.
                    if letter == '&' && self.word.as_ref().is_some_and(|word| word.text.ends_with('>')) {
                        self.push(letter, at);
                    } else {
                        self.end_command(at);
                    }
                    self.at += 1;
                }
                ' ' | '\t' | '\r' => {
                    self.end_word();
                    self.at += 1;
                }
                '#' if self.word.is_none() => {
                    let end = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += end;
                }
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(letter) => self.push(letter, at),
                    }
                }
                '$' => self.expansion(true),
                '`' => {
                    self.dynamic(at);
                    self.push(letter, at);
                    self.at += 1;
                }
                _ => {
                    // What a shell looks for files by; versions may hold a `*` all the same.
                    self.push(letter, at);
                    self.at += letter.len_utf8();
                }
            }
        }
        self.end_command(self.text.len());
    }

    fn single_quoted(&mut self) {
        let at = self.at;
        self.at += 1;
        self.open(at);
        let inside = self.rest();
        let end = inside.find('\'');
        self.command.has_open_quote |= end.is_none();
        let inside = inside
            .get(..end.unwrap_or(inside.len()))
            .unwrap_or_default()
            .to_owned();
        self.at += inside.len() + usize::from(end.is_some());
        self.open(at).text.push_str(&inside);
    }

    fn double_quoted(&mut self) {
        let at = self.at;
        self.at += 1;
        self.open(at);
        loop {
            match self.rest().chars().next() {
                None => {
                    self.command.has_open_quote = true;
                    return;
                }
                Some('"') => {
                    self.at += 1;
                    return;
                }
                Some('\\') => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(letter @ ('"' | '\\' | '$' | '`')) => self.push(letter, at),
                        Some(letter) => {
                            self.push('\\', at);
                            self.push(letter, at);
                        }
                    }
                }
                Some('$') => self.expansion(false),
                Some(letter) => {
                    if letter == '`' {
                        self.dynamic(at);
                    }
                    self.push(letter, at);
                    self.at += letter.len_utf8();
                }
            }
        }
    }

    /// A variable; without quotes its value may be several words.
    fn expansion(&mut self, splits: bool) {
        let at = self.at;
        let rest = self.text.get(at..).unwrap_or_default();
        let Some(expansion) = self.variables.expand(rest) else {
            self.push('$', at);
            self.at += 1;
            return;
        };
        let written = rest.get(..expansion.length).unwrap_or(rest);
        self.at += written.len();
        let Some(value) = expansion.value else {
            self.dynamic(at);
            self.open(at).text.push_str(written);
            return;
        };
        if !splits {
            self.open(at).text.push_str(&value);
            return;
        }
        for letter in value.chars() {
            if letter.is_ascii_whitespace() {
                self.end_word();
            } else {
                self.push(letter, at);
            }
        }
    }

    fn open(&mut self, at: usize) -> &mut ShellWord {
        self.word.get_or_insert_with(|| ShellWord {
            at,
            ..ShellWord::default()
        })
    }

    fn push(&mut self, letter: char, at: usize) {
        self.open(at).text.push(letter);
    }

    fn dynamic(&mut self, at: usize) {
        self.open(at).is_dynamic = true;
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            if self.command.words.is_empty() {
                self.command.from = word.at;
            }
            self.command.words.push(word);
        }
    }

    fn end_command(&mut self, at: usize) {
        self.end_word();
        let mut command = std::mem::take(&mut self.command);
        command.to = at;
        let first = command.words.first().map_or("", |word| word.text.as_str());
        let assigned = command
            .words
            .get(usize::from(first == "export")..)
            .unwrap_or_default();
        if assigned.iter().all(|word| assignment(&word.text).is_some()) {
            for word in assigned.iter().filter(|word| !word.is_dynamic) {
                if let Some(assignment) = assignment(&word.text) {
                    self.variables.set_in_run(assignment.name, assignment.value);
                }
            }
            return;
        }
        self.found.push(command);
    }
}

/// A word such as `NAME=value`.
pub struct Assignment<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

/// The assignment that a word is, if it is one.
pub fn assignment(word: &str) -> Option<Assignment<'_>> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_name.then_some(Assignment { name, value })
}
