//! Files of public bug reports, with the values that are right for them.

use reprise::documents::document::Document;
use reprise::documents::limits::Limits;
use reprise::documents::read::read;
use reprise::documents::table::column::{Column, Table, Values};
use reprise::documents::table::hints::column_hints;
use reprise::documents::table::personal::Privacy;

use crate::need;

fn document(below: &str) -> Option<Document> {
    let path = need::shared(&format!("cases/{below}"))?;
    let bytes = std::fs::read(&path).unwrap();
    Some(read(below, &bytes, &Limits::default()).unwrap())
}

fn column<'t>(table: &'t Table, name: &str) -> &'t Column {
    table
        .column(name)
        .unwrap_or_else(|| panic!("{name} of {:?}", table.columns))
}

fn numbers(column: &Column) -> Vec<f64> {
    match &column.values {
        Values::Numbers(numbers) => numbers.clone(),
        Values::Strings(_) => panic!("{} is text", column.name),
    }
}

fn text(document: &Document) -> String {
    document.whole_text().replace('\n', " ")
}

#[test]
fn labelled_columns_of_r_keep_their_missing_codes() {
    for file in ["labelled.rds", "labelled_xz.rds"] {
        let Some(document) = document(&format!("04-rds-altrep/{file}")) else {
            return;
        };
        let table = &document.tables[0];
        let coded = |name: &str| -> Vec<(String, Vec<u32>)> {
            let coded = column(table, name).coded.iter();
            coded.map(|one| (one.code.clone(), one.rows.clone())).collect()
        };
        assert_eq!(column(table, "q").values.missing(), 3);
        assert_eq!(
            coded("q"),
            [(".a".to_owned(), vec![2]), (".b".to_owned(), vec![3])]
        );
        let labels = format!("{:?}", column(table, "q").labels);
        assert!(
            labels.contains("(Missing(\".a\"), \"refused\")")
                && labels.contains("(Missing(\".b\"), \"unknown\")"),
            "{labels}"
        );
        assert_eq!(
            coded("sp"),
            [("8".to_owned(), vec![3]), ("9".to_owned(), vec![2])]
        );
    }
    let Some(stata) = document("04-rds-altrep/tagged.dta") else {
        return;
    };
    assert_eq!(stata.tables[0].columns[0].coded.len(), 2);
    assert_eq!(stata.tables[0].columns[0].values.missing(), 3);
}

#[test]
fn files_in_two_encodings_and_of_odd_line_ends_are_whole() {
    let Some(mixed) = document("08-csv-mixed-encoding/mixed.csv") else {
        return;
    };
    let table = &mixed.tables[0];
    assert_eq!((table.rows, numbers(column(table, "value")).len()), (40, 40));
    let Values::Strings(cities) = &column(table, "city").values else {
        panic!()
    };
    assert!(
        (2..=3).contains(&cities.distinct().len()),
        "{:?}",
        cities.distinct()
    );
    assert!(cities.distinct().iter().all(|city| !city.contains('Ã')));
    assert!(
        mixed.notes.iter().any(|note| note.contains("two encodings")),
        "{:?}",
        mixed.notes
    );
    for (file, rows, columns) in [
        ("crcrlf.csv", 3, 2),
        ("sosci.csv", 8, 4),
        ("nobom16.csv", 8, 3),
        ("quoted_newlines.csv", 3, 3),
    ] {
        let Some(document) = document(&format!("08-csv-mixed-encoding/{file}")) else {
            return;
        };
        assert_eq!(
            (document.tables[0].rows, document.tables[0].columns.len()),
            (rows, columns),
            "{file}"
        );
    }
}

#[test]
fn no_minus_is_lost_whatever_the_map_of_a_font_says() {
    for font in ["etx", "none", "private", "soft", "space"] {
        let Some(document) = document(&format!("11-pdf-ligature-minus/embedded_{font}.pdf")) else {
            return;
        };
        let text = text(&document).replace('−', "-");
        assert!(text.contains("b = -.27, 95% CI [-.40, -.14]"), "{font}: {text}");
    }
    let Some(signs) = document("11-pdf-ligature-minus/signs.pdf") else {
        return;
    };
    let text = text(&signs).replace('−', "-");
    for right in [
        "coefficient finally was -.45 (SE = 0.12, p < .001)",
        "Effect of different flows: b = -0.31",
        "b = -.27, 95% CI [-.40, -.14]",
        "b = -.19",
    ] {
        assert!(text.contains(right), "{text}");
    }
}

#[test]
fn numbers_of_lines_are_not_in_the_sentences() {
    for file in ["numbered", "two_columns_numbered", "two_columns"] {
        let Some(document) = document(&format!("12-pdf-line-numbers/{file}.pdf")) else {
            return;
        };
        let text = text(&document);
        for right in [
            "The slope of price was negative, b = 0.31 (SE = 0.08), which is in line",
            "An interaction of price with income was not found, F(1, 236) = 0.42",
            "Limits: one country, one product",
        ] {
            assert!(text.contains(right), "{file}: {text}");
        }
        assert!(
            text.find("Exclusions: 14 of 254") < text.find("A robustness check"),
            "{file}: {text}"
        );
    }
    for file in ["manuscript_left", "manuscript_both"] {
        let Some(document) = document(&format!("12-pdf-line-numbers/{file}.pdf")) else {
            return;
        };
        let text = text(&document);
        assert!(
            text.contains("points in spring. The slope of price was negative, b = 0.31 (SE = 0.08), which"),
            "{text}"
        );
        assert!(
            text.contains("gave b = 0.33 (SE = 0.09). An interaction"),
            "{text}"
        );
    }
}

#[test]
fn comments_trailing_delimiters_and_dressed_numbers_are_seen() {
    let Some(trailing) = document("29-csv-comment-trailing/trail.csv") else {
        return;
    };
    let table = &trailing.tables[0];
    let first = ["a", "b", "c"].map(|name| numbers(column(table, name))[0]);
    assert_eq!(first, [0.0, 1.0, 2.0]);
    let Some(comment) = document("29-csv-comment-trailing/comment.csv") else {
        return;
    };
    let names: Vec<&str> = comment.tables[0]
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(
        (names.as_slice(), comment.tables[0].rows),
        (&["year", "value"][..], 8)
    );
    let Some(dressed) = document("29-csv-comment-trailing/us.csv") else {
        return;
    };
    for name in ["amt", "neg", "pct"] {
        let hints = column_hints(column(&dressed.tables[0], name), &Privacy::default());
        assert!(
            hints
                .iter()
                .any(|hint| hint.starts_with("numbers stored as text")),
            "{name}: {hints:?}"
        );
    }
}
