//! From a text to rows.

use crate::domain::excerpt;
use crate::domain::result_line;

use crate::verdict::coherence::reported::Rounded;
use crate::verdict::printed::{Printed, rows as printed_rows};
use crate::verdict::printed_findings::printed_finding;

use super::cells::{Cells, CommaRole};
use super::columns::{StatisticsColumn, columns};
use super::row::{MOST, StatisticsRow, StatisticsTable, TableFault, WrittenNumbers, printed};

/// Reads a table.
///
/// # Errors
/// A text without any row that can be read, with the first reason.
pub fn parse(text: &str) -> Result<StatisticsTable, TableFault> {
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().chars().next() {
        None => Err(TableFault::Empty),
        Some('{') => recorded(text),
        Some(_) => delimited(text),
    }
}

fn recorded(text: &str) -> Result<StatisticsTable, TableFault> {
    let (lines, bad) = result_line::parse(text);
    if let Some(bad) = bad.first() {
        return Err(TableFault::Line {
            line: bad.line as u64,
            problem: format!(
                "{}; a line is one JSON object as `reprise doctor schema` describes it",
                bad.problem
            ),
        });
    }
    let numbers = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let rows = lines
        .iter()
        .zip(numbers)
        .map(|(line, (at, _))| {
            let finding = line.finding();
            StatisticsRow {
                line: at as u64 + 1,
                printed: printed(&finding, &WrittenNumbers::from_line(line)),
                finding,
            }
        })
        .collect();
    Ok(StatisticsTable {
        rows,
        ..StatisticsTable::default()
    })
}

fn delimited(text: &str) -> Result<StatisticsTable, TableFault> {
    let header = excerpt::first_line(text);
    let delimiter = ['\t', ';', ',']
        .into_iter()
        .max_by_key(|mark| header.matches(*mark).count())
        .unwrap_or(',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter as u8)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| TableFault::Line {
        line: error.position().map_or(1, csv::Position::line),
        problem: format!("{error}; quote a cell that holds the delimiter"),
    };
    let names: Vec<String> = reader
        .headers()
        .map_err(|error| broken(&error))?
        .iter()
        .map(ToOwned::to_owned)
        .collect();
    let (columns, unknown) = columns(&names);
    // A lone `value` may be anything.
    let tells = |(column, name): (&Option<StatisticsColumn>, &String)| {
        let is_number = column.as_ref().is_some_and(|column| column.key != "term");
        is_number && !name.eq_ignore_ascii_case("value")
    };
    if !columns.iter().zip(&names).any(tells) {
        let printed = printed_table(text);
        return match printed.rows.is_empty() {
            true => Err(TableFault::NoColumn {
                found: excerpt::shortened(&names.join(", "), 200),
            }),
            false => Ok(printed),
        };
    }
    let records: Vec<csv::StringRecord> = reader
        .records()
        .take(MOST + 1)
        .collect::<Result<_, _>>()
        .map_err(|error| broken(&error))?;
    if records.len() > MOST {
        return Err(TableFault::TooLong);
    }
    let comma = CommaRole::of_cells(records.iter().flatten());
    let mut table = StatisticsTable {
        unknown,
        ..StatisticsTable::default()
    };
    for (at, record) in records.iter().enumerate() {
        if record.iter().all(str::is_empty) {
            continue;
        }
        let cells = Cells {
            line: record.position().map_or(0, csv::Position::line),
            columns: &columns,
            record,
            comma,
        };
        match cells.row(at + 1) {
            Ok(row) => table.rows.push(row),
            Err(fault) => table.unread.push(fault),
        }
    }
    match table.unread.first() {
        Some(first) if table.rows.is_empty() => Err(first.clone()),
        _ => Ok(table),
    }
}

