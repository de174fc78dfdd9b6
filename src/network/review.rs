//! The search stage's answer, held against what the run has seen.
//!
//! Pure: what the checks say and where addresses were seen go in; what to say to
//! the model, and the answer as it is kept, come out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::addresses;
use super::check::Check;
use super::one_line::one_line;

/// The origin of an address: the place where it was seen, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressOrigin {
    /// Nowhere: the model wrote it by itself.
    Unseen,
    /// In a file of the study.
    Study,
    /// On a page that was opened.
    Linked,
    Result,
    Paper,
    /// It was opened.
    Fetched,
}

impl AddressOrigin {
    /// The word that artifacts and reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::Study => "study",
            Self::Linked => "linked",
            Self::Result => "result",
            Self::Paper => "paper",
            Self::Fetched => "fetched",
        }
    }
}

/// Addresses that a run has seen, by their keys.
#[derive(Debug, Clone, Default)]
pub struct SeenAddresses(BTreeMap<String, AddressOrigin>);

impl SeenAddresses {
    /// Notes every address of a text.
    pub fn text(&mut self, text: &str, origin: AddressOrigin) {
        for address in addresses::in_text(text) {
            self.address(&address, origin);
        }
    }

    /// Notes one address.
    pub fn address(&mut self, address: &str, origin: AddressOrigin) {
        if let Some(key) = addresses::key(address) {
            let known = self.0.entry(key).or_insert(origin);
            *known = origin.max(*known);
        }
    }

    /// Notes what a search answered. Its query is the model's own, so of an
    /// answer in our form only the results count.
    pub fn search(&mut self, text: &str) {
        let answer: Option<Value> = serde_json::from_str(text).ok();
        match answer.as_ref().and_then(|answer| answer["results"].as_array()) {
            Some(results) => {
                for one in results.iter().filter_map(|one| one["url"].as_str()) {
                    self.address(one, AddressOrigin::Result);
                }
            }
            None => self.text(text, AddressOrigin::Result),
        }
    }

    /// Notes a page: the addresses in its head, if it was there, and those it leads to.
    pub fn page(&mut self, text: &str) {
        if let Ok(answer) = serde_json::from_str::<Value>(text) {
            let there = answer["status"].as_u64().is_none_or(|status| status < 400);
            if let Some(url) = answer["url"].as_str().filter(|_| there) {
                self.address(url, AddressOrigin::Fetched);
                self.text(answer["text"].as_str().unwrap_or_default(), AddressOrigin::Linked);
            }
            return;
        }
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        if value("status: ").is_some_and(|status| status.starts_with('2')) {
            for address in ["url: ", "requested: "].into_iter().filter_map(value) {
                self.address(address, AddressOrigin::Fetched);
            }
            self.text(body, AddressOrigin::Linked);
        }
        if let Some(moved) = value("moved: ") {
            self.address(moved, AddressOrigin::Linked);
        }
    }

    /// Where an address was seen.
    pub fn origin(&self, address: &str) -> AddressOrigin {
        let key = addresses::key(address);
        key.and_then(|key| self.0.get(&key).copied())
            .unwrap_or(AddressOrigin::Unseen)
    }
}

/// The outcome of a review.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// What the model has to mend, one sentence each.
    pub objections: Vec<String>,
    /// The answer as it is kept if nothing is mended.
    pub answer: Value,
}

/// The addresses that an answer proposes, in order.
pub fn proposed(answer: &Value) -> Vec<String> {
    let urls = answer["urls"].as_array().into_iter().flatten();
    urls.filter_map(|one| one["url"].as_str())
        .map(str::to_owned)
        .collect()
}

