//! A report is drawn from any journal, and no text in it can act.

mod cards;
mod given;
mod journal;
mod scores;
mod story;
mod tags;

use proptest::prelude::*;

use reprise::artifacts::store::StoreError;
use reprise::domain::content::Content;
use reprise::domain::mode::CodeMode;
use reprise::domain::study_kind::{CodeOrigin, DataOrigin, Origins, StudyKind};
use reprise::report::evidence::Evidence;
use reprise::report::view::View;
use reprise::report::{html, json, markdown};
use reprise::run::event::{Event, RunStarted};

use journal::Writer;

/// Markup, an attribute break, a closing fold, terminal escapes, a turned
/// reading direction, a closing fence and a table cell's end.
const HOSTILE: &str = "<script>alert(1)</script>\" onload='x' </details></pre></svg><img src=x>\u{1b}[2J\u{9b}31m\u{202e}drow\n```\n| {{ 7*7 }} {% raw %} <!-- -->";

fn view(writer: &Writer, events: usize, evidence: &Evidence) -> View {
    let load = |content: &Content| {
        writer
            .blobs
            .get(&content.digest())
            .cloned()
            .ok_or_else(|| StoreError::Missing {
                digest: content.digest(),
            })
    };
    View::build(&writer.records[..events], &load, evidence)
}

fn whole_view() -> View {
    let writer = story::whole("");
    view(&writer, writer.records.len(), &given::evidence(""))
}

#[test]
fn markdown_of_a_whole_run() {
    insta::assert_snapshot!(markdown::render(&whole_view()).unwrap());
}

#[test]
fn json_of_a_whole_run() {
    let text = json::render(&whole_view()).unwrap();
    assert!(text.starts_with("{\n  \"format\": \"reprise-report/1\",\n  \"run\": {"));
    insta::assert_snapshot!(text);
}

#[test]
fn only_the_authors_code_as_they_wrote_it_makes_a_push_button_reproduction() {
    let with = |change: &dyn Fn(&mut RunStarted), events: usize| {
        let mut writer = story::whole("");
        if let Event::RunStarted(started) = &mut writer.records[0].event {
            change(started);
        }
        let events = if events == 0 { writer.records.len() } else { events };
        view(&writer, events, &Evidence::default()).study_kind.kind
    };
    let authors = |started: &mut RunStarted| started.origins.data = Some(DataOrigin::Authors);
    assert_eq!(with(&authors, 1), Some(StudyKind::PushButton));
    // The story changes `work/replication.R`.
    assert_eq!(with(&authors, 0), Some(StudyKind::AuthorData));
    let translated = |started: &mut RunStarted| {
        authors(started);
        started.settings.code_mode = CodeMode::Python;
    };
    assert_eq!(with(&translated, 1), Some(StudyKind::AuthorData));
    let replicators = |started: &mut RunStarted| {
        authors(started);
        started.origins.code = Some(CodeOrigin::Replicators);
    };
    assert_eq!(with(&replicators, 1), Some(StudyKind::AuthorData));
    let untold = |started: &mut RunStarted| started.origins = Origins::default();
    // As its agent is told.
    assert_eq!(with(&untold, 1), Some(StudyKind::OtherData));
}

#[test]
fn the_kind_of_study_is_the_first_line() {
    let view = whole_view();
    let text = markdown::render(&view).unwrap();
    assert!(text.starts_with("Data-analytic replication (DAR): "), "{text}");
    let page = html::page::render(&view).unwrap();
    let body = &page[page.find("<body>").unwrap()..];
    assert!(body.find("Data-analytic replication (DAR)").unwrap() < body.find("<h1>").unwrap());
}

#[test]
fn json_reads_back_as_the_same_view() {
    let view = whole_view();
    let text = json::render(&view).unwrap();
    assert_eq!(serde_json::from_str::<View>(&text).unwrap(), view);
}

#[test]
fn html_of_a_whole_run_is_well_formed_and_needs_nothing_else() {
    let page = html::page::render(&whole_view()).unwrap();
    if let Some(path) = std::env::var_os("REPRISE_REPORT_PAGE") {
        std::fs::write(path, &page).unwrap();
    }
    let tags = tags::balanced(&page).unwrap();
    for tag in &tags {
        assert_ne!(tag.name, "script");
        for (name, value) in &tag.attributes {
            assert!(
                !matches!(name.as_str(), "src" | "srcset" | "onload" | "onclick" | "style"),
                "{name}"
            );
            assert!(name != "href" || value.starts_with('#'), "{value}");
        }
    }
    assert!(!page.contains("@import") && !page.contains("url("));
}

