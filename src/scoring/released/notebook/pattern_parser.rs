//! The parser of Python's patterns, which writes them again.

use std::collections::HashMap;

use super::pattern_fault::PatternFault;
use super::pattern_flags::PatternFlags;

/// The groups that may stand in one another.
const DEEPEST: usize = 100;
/// The highest count of a repeat.
const MOST_REPEATS: usize = 10_000;

type Parsed<T> = Result<T, PatternFault>;

/// The thing before a place, which says whether a repeat may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Item,
    Repeat,
}

/// A pattern that is being read.
pub(super) struct PatternParser {
    characters: Vec<char>,
    at: usize,
    out: String,
    flags: PatternFlags,
    names: HashMap<String, usize>,
    /// Of each group, by its number less one: whether it is over.
    closed: Vec<bool>,
}

impl PatternParser {
    pub fn new(pattern: &str) -> Self {
        Self {
            characters: pattern.chars().collect(),
            at: 0,
            out: String::new(),
            flags: PatternFlags::default(),
            names: HashMap::new(),
            closed: Vec::new(),
        }
    }

    /// The pattern as the searcher writes it.
    pub fn written(mut self) -> Parsed<String> {
        self.global_flags()?;
        let opening = self.flags.opening();
        self.out.push_str(&opening);
        self.branches(0, usize::MAX)?;
        if self.at < self.characters.len() {
            return Err(PatternFault::Python("unbalanced parenthesis"));
        }
        self.out.push(')');
        Ok(self.out)
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn takes(&mut self, text: &str) -> bool {
        let matches =
            (text.chars().enumerate()).all(|(index, one)| self.characters.get(self.at + index) == Some(&one));
        if matches {
            self.at += text.chars().count();
        }
        matches
    }

    /// Flags at the begin, such as `(?i)`, which hold in the whole pattern.
    fn global_flags(&mut self) -> Parsed<()> {
        loop {
            let begin = self.at;
            if !self.takes("(?") {
                return Ok(());
            }
            let mut flags = self.flags;
            let mut letters = 0;
            while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
                if flags.set(letter, true).is_err() {
                    break;
                }
                letters += 1;
                self.at += 1;
            }
            if letters == 0 || !self.takes(")") {
                self.at = begin;
                return Ok(());
            }
            self.flags = flags;
        }
    }

    /// Branches until a bracket closes or the pattern ends.
    fn branches(&mut self, depth: usize, most: usize) -> Parsed<()> {
        if depth > DEEPEST {
            return Err(PatternFault::NotTaken(format!(
                "its groups stand more than {DEEPEST} deep"
            )));
        }
        let mut branches = 1;
        let mut before = Before::Nothing;
        while let Some(one) = self.peek() {
            match one {
                ')' => break,
                '|' => {
                    branches += 1;
                    if branches > most {
                        return Err(PatternFault::Python(
                            "conditional backref with more than two branches",
                        ));
                    }
                    self.at += 1;
                    self.out.push('|');
                    before = Before::Nothing;
                }
                _ => self.piece(depth, &mut before)?,
            }
        }
        Ok(())
    }

    /// An item, a repeat, or nothing at all.
    fn piece(&mut self, depth: usize, before: &mut Before) -> Parsed<()> {
        let Some(one) = self.next() else { return Ok(()) };
        if self.flags.verbose && self.skips(one) {
            return Ok(());
        }
        match one {
            '*' | '+' | '?' => {
                self.repeat(*before, &one.to_string())?;
                *before = Before::Repeat;
                return Ok(());
            }
            '{' => {
                if let Some(counts) = self.counts()? {
                    self.repeat(*before, &counts)?;
                    *before = Before::Repeat;
                    return Ok(());
                }
                self.literal('{');
            }
            '.' => self.out.push('.'),
            '^' => return self.place(if self.flags.multi_line { "(?m:^)" } else { r"\A" }, before),
            '$' => return self.place(if self.flags.multi_line { "(?m:$)" } else { r"\z" }, before),
            '[' => self.class()?,
            '(' => return self.group(depth, before),
            '\\' => return self.escape(before),
            one => self.literal(one),
        }
        *before = Before::Item;
        Ok(())
    }

