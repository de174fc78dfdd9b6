//! Rows of tables with raised stars.

use super::{TestPdf, shown};

/// A row at a height: its name, then numbers with stars of a size and a rise behind them.
fn row(y: f64, name: &str, numbers: &[(&str, &str)], star: f64, rise: f64) -> String {
    let mut content = shown("H", 9.0, [72.0, y], name);
    for (column, (number, stars)) in numbers.iter().enumerate() {
        let x = 220.0 + 90.0 * column as f64;
        content += &shown("H", 9.0, [x, y], number);
        if !stars.is_empty() {
            // A digit of Helvetica is 556 thousandths wide, a point 278.
            let width = 9.0 * (0.556 * (number.len() as f64 - 1.0) + 0.278);
            content += &shown("H", star, [x + width + 0.4, y + rise], stars);
        }
    }
    content
}

/// Stars of half to nearly twice the size of their number, raised by up to half of it.
#[test]
fn raised_stars_of_any_size_stay_in_the_row_of_their_number() {
    for star in [5.0, 7.0, 8.5, 9.0, 11.0, 14.0] {
        for rise in [0.0, 1.0, 2.0, 2.6, 3.0, 3.5, 4.5, 5.5] {
            let content = [
                row(700.0, "Income", &[("0.12", "**"), ("0.34", "")], star, rise),
                row(689.0, "Education", &[("0.56", "***"), ("0.78", "*")], star, rise),
                row(678.0, "Age", &[("0.91", ""), ("0.23", "**")], star, rise),
                row(667.0, "Observations", &[("4500", ""), ("4512", "")], star, rise),
            ];
            let read = TestPdf::of(&content.concat()).lines();
            assert_eq!(
                read,
                [
                    "Income | 0.12** | 0.34",
                    "Education | 0.56*** | 0.78*",
                    "Age | 0.91 | 0.23**",
                    "Observations | 4500 | 4512"
                ],
                "stars of {star} points, raised by {rise}"
            );
        }
    }
}

/// The numbers of a row may stand a little lower than its name.
#[test]
fn a_row_keeps_its_name_where_stars_stand_above_it() {
    for rise in [2.0, 3.0, 4.0] {
        let mut content = String::new();
        for (line, name) in ["Income", "Education", "Age"].iter().enumerate() {
            let y = 700.0 - 11.0 * line as f64;
            content += &shown("H", 9.0, [72.0, y], name);
            content += &shown("H", 9.0, [220.0, y - 0.8], "0.12");
            content += &shown("H", 12.0, [238.5, y - 0.8 + rise], "**");
            content += &shown("H", 9.0, [310.0, y - 0.8], "0.34");
        }
        let read = TestPdf::of(&content).lines();
        assert_eq!(
            read,
            [
                "Income | 0.12** | 0.34",
                "Education | 0.12** | 0.34",
                "Age | 0.12** | 0.34"
            ],
            "raised by {rise}"
        );
    }
}

/// A drop cap stands on the baseline of the last line beside it.
#[test]
fn a_paragraph_that_begins_with_a_large_letter_keeps_its_lines() {
    let lines = [
        "ince the warning of parents against sending",
        "their sons to better colleges if there was a",
        "chance that they would be at the bottom of it,",
        "there has been a plethora of research into it.",
    ];
    let mut content = shown("H", 45.0, [72.0, 676.0], "S");
    for (at, line) in lines.iter().enumerate() {
        let x = if at < 3 { 104.0 } else { 72.0 };
        content += &shown("H", 10.0, [x, 700.0 - 12.0 * at as f64], line);
    }
    let read = TestPdf::of(&content).lines();
    assert_eq!(read[0], "Since the warning of parents against sending");
    assert_eq!(read[1..], lines[1..]);
}