/// No browser runs here, so the markup is held to what the style needs.
#[test]
fn tables_of_a_report_have_what_a_narrow_screen_needs() {
    let page = html::page::render(&whole_view()).unwrap();
    tags::rows_are_labelled(&page, &["stacked"]).unwrap();
    tags::links_lead_somewhere(&page).unwrap();
    let narrow = ["stacked", "criteria", "fields"];
    for tag in tags::balanced(&page).unwrap() {
        let class = tag.attributes.iter().find(|(name, _)| name == "class");
        let classes = class.map_or("", |(_, value)| value.as_str());
        assert!(
            tag.name != "table" || classes.split(' ').any(|one| narrow.contains(&one)),
            "a table of class `{classes}` would be as wide as its columns"
        );
    }
    for figure in ["<svg class=\"forest\"", "<svg class=\"gantt\""] {
        let before = page[..page.find(figure).unwrap()].trim_end();
        assert!(before.ends_with("<div class=\"scroll broad\">"), "{figure}");
    }
}

#[test]
fn a_print_of_a_report_holds_what_executions_printed_and_no_transcript() {
    let page = html::page::render(&whole_view()).unwrap();
    let print = page.split("@media print").nth(1).unwrap();
    assert!(print.contains("details:not([open], .paper) { display: none; }"));
    assert!(print.contains(".contents, details.stage { display: none; }"));
    let output = page.find("Standard output,").unwrap();
    assert!(page[..output].ends_with("<details class=\"paper\"><summary>"));
    assert!(page.contains("Left out of this print: what is folded on the screen"));
    let transcript = &page[page.find("<section id=\"transcript\">").unwrap()..];
    assert!(!transcript.contains("class=\"paper\""));
}

#[test]
fn what_deviates_stands_beside_the_verdict() {
    let page = html::page::render(&whole_view()).unwrap();
    let start = page.find("<dl class=\"glance\">").unwrap();
    let glance = &page[start..start + page[start..].find("</dl>").unwrap()];
    assert!(page.find("The claim</h2>").unwrap() < start);
    for said in [
        "changed after it was fixed: <code>work/replication.R</code>",
        "1 of 3 reported numbers is not in the output of an execution",
        "1 of 2 planned files were not opened, as far as is known; 1 file that the plan does not list was opened",
        "the record may have gaps",
        "2 answered with words",
    ] {
        assert!(glance.contains(said), "{said}: {glance}");
    }
    assert!(glance.matches("class=\"look\"").count() >= 4, "{glance}");
}

/// A page without its style, its transcript, and what is quoted or set as code.
fn own_words(page: &str) -> String {
    let body = &page[page.find("<body>").unwrap()..page.find("<section id=\"transcript\">").unwrap()];
    let quoted =
        regex::Regex::new(r"(?s)<(?:code|pre|q|blockquote)[ >].*?</(?:code|pre|q|blockquote)>").unwrap();
    quoted.replace_all(body, "").into_owned()
}

#[test]
fn a_figure_has_one_form_on_a_page() {
    let view = whole_view();
    let page = own_words(&html::page::render(&view).unwrap());
    let programs = regex::Regex::new(r"\b[0-9]+(?:\.[0-9]+[eE][-+]?|[eE]-)[0-9]").unwrap();
    assert_eq!(programs.find(&page).map(|found| found.as_str()), None, "{page}");
    let verdict = &page[page.find("<section id=\"verdict\">").unwrap()..];
    let (verdict, comparison) = verdict.split_once("<section id=\"comparison\">").unwrap();
    for part in [verdict, comparison] {
        assert!(
            part.contains("p = 2.4 × 10⁻⁸") && part.contains("0.00136"),
            "{part}"
        );
    }
    assert!(!verdict.contains("0.00136117"), "{verdict}");
    let text = outside_code(&markdown::render(&view).unwrap());
    assert_eq!(programs.find(&text).map(|found| found.as_str()), None, "{text}");
}