/// Reviews an answer; `queries` are those that the run has tried.
pub fn assess(answer: &Value, checks: &[Check], seen: &SeenAddresses, queries: &[String]) -> Review {
    let mut objections = Vec::new();
    let (mut kept, mut lost) = (Vec::new(), Vec::new());
    for (at, one) in answer["urls"].as_array().into_iter().flatten().enumerate() {
        let url = one["url"].as_str().unwrap_or_default();
        let check = checks.get(at).filter(|check| check.url == url);
        let check = check
            .cloned()
            .unwrap_or_else(|| Check::unasked(url, "not checked"));
        let origin = seen.origin(url);
        let short = one_line(url, 300);
        if check.withheld {
            objections.push(format!(
                "`{short}` is withheld in this study and cannot be listed."
            ));
            lost.push(missing(one, "its address is withheld in this study", queries));
            continue;
        }
        if check.is_dead() {
            objections.push(format!("`{short}`: {}.", check.words()));
        }
        if origin == AddressOrigin::Unseen {
            objections.push(format!(
                "`{short}` stands in no search result, on no page that you opened, and not in the paper."
            ));
            if check.is_dead() || !check.answers() {
                let why = format!(
                    "the address {short} was proposed, was seen nowhere, and is not confirmed ({})",
                    check.words()
                );
                lost.push(missing(one, &why, queries));
                continue;
            }
        }
        kept.push(noted(one, &check, origin));
    }
    for one in answer["missing"].as_array().into_iter().flatten() {
        if one["search_query"]
            .as_str()
            .is_none_or(|query| query.trim().is_empty())
        {
            let what = one_line(one["resource_name"].as_str().unwrap_or_default(), 200);
            objections.push(format!("`missing`: \"{what}\" names no query that was tried."));
        }
    }
    Review {
        objections,
        answer: rewritten(answer, kept, lost, queries),
    }
}

/// An entry with what is known of its address.
fn noted(one: &Value, check: &Check, origin: AddressOrigin) -> Value {
    let mut one = one.clone();
    let mut extra = one["extra"].as_object().cloned().unwrap_or_default();
    extra.insert("seen".to_owned(), json!(origin.word()));
    if let Some(status) = check.status {
        extra.insert("status".to_owned(), json!(status));
    }
    for (name, value) in [
        ("date", &check.date),
        ("final", &check.arrived),
        ("problem", &check.problem),
    ] {
        if let Some(value) = value {
            extra.insert(name.to_owned(), json!(value));
        }
    }
    if let Some(canonical) = check
        .canonical
        .as_deref()
        .filter(|canonical| *canonical != check.url)
    {
        extra.insert("as_proposed".to_owned(), json!(check.url));
        one["url"] = json!(canonical);
    }
    one["extra"] = Value::Object(extra);
    one
}

/// An entry that could not be confirmed, as one that was not found.
fn missing(one: &Value, why: &str, queries: &[String]) -> Value {
    let what = ["resource_name", "why_needed", "url"]
        .into_iter()
        .filter_map(|name| one[name].as_str())
        .find(|text| !text.trim().is_empty() && *text != "not stated")
        .unwrap_or("not stated");
    json!({
        "resource_name": what,
        "search_query": tried(queries),
        "why": why,
        "extra": { "moved_by": "reprise" }
    })
}

fn tried(queries: &[String]) -> String {
    if queries.is_empty() {
        "no query was tried".to_owned()
    } else {
        queries.join("; ")
    }
}

fn rewritten(answer: &Value, kept: Vec<Value>, lost: Vec<Value>, queries: &[String]) -> Value {
    let mut fields = answer.as_object().cloned().unwrap_or_else(Map::new);
    let mut entries = fields
        .get("missing")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for one in &mut entries {
        if one["search_query"]
            .as_str()
            .is_none_or(|query| query.trim().is_empty())
        {
            one["search_query"] = json!(tried(queries));
        }
    }
    entries.extend(lost);
    fields.insert("urls".to_owned(), json!(kept));
    if !entries.is_empty() || fields.contains_key("missing") {
        fields.insert("missing".to_owned(), json!(entries));
    }
    Value::Object(fields)
}

