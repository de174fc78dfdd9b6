//! Code of R that installs packages.

use super::published::NotFollowedReason;
use super::r_arguments::{RArgument, RValue, arguments, split};
use super::reading::Reading;
use crate::domain::lazy_regex::LazyRegex;

/// Conditions and blocks inside one another at most.
const DEEPEST: usize = 8;

static CALL: LazyRegex = LazyRegex::new(r"(?s)^(?:[A-Za-z][\w.]*:::?)?([A-Za-z][\w.]*)\s*\((.*)\)$");
static NAME: LazyRegex = LazyRegex::new(r"^[A-Za-z][A-Za-z0-9.]*$");
static DATE: LazyRegex = LazyRegex::new(r"[0-9]{4}-[0-9]{2}-[0-9]{2}");
static COMMENT: LazyRegex = LazyRegex::new(r"(?m)^\s*#.*$");

/// Takes the packages that a code installs.
pub fn read(line: usize, code: &str, reading: &mut Reading) {
    let code = COMMENT.replace_all(code, "");
    statements(line, &code, reading, DEEPEST);
}

fn statements(line: usize, code: &str, reading: &mut Reading, deepest: usize) {
    for statement in split(code, &[';', '\n']) {
        let block = statement
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let inner = block.or_else(|| behind_condition(statement));
        match inner {
            Some(inner) if deepest > 0 => statements(line, inner, reading, deepest - 1),
            _ => call(line, statement, reading),
        }
    }
}

/// The statement behind `if (...)`: what is installed only where it is missing is wanted.
fn behind_condition(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("if")?.trim_start();
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return rest.get(at + 1..).map(str::trim).filter(|_| letter == ')');
        }
    }
    None
}

fn call(line: usize, statement: &str, reading: &mut Reading) {
    let Some(found) = CALL.captures(statement) else {
        return reading.refuse(line, statement, NotFollowedReason::RCode);
    };
    let inside = found.get(2).map_or("", |inside| inside.as_str());
    match &found[1] {
        "install.packages" | "pkg_install" | "pak" => packages(line, statement, &arguments(inside), reading),
        "install_version" | "install.versions" => versions(line, statement, &arguments(inside), reading),
        "options" => repositories(line, &arguments(inside), reading),
        "install" | "biocLite" | "install_bioc" | "install_github" | "install_gitlab"
        | "install_bitbucket" | "install_git" | "install_url" | "install_local" | "source" => {
            reading.refuse(line, statement, NotFollowedReason::OtherRepository);
        }
        "library" | "require" | "requireNamespace" | "loadNamespace" | "q" | "quit" | "print" | "cat"
        | "message" | "Sys.setenv" | "Sys.setlocale" | "sessionInfo" | "stopifnot" | "stop" | "set.seed" => {}
        "suppressMessages" | "suppressWarnings" | "suppressPackageStartupMessages" | "invisible"
            if CALL.is_match(inside.trim()) =>
        {
            // One inside another of these is none that somebody writes.
            if !inside.trim_start().starts_with("suppress") && !inside.trim_start().starts_with("invisible") {
                call(line, inside.trim(), reading);
            }
        }
        _ => reading.refuse(line, statement, NotFollowedReason::RCode),
    }
}

/// The argument of a name, or the one at a place among those without.
fn argument<'a, 'b>(all: &'b [RArgument<'a>], name: &str, place: usize) -> Option<&'b RValue<'a>> {
    let named = all.iter().find(|argument| argument.name == Some(name));
    let placed = || all.iter().filter(|argument| argument.name.is_none()).nth(place);
    named.or_else(placed).map(|argument| &argument.value)
}

fn packages(line: usize, statement: &str, all: &[RArgument<'_>], reading: &mut Reading) {
    repositories(line, all, reading);
    let Some(RValue::Texts(names)) = argument(all, "pkgs", 0).or_else(|| argument(all, "pkg", 0)) else {
        return reading.refuse(line, statement, NotFollowedReason::Dynamic);
    };
    for name in names {
        let (name, version) = match name.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (*name, None),
        };
        package(line, name, version, reading);
    }
}

fn versions(line: usize, statement: &str, all: &[RArgument<'_>], reading: &mut Reading) {
    repositories(line, all, reading);
    let names = argument(all, "package", 0).or_else(|| argument(all, "pkgs", 0));
    let wanted = argument(all, "version", 1).or_else(|| argument(all, "versions", 1));
    let Some(RValue::Texts(names)) = names else {
        return reading.refuse(line, statement, NotFollowedReason::Dynamic);
    };
    let wanted = match wanted {
        Some(RValue::Texts(wanted)) => wanted.as_slice(),
        _ => &[],
    };
    for (index, name) in names.iter().enumerate() {
        package(line, name, wanted.get(index).copied(), reading);
    }
}

fn package(line: usize, name: &str, version: Option<&str>, reading: &mut Reading) {
    if NAME.is_match(name) {
        reading.r(line, name, version);
    } else if name.contains(['/', ':']) {
        reading.refuse(line, name, NotFollowedReason::OtherRepository);
    } else {
        reading.refuse(line, name, NotFollowedReason::NoPackage);
    }
}

/// A CRAN of a day is named, since packages of another day come in its place.
fn repositories(line: usize, all: &[RArgument<'_>], reading: &mut Reading) {
    let named = all.iter().find(|argument| argument.name == Some("repos"));
    if let Some(RValue::Texts(addresses)) = named.map(|argument| &argument.value) {
        for address in addresses.iter().filter(|address| DATE.is_match(address)) {
            reading.refuse(line, address, NotFollowedReason::OtherIndex);
        }
    }
}