#[test]
fn only_gaps_are_listed_as_unknown() {
    let view = whole_view();
    let has = |notes: &[String], words: &str| notes.iter().any(|note| note.contains(words));
    for gap in [
        "may have gaps",
        "is not in the output of an execution",
        "could be read",
    ] {
        assert!(
            has(&view.unknown, gap) && !has(&view.notes, gap),
            "{gap}: {:?}",
            view.unknown
        );
    }
    for limit in [
        "was resumed",
        "under Landlock",
        "Left out of the workspace",
        "holds no copy",
    ] {
        assert!(
            has(&view.notes, limit) && !has(&view.unknown, limit),
            "{limit}: {:?}",
            view.notes
        );
    }
}

#[test]
fn scores_are_folded_and_deviations_graded() {
    let page = html::page::render(&whole_view()).unwrap();
    let scores = page.split_once("<section id=\"scores\">").unwrap().1;
    let (before, _) = scores.split_once("class=\"headline\"").unwrap();
    assert!(before.contains("<details><summary>"), "{before}");
    let verdict = page.split_once("<section id=\"verdict\">").unwrap().1;
    assert!(
        !verdict
            .split_once("</section>")
            .unwrap()
            .0
            .contains("class=\"headline\"")
    );
    assert!(page.contains("<h3>The analysis <span class=\"quiet\">2</span></h3>"));
    assert!(page.contains("2 deviations (2 of the analysis)"));
}

#[test]
fn criteria_that_do_not_apply_for_one_reason_share_a_row() {
    let writer = story::whole("");
    let mut evidence = given::evidence("");
    // Without degrees of freedom or n no common scale can be found.
    if let Some(original) = &mut evidence.original {
        (original.n, original.df) = (None, None);
    }
    let view = view(&writer, writer.records.len(), &evidence);
    let lines = &view.criteria.as_ref().unwrap().lines;
    let page = html::page::render(&view).unwrap();
    let start = page.find("<table class=\"criteria\">").unwrap();
    let table = &page[start..start + page[start..].find("</table>").unwrap()];
    let shared = lines
        .iter()
        .map(|line| line.sentence.as_str())
        .find(|sentence| sentence.contains("are not in the same units"))
        .unwrap();
    let sharing = lines.iter().filter(|line| line.sentence == shared).count();
    assert!(
        sharing > 2 && table.matches("are not in the same units").count() == 1,
        "{sharing}: {table}"
    );
    assert!(table.contains(&format!("<td>{sharing} criteria</td>")));
    for line in lines {
        assert!(
            table.contains(&line.name) && table.contains(&line.source),
            "{}",
            line.name
        );
    }
}

#[test]
fn no_text_of_others_can_act_in_a_page() {
    let quiet = story::whole("");
    let loud = story::whole(HOSTILE);
    let events = loud.records.len();
    let calm = html::page::render(&view(&quiet, events, &given::evidence(""))).unwrap();
    let page = html::page::render(&view(&loud, events, &given::evidence(HOSTILE))).unwrap();
    let shape = |page: &str| -> Vec<(String, Vec<String>)> {
        tags::balanced(page)
            .unwrap()
            .into_iter()
            .filter(|tag| !["span", "tspan"].contains(&tag.name.as_str()))
            .map(|tag| {
                let names = tag.attributes.into_iter().map(|(name, _)| name).collect();
                (tag.name, names)
            })
            .collect()
    };
    // A longer text may get a line that says it was cut (`p`), and a diff has a
    // `span` for each line, as a name in a figure has a `tspan`; nothing else may change the shape.
    let (calm, loud) = (shape(&calm), shape(&page));
    assert_eq!(tags::without_cuts(&calm), tags::without_cuts(&loud));
    for raw in ['\u{1b}', '\u{9b}', '\u{202e}'] {
        assert!(!page.contains(raw), "{raw:?}");
    }
    assert!(page.contains("⟨U+202E⟩drow") && page.contains("&lt;script&gt;alert(1)"));
    assert!(page.contains("{{ 7*7 }}"));
}