/// What the model is told.
pub fn words(objections: &[String]) -> String {
    let list: String = objections.iter().map(|one| format!("- {one}\n")).collect();
    format!(
        "The answer was held against the web and against what this run has seen:\n{list}\
         Open what you list, take out what is not there, and put it under `missing` with the queries that you \
         tried. Then give the whole answer again."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, status: Option<u16>) -> Check {
        Check {
            status,
            ..Check::unasked(url, "not checked")
        }
    }

    #[test]
    fn an_address_is_seen_where_somebody_else_wrote_it() {
        let mut seen = SeenAddresses::default();
        seen.search(r#"{"query":"https://invented.org/x","results":[{"url":"https://osf.io/abcde/"}]}"#);
        seen.page("url: https://b.org/1\nrequested: https://b.org/0\nstatus: 200\n\nurl: https://b.org/2\n");
        seen.page("requested: https://gone.org/x\nstatus: 404\n\nhttps://gone.org/y");
        seen.text("see https://paper.org/data.", AddressOrigin::Paper);
        for (url, origin) in [
            ("https://invented.org/x", AddressOrigin::Unseen),
            ("https://doi.org/10.17605/OSF.IO/ABCDE", AddressOrigin::Result),
            ("http://www.b.org/1/", AddressOrigin::Fetched),
            ("https://b.org/0", AddressOrigin::Fetched),
            ("https://b.org/2", AddressOrigin::Linked),
            ("https://gone.org/x", AddressOrigin::Unseen),
            ("https://gone.org/y", AddressOrigin::Unseen),
            ("https://paper.org/data", AddressOrigin::Paper),
            ("https://paper.org/other", AddressOrigin::Unseen),
        ] {
            assert_eq!(seen.origin(url), origin, "{url}");
        }
    }

    #[test]
    fn what_is_not_confirmed_ends_in_missing_with_its_query() {
        let mut seen = SeenAddresses::default();
        seen.address("https://a.org/data", AddressOrigin::Fetched);
        seen.address("https://a.org/old", AddressOrigin::Result);
        let answer = json!({
            "urls": [
                { "url": "https://a.org/data?utm_source=x#top", "resource_name": "Data" },
                { "url": "https://a.org/old", "resource_name": "Old" },
                { "url": "https://made.up/404", "resource_name": "Codebook" },
                { "url": "https://made.up/200", "resource_name": "Questionnaire" },
                { "url": "https://spoilers.org/", "resource_name": "Report" },
            ],
            "missing": [{ "resource_name": "Wave 2", "search_query": " " }],
        });
        let mut checks: Vec<Check> = proposed(&answer)
            .iter()
            .zip([Some(200), Some(404), Some(404), Some(200), None])
            .map(|(url, status)| check(url, status))
            .collect();
        checks[4].withheld = true;
        let review = assess(&answer, &checks, &seen, &["wave 2 data".to_owned()]);
        assert_eq!(review.objections.len(), 6, "{:#?}", review.objections);
        let urls = review.answer["urls"].as_array().unwrap();
        assert_eq!(urls.len(), 3);
        assert_eq!(urls[0]["url"], "https://a.org/data");
        assert_eq!(
            urls[0]["extra"]["as_proposed"],
            "https://a.org/data?utm_source=x#top"
        );
        assert_eq!(urls[0]["extra"]["seen"], "fetched");
        assert_eq!(
            (&urls[1]["extra"]["status"], &urls[1]["extra"]["seen"]),
            (&json!(404), &json!("result"))
        );
        assert_eq!(urls[2]["extra"]["seen"], "unseen");
        let missing = review.answer["missing"].as_array().unwrap();
        assert_eq!(missing.len(), 3);
        assert!(missing.iter().all(|one| one["search_query"] == "wave 2 data"));
        assert_eq!(missing[1]["resource_name"], "Codebook");
        assert!(!review.answer["urls"].to_string().contains("made.up/404"));
    }

    #[test]
    fn a_sound_answer_meets_no_objection() {
        let mut seen = SeenAddresses::default();
        seen.address("https://a.org/data", AddressOrigin::Fetched);
        let answer = json!({ "urls": [{ "url": "https://a.org/data" }], "missing": [] });
        let review = assess(&answer, &[check("https://a.org/data", Some(403))], &seen, &[]);
        assert!(review.objections.is_empty(), "{:?}", review.objections);
        assert_eq!(review.answer["urls"][0]["extra"]["status"], 403);
    }
}
