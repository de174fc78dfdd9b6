//! The page of scores, and that of two judges.

use reprise::grading::scorecard::together::Together;
use reprise::report::scorecard::agreement_page;
use reprise::report::scorecard::page::render;

use crate::report::tags::{balanced, links_lead_somewhere, rows_are_labelled};
use crate::report::{HOSTILE, cards};

/// What stands between two marks of a page.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}

#[test]
fn a_page_of_scores_is_well_formed_and_no_text_of_others_can_act_in_it() {
    for make in [cards::bare, cards::judged] {
        let shape = |loud: &str| -> Vec<(String, Vec<String>)> {
            let page = render(&[make(loud), make(loud)]).unwrap();
            for raw in ['\u{1b}', '\u{9b}', '\u{202e}'] {
                assert!(!page.contains(raw), "{raw:?}");
            }
            let tags = balanced(&page).unwrap().into_iter();
            // A path breaks at its dots and underscores, a long name in a figure into lines.
            tags.filter(|tag| !["wbr", "tspan"].contains(&tag.name.as_str()))
                .map(|tag| {
                    let names = tag.attributes.into_iter().map(|(name, _)| name).collect();
                    (tag.name, names)
                })
                .collect()
        };
        assert_eq!(shape(""), shape(HOSTILE));
    }
}

#[test]
fn every_link_of_a_page_of_scores_leads_somewhere() {
    for page in [
        render(&[cards::bare("")]),
        render(&[cards::judged("")]),
        render(&[cards::judged(""), cards::bare("")]),
    ] {
        links_lead_somewhere(&page.unwrap()).unwrap();
    }
}

/// No browser runs here, so the markup is held to what the style needs.
#[test]
fn tables_of_scores_have_what_a_narrow_screen_needs() {
    let page = render(&[cards::judged(""), cards::bare("")]).unwrap();
    rows_are_labelled(&page, &["stacked"]).unwrap();
}

#[test]
fn what_needs_a_look_is_listed_and_nothing_else() {
    let page = render(&[cards::judged("")]).unwrap();
    let listed = between(&page, "<table class=\"look", "</table>");
    assert!(
        listed.contains("data.<wbr>far") && listed.contains("judges differ"),
        "{listed}"
    );
    assert!(listed.contains("one on data.far") && listed.contains("other on data.far"));
    assert!(listed.contains("data.<wbr>missing") && listed.contains("unscored"));
    assert!(!listed.contains("same") && !listed.contains("near"), "{listed}");
    assert!(listed.contains("6 other fields need no look."), "{listed}");
}

#[test]
fn a_print_of_scores_leaves_the_fields_to_the_screen_and_says_so() {
    let page = render(&[cards::judged("")]).unwrap();
    let print = page.split("@media print").nth(1).unwrap();
    assert!(print.contains("details:not([open], .paper) { display: none; }"));
    let folds: Vec<&str> = page
        .match_indices("<details")
        .map(|(at, _)| page[at..].split('>').next().unwrap())
        .collect();
    assert_eq!(
        folds, ["<details"; 4],
        "two stages of two judges, all of them folded"
    );
    assert!(page.contains("<p class=\"print-only quiet left-out\">Left out of this print"));
    // What is listed to be looked at is in no fold, and so is printed.
    assert!(page.find("<table class=\"look").unwrap() < page.find("<details").unwrap());
}

#[test]
fn what_is_missing_is_said_and_not_left_blank() {
    let page = render(&[cards::bare("")]).unwrap();
    assert!(page.contains("No judge has graded this run") && !page.contains("Fields to look at"));
    let mut card = cards::bare("");
    card.outcome.reason = None;
    assert!(render(&[card]).unwrap().contains("No verdict"));
}

#[test]
fn a_heat_map_has_a_key_and_only_the_runs_that_were_marked() {
    let page = render(&[cards::judged(""), cards::bare(""), cards::bare("")]).unwrap();
    let map = between(&page, "<section id=\"map\">", "</section>");
    for step in ["0", "25", "50", "75", "100"] {
        assert!(map.contains(&format!("</i>{step}</span>")), "{map}");
    }
    assert_eq!(
        map.matches("2 runs without a score of this judge are left out")
            .count(),
        2
    );
    assert_eq!(map.matches("scope=\"row\"").count(), 2);
}

#[test]
fn stages_of_an_agreement_stand_in_their_order_and_minus_is_a_minus() {
    let mut alike = Together::from_cards(&[cards::judged("")]).alike;
    alike.reverse();
    let page = agreement_page::render(&alike).unwrap();
    balanced(&page).unwrap();
    assert!(page.find("<b>extract</b>").unwrap() < page.find("<b>design</b>").unwrap());
    rows_are_labelled(&page, &["stacked"]).unwrap();
    let numbers = between(&page, "<b>extract</b>", "</tr>");
    assert!(numbers.contains('−') && !numbers.contains(">-"), "{numbers}");
}
