//! Imports of names that have moved.

use std::fmt::Write as _;

use crate::domain::lazy_regex::LazyRegex;
use crate::environment::rescue::entry::Entry;
use crate::environment::rescue::masked::Masked;
use crate::environment::rescue::script::ScriptLanguage;

static FROM: LazyRegex = LazyRegex::new(
    r"(?m)^([ \t]*)from[ \t]+([\w.]+)[ \t]+import[ \t]+(\w+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*\w+(?:[ \t]+as[ \t]+\w+)?)*)[ \t]*$",
);
static COLLECTIONS: LazyRegex = LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+collections[ \t]*$");

/// Abstract classes from `collections.abc`, whatever else is imported from `collections` beside them.
pub fn collections_abc(text: &str, entry: &Entry) -> String {
    let text = parted(text, "collections", |name| {
        entry.renamed(name).map(|_| "collections.abc".to_owned())
    });
    let masked = Masked::new(&text, ScriptLanguage::Python);
    if !masked.code.contains("collections.abc.") {
        return text;
    }
    COLLECTIONS
        .replace_all(&text, "${1}import collections, collections.abc")
        .into_owned()
}

/// Names of `scipy.misc` from the module that holds them, where they are the same there.
pub fn scipy_misc(text: &str, entry: &Entry) -> String {
    parted(text, "scipy.misc", |name| {
        let new = &entry.renamed(name)?.new;
        let module = new.strip_suffix(name)?.strip_suffix('.')?;
        (!new.contains(' ')).then(|| module.to_owned())
    })
}

/// Parts an import: names that have moved are imported from where they are.
fn parted(text: &str, module: &str, moved: impl Fn(&str) -> Option<String>) -> String {
    let masked = Masked::new(text, ScriptLanguage::Python);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for found in FROM.captures_iter(&masked.code) {
        let (Some(whole), true) = (found.get(0), &found[2] == module) else {
            continue;
        };
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for part in found[3].split(',').map(str::trim) {
            let name = part.split_whitespace().next().unwrap_or_default();
            let from = moved(name).unwrap_or_else(|| module.to_owned());
            let Some(part) = text[whole.range()]
                .find(part)
                .map(|at| &text[whole.start() + at..][..part.len()])
            else {
                continue;
            };
            match lines.iter_mut().find(|(other, _)| *other == from) {
                Some((_, parts)) => parts.push(part),
                None => lines.push((from, vec![part])),
            }
        }
        out.push_str(&text[done..whole.start()]);
        for (at, (from, parts)) in lines.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            let _ = write!(out, "{end}{}from {from} import {}", &found[1], parts.join(", "));
        }
        done = whole.end();
    }
    out.push_str(&text[done..]);
    out
}

/// The script with a line of import behind the first ones: its comments, its title and `__future__`.
pub fn with_import(text: &str, import: &str) -> String {
    let masked = Masked::new(text, ScriptLanguage::Python);
    let mut place = 0;
    let mut start = 0;
    for line in masked.code.split_inclusive('\n') {
        let end = start + line.len();
        let said = line.trim();
        let in_string = masked.is_string(start);
        let is_title = said.starts_with(['"', '\'']) || in_string;
        if said.is_empty() || is_title || said.starts_with("from __future__") {
            place = end;
        } else {
            break;
        }
        start = end;
    }
    let gap = if place > 0 && !text[..place].ends_with('\n') {
        "\n"
    } else {
        ""
    };
    format!("{}{gap}{import}\n{}", &text[..place], &text[place..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::rescue::table::Table;

    fn entry(id: &str) -> &'static Entry {
        let table = Table::embedded().unwrap();
        table.entries.iter().find(|entry| entry.id == id).unwrap()
    }

    #[test]
    fn an_import_is_parted_where_names_have_moved() {
        let entry = entry("python-collections-abc");
        assert_eq!(
            collections_abc(
                "from collections import OrderedDict, Mapping as M, Counter\n",
                entry
            ),
            "from collections import OrderedDict, Counter\nfrom collections.abc import Mapping as M\n"
        );
        assert_eq!(
            collections_abc("import collections\nx = collections.abc.Mapping\n", entry),
            "import collections, collections.abc\nx = collections.abc.Mapping\n"
        );
        let same = "from collections import Counter\n";
        assert_eq!(collections_abc(same, entry), same);
    }

    #[test]
    fn names_that_are_not_the_same_elsewhere_stay() {
        let entry = entry("scipy-moved");
        assert_eq!(
            scipy_misc("from scipy.misc import comb, imresize\n", entry),
            "from scipy.special import comb\nfrom scipy.misc import imresize\n"
        );
    }

    #[test]
    fn an_import_stands_behind_title_and_future() {
        let text = "#!/usr/bin/env python\n\"\"\"Title\nof two lines.\"\"\"\nfrom __future__ import division\nx = np.mean\n";
        assert_eq!(
            with_import(text, "import numpy as np"),
            text.replace("x = np", "import numpy as np\nx = np")
        );
        assert_eq!(with_import("x = 1\n", "import os"), "import os\nx = 1\n");
    }
}
