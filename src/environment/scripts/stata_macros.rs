//! Macros of do-files that are set once, and loops over words.

use std::collections::BTreeMap;

use crate::domain::lazy_regex::LazyRegex;

static SET: LazyRegex = LazyRegex::new(r"^(local|loc|global|gl|glo|glob|globa)\s+(\w+)\s*(.*)$");
static LOOP: LazyRegex = LazyRegex::new(
    r"^(?:[a-z]+:?\s+)*(?:foreach|forv\w*)\s+(\w+)(?:\s+(in|of\s+loc\w*|of\s+glo\w*)\s+(.*))?",
);
static MACRO: LazyRegex = LazyRegex::new(r"^(?:`(\w+)'|\$(\w+)|\$\{(\w+)\})$");

/// Words of a macro at most.
const MOST_WORDS: usize = 1_000;

/// Words of a macro; `None` of one that is computed, or set more than once.
type MacroWords = Option<Vec<String>>;

/// The macros of a do-file so far.
#[derive(Debug, Default)]
pub struct StataMacros {
    locals: BTreeMap<String, MacroWords>,
    globals: BTreeMap<String, MacroWords>,
    /// The open blocks, with the variables of loops.
    blocks: Vec<Option<String>>,
}

impl StataMacros {
    /// Opens the block whose head a text is.
    pub fn open(&mut self, head: &str) {
        let Some(found) = LOOP.captures(head) else {
            return self.blocks.push(None);
        };
        let list = found.get(3).map_or("", |list| list.as_str());
        let words = match found
            .get(2)
            .and_then(|kind| kind.as_str().split_whitespace().last())
        {
            Some("in") => self.words(list),
            Some(kind) if kind.starts_with("loc") => self.words(&format!("`{}'", list.trim())),
            Some(_) => self.words(&format!("${}", list.trim())),
            None => None,
        };
        self.locals.insert(found[1].to_owned(), words);
        self.blocks.push(Some(found[1].to_owned()));
    }

    /// Ends the innermost block.
    pub fn close(&mut self) {
        if let Some(variable) = self.blocks.pop().flatten() {
            self.locals.remove(&variable);
        }
    }

    /// Whether any block is open.
    pub fn is_inside(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Takes a command in that may set a macro.
    pub fn set(&mut self, command: &str) {
        let Some(found) = SET.captures(command) else {
            return;
        };
        let given = found[3].trim();
        let words = match given.strip_prefix('=').map(str::trim) {
            Some(text) if text.starts_with('"') && text.matches('"').count() == 2 && text.ends_with('"') => {
                self.words(text)
            }
            Some(_) => None,
            None if given.starts_with(':') => None,
            None => self.words(given),
        };
        let table = match found[1].starts_with('l') {
            true => &mut self.locals,
            false => &mut self.globals,
        };
        let known = table.entry(found[2].to_owned());
        known.and_modify(|known| *known = None).or_insert(words);
    }

    /// The words of a list, macros in it replaced; `None` where one is not known.
    fn words(&self, list: &str) -> MacroWords {
        let list = list.trim().trim_start_matches("`\"").trim_end_matches("\"'");
        let mut words = Vec::new();
        for word in list.split_whitespace() {
            words.extend(self.word(word.trim_matches('"'))?);
        }
        words.retain(|word| !word.is_empty());
        (words.len() <= MOST_WORDS).then_some(words)
    }

    /// What a word comes to: itself, or what a macro holds; `None` where that is not known.
    pub fn word(&self, word: &str) -> MacroWords {
        if !word.contains(['`', '$']) {
            return Some(vec![word.to_owned()]);
        }
        let found = MACRO.captures(word)?;
        match found.get(1) {
            Some(local) => self.locals.get(local.as_str())?.clone(),
            None => self.globals.get(found.get(2).or(found.get(3))?.as_str())?.clone(),
        }
    }
}