/// The rows of a table as programs print one.
fn printed_table(text: &str) -> StatisticsTable {
    let rows = printed_rows(text).into_iter().filter_map(|row| {
        let number = |printed: &Option<Printed>| printed.as_ref().and_then(|one| Rounded::parse(&one.text));
        let interval = row.interval.as_ref();
        let written = WrittenNumbers {
            estimate: number(&row.estimate),
            error: number(&row.standard_error),
            statistic: row
                .statistic
                .as_ref()
                .and_then(|one| Rounded::parse(&one.value.text)),
            is_t: false,
            p: row
                .p
                .as_ref()
                .and_then(|p| Rounded::parse(&p.text).filter(|read| read.value == p.value)),
            bounds: interval.and_then(|one| number(&one.lower).zip(number(&one.upper))),
        };
        let line = row.line as u64;
        let finding = printed_finding(row)?;
        Some(StatisticsRow {
            line,
            printed: printed(&finding, &written),
            finding,
        })
    });
    StatisticsTable {
        rows: rows.take(MOST).collect(),
        ..StatisticsTable::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Relation;
    use crate::verdict::coherence::row::{Fit, check};

    fn fits(text: &str) -> Vec<Fit> {
        let table = parse(text).unwrap();
        table
            .rows
            .iter()
            .map(|row| check(&row.finding, &row.printed, 0.05).fit)
            .collect()
    }

    #[test]
    fn rows_that_fit_and_rows_that_do_not_are_told_apart() {
        // 2 * t.sf(2.10, 34) = .0432; f.sf(7.70, 1, 204) = .0060; 2 * norm.sf(.40 / .38) = .29.
        let text = "term,estimate,se,statistic,kind,df,p,sides,lower,upper\n\
                    t test,,,2.10,t,34,.043,,,\n\
                    one-sided,,,2.10,t,34,.022,,,\n\
                    said,,,2.10,t,34,.022,1,,\n\
                    anova,,,7.70,F,1;204,.006,,,\n\
                    wrong,0.40,0.38,,,,.00002,,,\n\
                    outside,0.40,,,,,,,0.5,0.9\n\
                    alone,,,,,,.03,,,\n";
        assert_eq!(
            fits(text),
            [
                Fit::Fits,
                Fit::OnlyOneSided,
                Fit::Fits,
                Fit::Fits,
                Fit::DoesNotFit,
                Fit::DoesNotFit,
                Fit::NothingToCompare
            ]
        );
    }

    #[test]
    fn a_row_said_to_be_two_sided_does_not_fit_as_one_sided() {
        let text = "term;statistic;kind;df;p;sides\na;2.10;t;34;.022;2\n";
        assert_eq!(fits(text), [Fit::DoesNotFit]);
    }

    #[test]
    fn ratios_are_read_on_their_logarithm() {
        // log(0.47) / 0.131 = -5.76, p = 8e-9.
        let text = "term,estimate,se,p,lower,upper,scale\nodds,0.47,0.131,8e-9,0.364,0.608,ratio\n";
        assert_eq!(fits(text), [Fit::Fits]);
        let text = "term,estimate,p,lower,upper,scale\nodds,0.47,0.4,0.364,0.608,ratio\n";
        assert_eq!(fits(text), [Fit::DoesNotFit]);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let fault = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(
            fault("term,p\nb,3\n"),
            "line 2: p is `3`: write a p-value from 0 to 1 such as .03 or <.001"
        );
        assert!(fault("name,value\na,1\n").starts_with("line 1: none of its columns (name, value)"));
        assert!(fault("{\"term\": \"a\", \"p\": 3}\n").starts_with("line 1: the p-value 3"));
        assert_eq!(parse(" \n").unwrap_err(), TableFault::Empty);
    }

    #[test]
    fn a_bad_cell_costs_its_row_and_an_unknown_column_is_named() {
        let table =
            parse("term,estimate,se,p,colour\na,0.5,0.1,<.001,red\nb,x,0.4,.03,red\nc,0.5,0.1,3,red\n")
                .unwrap();
        assert_eq!((table.rows.len(), table.unread.len()), (1, 2));
        assert_eq!(table.unknown, ["colour"]);
        assert!(table.unread[1].to_string().starts_with("line 4: p is `3`"));
    }

    #[test]
    fn numbers_of_every_form_are_read() {
        // 2 * t.sf(3, 1998) = .0027; 2 * t.sf(2.2, 28) = .036; f.sf(590, 2, 63) = 4e-42;
        // 2 * t.sf(5, 1200) = 6.6e-7; 2 * t.sf(3, 98) = .0034.
        let text = "term;estimate;se;statistic;kind;df;p;n\n\
                    minus;−0.21;0.07;−3.00;t;1998;.0027;2000\n\
                    thousands;1,234.5;411.5;3.0;t;1,998;0.003;2,000\n\
                    f;;;590;F;2, 63;p < .001;66\n\
                    f;;;590;F;2; p < .001;66\n\
                    power;0.5;0.1;5;t;1200;6.6×10⁻⁷;1202\n\
                    stars;0.54**;(0.18);3.0;t;310;0.0029 **;312\n\
                    raised;0·54;0·18;3·0;t;310;0·003;312\n\
                    zero;0.9;0.1;9;t;500;.000;502\n\
                    named;.11;.05;2.2;t;28;p=.036;30\n\
                    wrong;0.599;0.120;4.99;t;42;<2e-16;45\n";
        let fits = fits(text);
        assert_eq!(fits.last(), Some(&Fit::DoesNotFit));
        let right = [Fit::Fits; 9];
        // F with one degree of freedom cannot be compared.
        let others: Vec<Fit> = fits[..fits.len() - 1]
            .iter()
            .copied()
            .filter(|fit| *fit != Fit::NothingToCompare)
            .collect();
        assert_eq!((others.len(), fits.len()), (8, 10), "{fits:?}");
        assert_eq!(others, right[..8]);
    }

    #[test]
    fn a_comma_that_may_be_either_is_read_by_the_other_cells() {
        let estimate = |text: &str| parse(text).map(|table| table.rows[0].finding.estimate);
        assert_eq!(estimate("term;estimate;se\na;1,234;0,5\n"), Ok(Some(1.234)));
        assert_eq!(estimate("term;estimate;se\na;1,234;0.5\n"), Ok(Some(1234.0)));
        let fault = estimate("term;estimate;se\na;1,234;5\n").unwrap_err().to_string();
        assert!(fault.contains("may be 1234 or 1.234"), "{fault}");
        let fault = estimate("term;estimate;se\na;(1.5);0.5\n")
            .unwrap_err()
            .to_string();
        assert!(fault.contains("brackets may be a minus"), "{fault}");
    }

    #[test]
    fn a_statistic_of_unknown_kind_or_freedom_accuses_nobody() {
        // 2 * t.sf(2.5, 6) = .0465.
        for text in [
            "term,estimate,std.error,statistic,p.value\na,0.5,0.2,2.5,0.0465\n",
            "\"\",\"Estimate\",\"Std. Error\",\"t value\",\"Pr(>|t|)\"\n\"a\",0.5,0.2,2.5,0.0465\n",
        ] {
            assert_eq!(fits(text), [Fit::Fits], "{text}");
        }
        // Chi-squared of a test, and a squared Wald statistic.
        assert_eq!(
            fits("statistic,p.value,parameter\n6.2,0.045,2\n"),
            [Fit::NothingToCompare]
        );
        assert_eq!(
            fits("term,estimate,std.error,statistic,p.value\na,0.5,0.2,6.25,0.0124\n"),
            [Fit::Fits]
        );
        // Three errors are no p of .27, whatever the freedom.
        assert_eq!(
            fits("term,estimate,std.error,statistic,p.value\na,0.21,0.07,3,0.27\n"),
            [Fit::DoesNotFit]
        );
        let text = "term,estimate,std.error,t value,p.value\na,0.21,0.07,4.5,0.01\n";
        assert_eq!(fits(text), [Fit::DoesNotFit]);
        // Stata's error of an odds ratio is on the scale of the ratio.
        let text = "term,Odds Ratio,Std. Err.,z,P>|z|,ll,ul\na,2.0,0.5,2.77,0.006,1.225,3.264\n";
        assert_eq!(fits(text), [Fit::Fits]);
    }

    #[test]
    fn a_table_as_programs_print_it_is_read() {
        let text = "----------------------------------------\n                   (1)          (2)   \n\
                    ----------------------------------------\n\
                    treat            0.540**      0.410*  \n                (0.18)       (0.21)   \n\
                    ----------------------------------------\nN                   312          298   \n\
                    ----------------------------------------\nStandard errors in parentheses\n\
                    * p<0.05, ** p<0.01, *** p<0.001\n";
        let table = parse(text).unwrap();
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.rows[0].finding.standard_error, Some(0.18));
    }

    #[test]
    fn digits_are_kept_as_written() {
        assert_eq!(Rounded::parse("0.40").unwrap().decimals, 2);
        assert_eq!(Rounded::parse("2.35e-8").unwrap().decimals, 10);
        assert_eq!(Rounded::parse("−1,234.5").unwrap().value, -1234.5);
        assert_eq!(Rounded::parse("abc"), None);
    }

    #[test]
    fn bounds_keep_their_relation() {
        let rows = parse("term,estimate,se,p\na,0.5,0.1,<.001\nb,0.5,0.4,< .001\n")
            .unwrap()
            .rows;
        assert_eq!(rows[0].finding.p_value.unwrap().relation, Relation::Less);
        assert_eq!(
            fits("term,estimate,se,p\na,0.5,0.1,<.001\nb,0.5,0.4,< .001\n"),
            [Fit::Fits, Fit::DoesNotFit]
        );
    }
}
