//! Macros and loops of do-files, as far as their text says what they hold.

use std::collections::BTreeMap;

use crate::domain::lazy_regex::LazyRegex;

static SET: LazyRegex = LazyRegex::new(r"^(local|loc|global|gl|glo|glob|globa)\s+(\w+)\s*(.*)$");
static LOOP: LazyRegex =
    LazyRegex::new(r"^(?:[a-z]+:?\s+)*foreach\s+(\w+)\s+(in|of\s+loc\w*|of\s+glo\w*|of\s+new\w*)\s+(.*)$");
static OTHER_LOOP: LazyRegex = LazyRegex::new(r"^(?:[a-z]+:?\s+)*(?:foreach|forv\w*)\s+(\w+)");
static BRANCH: LazyRegex = LazyRegex::new(r"^(?:[a-z]+:?\s+)*(?:if|else|while)\b");
static WORD_OF: LazyRegex = LazyRegex::new(r"^:\s*word\s+\S+\s+of\s+(.*)$");
static MACRO: LazyRegex = LazyRegex::new(r"^(?:`(\w+)'|\$(\w+)|\$\{(\w+)\})$");

/// Words that a list is read of at most.
const MOST_WORDS: usize = 1_000;

/// A block between braces.
#[derive(Debug)]
enum Block {
    /// `quietly {`
    Plain,
    /// `if x {`, whose commands may not run.
    Branch,
    /// A loop, with its variable and what that goes through where the text says so.
    Loop(Option<String>, Option<Vec<String>>),
}

/// The macros at a place of a do-file; those of which nothing is known hold `None`.
#[derive(Debug, Default)]
pub struct StataMacros {
    locals: BTreeMap<String, Option<Vec<String>>>,
    globals: BTreeMap<String, Option<Vec<String>>>,
    blocks: Vec<Block>,
}

impl StataMacros {
    /// Opens the block whose head a text is.
    pub fn open(&mut self, head: &str) {
        let block = if let Some(found) = LOOP.captures(head) {
            let list = match found[2].split_whitespace().last() {
                Some(kind) if kind.starts_with("loc") => self.of_macro(false, found[3].trim()),
                Some(kind) if kind.starts_with("glo") => self.of_macro(true, found[3].trim()),
                _ => self.words(&found[3]),
            };
            Block::Loop(Some(found[1].to_owned()), list)
        } else if let Some(found) = OTHER_LOOP.captures(head) {
            Block::Loop(Some(found[1].to_owned()), None)
        } else if BRANCH.is_match(head) {
            Block::Branch
        } else {
            Block::Plain
        };
        self.blocks.push(block);
    }

    /// Ends the innermost block.
    pub fn close(&mut self) {
        self.blocks.pop();
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
        let is_sure = self.blocks.iter().all(|block| matches!(block, Block::Plain));
        let words = match (WORD_OF.captures(given), given.strip_prefix('=')) {
            // `local p : word `i' of `packages'`: any of them.
            (Some(list), _) => self.words(&list[1]),
            (None, Some(text)) if text.trim().starts_with(['"', '`']) && is_sure => self.words(text),
            (None, Some(_)) => None,
            (None, None) if given.starts_with(':') || !is_sure => None,
            (None, None) => self.words(given),
        };
        let name = found[2].to_owned();
        match found[1].starts_with('l') {
            true => self.locals.insert(name, words),
            false => self.globals.insert(name, words),
        };
    }

    fn of_macro(&self, is_global: bool, name: &str) -> Option<Vec<String>> {
        let table = match is_global {
            true => &self.globals,
            false => &self.locals,
        };
        table.get(name)?.clone()
    }

    /// The words of a list, macros in it replaced; `None` where one is not known.
    fn words(&self, list: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        let list = list.trim().trim_start_matches("`\"").trim_end_matches("\"'");
        for word in list.split_whitespace() {
            words.extend(self.word(word.trim_matches('"'))?);
        }
        words.retain(|word| !word.is_empty());
        (words.len() <= MOST_WORDS).then_some(words)
    }

    /// What a word comes to: itself, or what a macro holds; `None` where that is not known.
    pub fn word(&self, word: &str) -> Option<Vec<String>> {
        if !word.contains(['`', '$']) {
            return Some(vec![word.to_owned()]);
        }
        let found = MACRO.captures(word)?;
        if let Some(local) = found.get(1) {
            let name = local.as_str();
            let looped = self.blocks.iter().rev().find_map(|block| match block {
                Block::Loop(Some(variable), list) if variable == name => Some(list.clone()),
                _ => None,
            });
            return looped.unwrap_or_else(|| self.of_macro(false, name));
        }
        let global = found.get(2).or_else(|| found.get(3))?;
        self.of_macro(true, global.as_str())
    }
}