    /// Whether a character is passed over in a verbose pattern, with its comment.
    fn skips(&mut self, one: char) -> bool {
        if one == '#' {
            while self.next().is_some_and(|one| one != '\n') {}
        }
        one == '#' || matches!(one, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
    }

    /// A place between characters, which cannot be repeated.
    fn place(&mut self, written: &str, before: &mut Before) -> Parsed<()> {
        self.out.push_str(written);
        *before = Before::Nothing;
        Ok(())
    }

    fn literal(&mut self, one: char) {
        match one.is_ascii_alphanumeric() || !one.is_ascii() {
            true => self.out.push(one),
            // Of all spellings the one that means nothing else, in a class and outside.
            false => self.out.push_str(&format!(r"\x{{{:x}}}", u32::from(one))),
        }
    }

    fn repeat(&mut self, before: Before, written: &str) -> Parsed<()> {
        match before {
            Before::Nothing => return Err(PatternFault::Python("nothing to repeat")),
            Before::Repeat => return Err(PatternFault::Python("multiple repeat")),
            Before::Item => {}
        }
        self.out.push_str(written);
        // Lazy, or possessive.
        if let Some(mark @ ('?' | '+')) = self.peek() {
            self.at += 1;
            self.out.push(mark);
        }
        Ok(())
    }

    /// The counts behind a brace; `None` where the brace stands for itself.
    fn counts(&mut self) -> Parsed<Option<String>> {
        let begin = self.at;
        if self.peek() == Some('}') {
            return Ok(None);
        }
        let low = self.digits();
        let high = match self.takes(",") {
            true => self.digits(),
            false => low.clone(),
        };
        if !self.takes("}") {
            self.at = begin;
            return Ok(None);
        }
        let is_exact = self.characters[begin..self.at].iter().all(|one| *one != ',');
        let count = |digits: &str| match digits.parse::<usize>() {
            Ok(count) if count <= MOST_REPEATS => Ok(count),
            _ => Err(PatternFault::NotTaken(format!(
                "it repeats more than {MOST_REPEATS} times"
            ))),
        };
        let least = if low.is_empty() { 0 } else { count(&low)? };
        if high.is_empty() {
            return Ok(Some(format!("{{{least},}}")));
        }
        let most = count(&high)?;
        if most < least {
            return Err(PatternFault::Python("min repeat greater than max repeat"));
        }
        Ok(Some(match is_exact {
            true => format!("{{{least}}}"),
            false => format!("{{{least},{most}}}"),
        }))
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(one) = self.peek().filter(char::is_ascii_digit) {
            digits.push(one);
            self.at += 1;
        }
        digits
    }

    fn group(&mut self, depth: usize, before: &mut Before) -> Parsed<()> {
        let outer = self.flags;
        if !self.takes("?") {
            return self.capture(depth, before);
        }
        if self.takes("P") {
            if self.takes("<") {
                let name = self.name('>')?;
                if self.names.insert(name, self.closed.len() + 1).is_some() {
                    return Err(PatternFault::Python("redefinition of group name"));
                }
                return self.capture(depth, before);
            }
            if self.takes("=") {
                let name = self.name(')')?;
                let number = self.names.get(&name).copied();
                let number = number.ok_or(PatternFault::Python("unknown group name"))?;
                *before = Before::Item;
                return self.back_reference(number);
            }
            return Err(PatternFault::Python("unknown extension ?P"));
        }
        if self.takes("#") {
            return match (self.characters[self.at..].iter()).position(|one| *one == ')') {
                Some(end) => {
                    self.at += end + 1;
                    Ok(())
                }
                None => Err(PatternFault::Python("missing ), unterminated comment")),
            };
        }
        let mut most = usize::MAX;
        if self.takes("(") {
            most = 2;
            self.condition()?;
        } else {
            let known = [":", "<=", "<!", "=", "!", ">"]
                .into_iter()
                .find(|opening| self.takes(opening));
            match known {
                Some(opening) => self.out.push_str(&format!("(?{opening}")),
                None => self.scoped_flags()?,
            }
        }
        self.branches(depth + 1, most)?;
        self.close(outer, before)
    }

    fn capture(&mut self, depth: usize, before: &mut Before) -> Parsed<()> {
        let outer = self.flags;
        let index = self.closed.len();
        self.closed.push(false);
        self.out.push('(');
        self.branches(depth + 1, usize::MAX)?;
        self.closed[index] = true;
        self.close(outer, before)
    }

    fn close(&mut self, outer: PatternFlags, before: &mut Before) -> Parsed<()> {
        if !self.takes(")") {
            return Err(PatternFault::Python("missing ), unterminated subpattern"));
        }
        self.out.push(')');
        self.flags = outer;
        *before = Before::Item;
        Ok(())
    }

    fn name(&mut self, end: char) -> Parsed<String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(one) if one == end => break,
                Some(one) => name.push(one),
                None => return Err(PatternFault::Python("unterminated name")),
            }
        }
        let is_name = !name.starts_with(|one: char| one.is_numeric())
            && name.chars().all(|one| one == '_' || one.is_alphanumeric());
        match is_name && !name.is_empty() {
            true => Ok(name),
            false => Err(PatternFault::Python("bad character in group name")),
        }
    }

    /// The condition of `(?(group)yes|no)`.
    fn condition(&mut self) -> Parsed<()> {
        let digits = self.digits();
        let number = match digits.is_empty() {
            true => self.name(')').map(|name| self.names.get(&name).copied())?,
            false if !self.takes(")") => return Err(PatternFault::Python("bad character in group name")),
            false => digits
                .parse()
                .ok()
                .filter(|number| (1..=self.closed.len()).contains(number)),
        };
        let number = number.ok_or(PatternFault::Python("invalid group reference"))?;
        self.out.push_str(&format!("(?({number})"));
        Ok(())
    }

    /// Flags that hold in one group, such as `(?i-s:...)`.
    fn scoped_flags(&mut self) -> Parsed<()> {
        let mut on = true;
        let mut letters = 0;
        loop {
            match self.next() {
                Some(':') if letters > 0 => break,
                Some('-') if on => on = false,
                Some(')') if letters > 0 => {
                    return Err(PatternFault::Python(
                        "global flags not at the start of the expression",
                    ));
                }
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.flags.set(letter, on)?;
                    letters += 1;
                }
                Some(_) => return Err(PatternFault::Python("unknown extension")),
                None => return Err(PatternFault::Python("unexpected end of pattern")),
            }
        }
        let opening = self.flags.opening();
        self.out.push_str(&opening);
        Ok(())
    }

    fn back_reference(&mut self, number: usize) -> Parsed<()> {
        match self.closed.get(number.wrapping_sub(1)) {
            None => Err(PatternFault::Python("invalid group reference")),
            Some(false) => Err(PatternFault::Python("cannot refer to an open group")),
            Some(true) => {
                // In a group, since a digit may follow.
                self.out.push_str(&format!(r"(?:\{number})"));
                Ok(())
            }
        }
    }

    /// An escape outside a class.
    fn escape(&mut self, before: &mut Before) -> Parsed<()> {
        let Some(one) = self.next() else {
            return Err(PatternFault::Python("bad escape (end of pattern)"));
        };
        let word = format!("[{}]", self.flags.class('w').unwrap_or_default());
        match one {
            'A' => return self.place(r"\A", before),
            'Z' => return self.place(r"\z", before),
            'b' => {
                return self.place(
                    &format!("(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"),
                    before,
                );
            }
            'B' => {
                return self.place(
                    &format!(r"(?:(?!\A\z)(?:(?<={word})(?={word})|(?<!{word})(?!{word})))"),
                    before,
                );
            }
            '1'..='9' => self.numbered(one)?,
            _ => match self.flags.class(one) {
                Some(class) => {
                    let negated = if one.is_ascii_uppercase() { "^" } else { "" };
                    self.out.push_str(&format!("[{negated}{class}]"));
                }
                None => {
                    let found = self.escaped(one)?;
                    self.literal(found);
                }
            },
        }
        *before = Before::Item;
        Ok(())
    }

    /// A group by its number, or three octal digits.
    fn numbered(&mut self, first: char) -> Parsed<()> {
        let is_octal = |one: Option<char>| one.is_some_and(|one| ('0'..='7').contains(&one));
        let mut digits = first.to_string();
        if let Some(second) = self.peek().filter(char::is_ascii_digit) {
            self.at += 1;
            digits.push(second);
            if is_octal(Some(first)) && is_octal(Some(second)) && is_octal(self.peek()) {
                digits.extend(self.next());
                let found = octal(&digits)?;
                self.literal(found);
                return Ok(());
            }
        }
        self.back_reference(digits.parse().unwrap_or(0))
    }

    /// The character that an escape stands for, in a class and outside.
    fn escaped(&mut self, one: char) -> Parsed<char> {
        Ok(match one {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0' => {
                let mut digits = String::from("0");
                while digits.len() < 3 && self.peek().is_some_and(|one| ('0'..='7').contains(&one)) {
                    digits.extend(self.next());
                }
                octal(&digits)?
            }
            'x' => self.hexadecimal(2)?,
            'u' => self.hexadecimal(4)?,
            'U' => self.hexadecimal(8)?,
            'N' => {
                return Err(PatternFault::NotTaken(
                    "characters by name (\\N{...}) are not taken".to_owned(),
                ));
            }
            one if one.is_ascii_alphanumeric() => return Err(PatternFault::Python("bad escape")),
            one => one,
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Parsed<char> {
        let mut code = 0_u64;
        for _ in 0..digits {
            let digit = self.next().and_then(|one| one.to_digit(16));
            code = code * 16 + u64::from(digit.ok_or(PatternFault::Python("incomplete escape"))?);
        }
        if code > 0x10_FFFF {
            return Err(PatternFault::Python("bad escape"));
        }
        (u32::try_from(code).ok().and_then(char::from_u32))
            .ok_or_else(|| PatternFault::NotTaken("half a surrogate pair is not taken".to_owned()))
    }

    /// A class, behind its opening bracket.
    fn class(&mut self) -> Parsed<()> {
        const OPEN: PatternFault = PatternFault::Python("unterminated character set");
        self.out.push('[');
        if self.takes("^") {
            self.out.push('^');
        }
        let begin = self.at;
        loop {
            let one = self.next().ok_or(OPEN)?;
            if one == ']' && self.at > begin + 1 {
                break;
            }
            let first = self.class_item(one)?;
            let is_range = self.peek() == Some('-') && self.characters.get(self.at + 1) != Some(&']');
            if !is_range {
                match first {
                    ClassItem::One(one) => self.literal(one),
                    ClassItem::Class(class) => self.out.push_str(&class),
                }
                continue;
            }
            self.at += 1;
            let one = self.next().ok_or(OPEN)?;
            match (first, self.class_item(one)?) {
                (ClassItem::One(low), ClassItem::One(high)) if low <= high => {
                    self.literal(low);
                    self.out.push('-');
                    self.literal(high);
                }
                _ => return Err(PatternFault::Python("bad character range")),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn class_item(&mut self, one: char) -> Parsed<ClassItem> {
        if one != '\\' {
            return Ok(ClassItem::One(one));
        }
        let one = self
            .next()
            .ok_or(PatternFault::Python("unterminated character set"))?;
        if let Some(class) = self.flags.class(one) {
            return Ok(ClassItem::Class(match one.is_ascii_uppercase() {
                true => format!("[^{class}]"),
                false => class.to_owned(),
            }));
        }
        match one {
            'b' => Ok(ClassItem::One('\u{8}')),
            '1'..='7' => {
                let mut digits = one.to_string();
                while digits.len() < 3 && self.peek().is_some_and(|one| ('0'..='7').contains(&one)) {
                    digits.extend(self.next());
                }
                octal(&digits).map(ClassItem::One)
            }
            one => self.escaped(one).map(ClassItem::One),
        }
    }
}

/// An item of a class.
enum ClassItem {
    One(char),
    /// As it is written between brackets.
    Class(String),
}

fn octal(digits: &str) -> Parsed<char> {
    match u8::from_str_radix(digits, 8) {
        Ok(code) => Ok(char::from(code)),
        Err(_) => Err(PatternFault::Python(
            "octal escape value outside of range 0-0o377",
        )),
    }
}