#[test]
fn no_text_of_others_can_act_in_markdown_or_json() {
    let loud = story::whole(HOSTILE);
    let view = view(&loud, loud.records.len(), &given::evidence(HOSTILE));
    let markdown = markdown::render(&view).unwrap();
    for raw in ["\u{1b}", "\u{9b}", "\u{202e}"] {
        assert!(!markdown.contains(raw), "{raw:?}");
    }
    let bare = outside_code(&markdown);
    let tag = regex::Regex::new("<[A-Za-z/!?]").unwrap();
    assert!(!tag.is_match(&bare) && !bare.contains("\n```"), "{bare}");
    assert_eq!(bare.matches("\n## ").count(), 12);
    let json = json::render(&view).unwrap();
    assert!(!json.contains(['\u{1b}', '\u{9b}', '\u{202e}']));
    assert_eq!(serde_json::from_str::<View>(&json).unwrap(), view);
}

/// Markdown without its code spans and fenced blocks, read as CommonMark does:
/// a run of backticks is closed by the next run of the same length.
fn outside_code(markdown: &str) -> String {
    let runs = |text: &str| {
        let start = text.find('`')?;
        let length = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        Some((start, length))
    };
    let (mut bare, mut rest) = (String::new(), markdown);
    while let Some((start, length)) = runs(rest) {
        if rest[..start].ends_with('\\') {
            bare.push_str(&rest[..start + 1]);
            rest = &rest[start + 1..];
            continue;
        }
        bare.push_str(&rest[..start]);
        rest = &rest[start + length..];
        let mut inside = rest;
        loop {
            let (at, found) = runs(inside).expect("code is closed");
            inside = &inside[at + found..];
            if found == length {
                break;
            }
        }
        rest = inside;
    }
    bare + rest
}

#[test]
fn the_words_are_balanced() {
    let page = markdown::render(&whole_view()).unwrap().to_lowercase();
    for word in [
        "failed replication",
        "failed to replicate",
        "false positive",
        "refuted",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("the criterion that was fixed before the data were analysed is met; the plan departs from the fixed rule"));
    assert!(page.contains("the conclusion written in the stage interpret is another one (not met)"));
}

#[test]
fn what_people_and_machines_did_is_counted() {
    let view = whole_view();
    assert_eq!(
        (
            view.approvals.by_person,
            view.approvals.by_policy,
            view.approvals.by_setting
        ),
        (3, 1, 1)
    );
    assert_eq!(
        (
            view.approvals.answers,
            view.approvals.advised_refusals,
            view.approvals.refused
        ),
        (1, 1, 2)
    );
    assert_eq!(view.time.person_ms, 31_000 + 42_000 + 18_000);
    assert_eq!(view.time.build_ms, 1_950 + 23_900);
    assert_eq!(view.time.stopped_ms, 35_000);
    assert_eq!(view.time.execution_ms, 900 + 2_300);
    for stage in &view.stages {
        let time = stage.time;
        let sum = time.model_ms
            + time.person_ms
            + time.build_ms
            + time.execution_ms
            + time.stopped_ms
            + time.engine_ms;
        assert_eq!(sum, stage.wall_ms, "{}", stage.stage);
    }
    assert_eq!(view.files.unplanned.len(), 1);
    assert!(view.files.planned[1].opened.is_empty() && !view.files.complete);
}

#[test]
fn every_prefix_of_a_journal_has_a_report() {
    let writer = story::whole("");
    for events in 0..=writer.records.len() {
        for evidence in [Evidence::default(), given::evidence("")] {
            let view = view(&writer, events, &evidence);
            assert_eq!(view.events, events as u64);
            tags::balanced(&html::page::render(&view).unwrap()).unwrap();
            markdown::render(&view).unwrap();
            json::render(&view).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]
    #[test]
    fn any_records_in_any_order_have_a_report(order in prop::collection::vec(0_usize..200, 0..60), keep in any::<bool>()) {
        let mut writer = story::whole(HOSTILE);
        let all = writer.records.clone();
        writer.records = order.iter().enumerate().map(|(position, index)| {
            let mut record = all[index % all.len()].clone();
            if !keep { record.seq = position as u64 + 1; }
            record
        }).collect();
        writer.blobs.clear();
        let view = view(&writer, writer.records.len(), &given::evidence(HOSTILE));
        prop_assert!(view.events <= order.len() as u64);
        tags::balanced(&html::page::render(&view).unwrap()).unwrap();
        markdown::render(&view).unwrap();
    }
}
