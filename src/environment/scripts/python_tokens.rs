//! Python's text as tokens, as far as statements and imports are to be told from strings and comments.

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonToken {
    pub kind: PythonTokenKind,
    /// From 1.
    pub line: usize,
    /// Columns in front of the line that the token stands on.
    pub indent: usize,
}

/// The kinds of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PythonTokenKind {
    Name(String),
    /// The content of a string; `formatted` where it is an f-string.
    Text {
        content: String,
        formatted: bool,
    },
    /// A sign, or a number's part.
    Sign(char),
    /// The end of a logical line.
    End,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    indent: usize,
    at_start: bool,
    depth: usize,
    tokens: Vec<PythonToken>,
}

/// The tokens of a text; an open string ends with the text.
pub fn tokens(text: &str) -> Vec<PythonToken> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
        indent: 0,
        at_start: true,
        depth: 0,
        tokens: Vec::new(),
    };
    while let Some(letter) = reader.rest.next() {
        reader.letter(letter);
    }
    reader.push(PythonTokenKind::End);
    reader.tokens
}

impl Reader<'_> {
    fn push(&mut self, kind: PythonTokenKind) {
        self.tokens.push(PythonToken {
            kind,
            line: self.line,
            indent: self.indent,
        });
    }

    fn letter(&mut self, letter: char) {
        if self.at_start && self.depth == 0 && matches!(letter, ' ' | '\t') {
            self.indent += if letter == '\t' { 8 - self.indent % 8 } else { 1 };
            return;
        }
        if letter == '\n' {
            return self.new_line();
        }
        self.at_start = false;
        match letter {
            '#' => while self.rest.next_if(|next| *next != '\n').is_some() {},
            '\\' if self.rest.next_if_eq(&'\n').is_some() => self.line += 1,
            '"' | '\'' => self.text("", letter),
            '(' | '[' | '{' => {
                self.depth += 1;
                self.push(PythonTokenKind::Sign(letter));
            }
            ')' | ']' | '}' => {
                self.depth = self.depth.saturating_sub(1);
                self.push(PythonTokenKind::Sign(letter));
            }
            letter if letter.is_alphanumeric() || letter == '_' => self.word(letter),
            letter if letter.is_whitespace() => {}
            letter => self.push(PythonTokenKind::Sign(letter)),
        }
    }

    fn new_line(&mut self) {
        if self.depth == 0 {
            if !matches!(
                self.tokens.last().map(|token| &token.kind),
                None | Some(PythonTokenKind::End)
            ) {
                self.push(PythonTokenKind::End);
            }
            self.indent = 0;
            self.at_start = true;
        }
        self.line += 1;
    }

    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
            word.push(next);
        }
        let is_prefix = word.len() <= 2 && word.chars().all(|letter| "rRbBuUfFtT".contains(letter));
        match self.rest.peek() {
            Some('"' | '\'') if is_prefix => {
                let quote = self.rest.next().unwrap_or('"');
                self.text(&word, quote);
            }
            _ => self.push(PythonTokenKind::Name(word)),
        }
    }

    fn text(&mut self, prefix: &str, quote: char) {
        let started = self.line;
        let is_long = {
            let mut ahead = self.rest.clone();
            ahead.next() == Some(quote) && ahead.next() == Some(quote)
        };
        if is_long {
            self.rest.next();
            self.rest.next();
        }
        let mut content = String::new();
        while let Some(letter) = self.rest.next() {
            match letter {
                '\\' => {
                    content.push(letter);
                    if let Some(next) = self.rest.next() {
                        self.line += usize::from(next == '\n');
                        content.push(next);
                    }
                }
                '\n' if !is_long => {
                    // A string that does not end on its line is a mistake; the line ends it.
                    self.push_text(prefix, content, started);
                    return self.new_line();
                }
                letter if letter == quote => {
                    if !is_long {
                        break;
                    }
                    let mut ahead = self.rest.clone();
                    if ahead.next() == Some(quote) && ahead.next() == Some(quote) {
                        self.rest = ahead;
                        break;
                    }
                    content.push(letter);
                }
                letter => {
                    self.line += usize::from(letter == '\n');
                    content.push(letter);
                }
            }
        }
        self.push_text(prefix, content, started);
    }

    fn push_text(&mut self, prefix: &str, content: String, line: usize) {
        let formatted = prefix.contains(['f', 'F']);
        self.tokens.push(PythonToken {
            kind: PythonTokenKind::Text { content, formatted },
            line,
            indent: self.indent,
        });
    }
}
