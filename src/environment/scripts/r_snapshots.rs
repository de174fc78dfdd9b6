//! Days of which a script of R asks its packages.

use jiff::civil::Date;

use super::super::evidence::{Evidence, EvidenceKind};
use super::super::language::Language;
use super::super::need::MentionForm;
use super::r::CallReader;
use super::r_calls::CallArgument;
use super::r_tokens::RTokenKind;
use super::r_values;
use crate::domain::lazy_regex::LazyRegex;

static VERSION: LazyRegex = LazyRegex::new(r"^[0-9]\.[0-9]{1,2}(?:\.[0-9]{1,2})?$");
static DAY: LazyRegex = LazyRegex::new(r"\b(20[0-9]{2}-[0-9]{2}-[0-9]{2})\b");
/// An address of a dated repository, wherever it stands.
static SNAPSHOT: LazyRegex = LazyRegex::new(
    r"(?i)://\S*(?:cran|snapshots?|mran|packagemanager|rspm)\S*/20[0-9]{2}-[0-9]{2}-[0-9]{2}(?:$|[/+])",
);

impl<'a> CallReader<'_, 'a> {
    /// A text that is the address of a dated repository: `r["CRAN"] <- "https://mran.example.org/snapshot/2018-08-01"`.
    pub fn address(&mut self, text: &str, at: usize) {
        if SNAPSHOT.is_match(text) {
            self.dates(&[text], at);
        }
    }

    /// `checkpoint("2019-01-01", R.version = "3.5.2")`
    pub fn checkpoint(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let is_version = |argument: &&CallArgument<'a>| argument.name == Some("R.version");
        let version = arguments.iter().find(is_version);
        let version = version.and_then(|argument| argument.texts().into_iter().next());
        if let Some(version) = version.filter(|version| VERSION.is_match(version)) {
            let says = format!("The script asks for R {version}.");
            let evidence = Evidence::new(EvidenceKind::ScriptSnapshot, self.file, says);
            let evidence = evidence.at(self.line(at)).naming(Language::R, version);
            self.findings.evidence.push(evidence);
        }
        self.days_of(arguments, at);
    }

    pub fn groundhog(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let Some(first) = arguments.first() else { return };
        let value = r_values::of_argument(self.syntax, first);
        match first.single() {
            Some(RTokenKind::Name(name))
                if !self.is_bound(name, at) && self.syntax.given(name).is_empty() =>
            {
                self.mention(name, MentionForm::Loads, at);
            }
            Some(_) => self.take(&value, MentionForm::Loads, at),
            // `groundhog.library(c(dplyr, "lme4"), day)`
            None if first
                .texts()
                .iter()
                .all(|text| value.names.iter().any(|name| name == text)) =>
            {
                let names: Vec<&str> = first.texts();
                for name in names.into_iter().chain(first.bare_names()) {
                    self.mention(name, MentionForm::Loads, at);
                }
            }
            None => self.take(&value, MentionForm::Loads, at),
        }
        self.days_of(&arguments[1..], at);
    }

    /// Days in addresses of repositories that a call is given.
    pub fn repositories(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let is_address =
            |argument: &&CallArgument<'a>| argument.texts().iter().any(|text| text.contains("://"));
        let addresses: Vec<&CallArgument<'a>> = arguments.iter().filter(is_address).collect();
        for argument in addresses {
            self.days_in(argument, at);
        }
    }

    fn days_of(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        for argument in arguments {
            self.days_in(argument, at);
        }
    }

    /// A day may stand in a variable as well.
    fn days_in(&mut self, argument: &CallArgument<'a>, at: usize) {
        self.dates(&argument.texts(), at);
        for (place, token) in argument.range().zip(argument.tokens) {
            if matches!(token.kind, RTokenKind::Name(_)) {
                let given = r_values::of(self.syntax, place..place + 1).names;
                let given: Vec<&str> = given.iter().map(String::as_str).collect();
                self.dates(&given, at);
            }
        }
    }

    fn dates(&mut self, given: &[&str], at: usize) {
        for text in given {
            let day = DAY.captures(text).and_then(|found| found[1].parse::<Date>().ok());
            let Some(day) = day else { continue };
            let says = format!("The script asks for packages of {day}.");
            let evidence = Evidence::new(EvidenceKind::ScriptSnapshot, self.file, says);
            let evidence = evidence.at(self.line(at)).dated(Some(day));
            let known = &mut self.findings.evidence;
            let is_told =
                |one: &Evidence| one.date == Some(day) && one.file == self.file && one.kind == evidence.kind;
            if !known.iter().any(is_told) {
                known.push(evidence);
            }
        }
    }
}
