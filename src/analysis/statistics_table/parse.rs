//! From a text to rows.

use crate::domain::excerpt;
use crate::domain::result_line;

use super::cells::Cells;
use super::row::{COLUMNS, MOST, StatisticsRow, TableFault, WrittenNumbers, printed};

/// Reads a table.
///
/// # Errors
/// The first cell that is no number of its column, with its line.
pub fn parse(text: &str) -> Result<Vec<StatisticsRow>, TableFault> {
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().chars().next() {
        None => Err(TableFault::Empty),
        Some('{') => recorded(text),
        Some(_) => delimited(text),
    }
}

fn recorded(text: &str) -> Result<Vec<StatisticsRow>, TableFault> {
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
    Ok(lines
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
        .collect())
}

fn delimited(text: &str) -> Result<Vec<StatisticsRow>, TableFault> {
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
        .map(str::to_lowercase)
        .collect();
    if !names
        .iter()
        .any(|name| name != "term" && COLUMNS.contains(&name.as_str()))
    {
        return Err(TableFault::NoColumn {
            found: names.join(", "),
        });
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        if rows.len() == MOST {
            return Err(TableFault::TooLong);
        }
        let line = record.position().map_or(0, csv::Position::line);
        let cells = Cells {
            line,
            names: &names,
            record: &record,
        };
        rows.push(cells.row(rows.len() + 1)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Relation;
    use crate::verdict::coherence::reported::Rounded;
    use crate::verdict::coherence::row::{Fit, check};

    fn fits(text: &str) -> Vec<Fit> {
        let rows = parse(text).unwrap();
        rows.iter()
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
            fault("term,p\na,.03\nb,3\n"),
            "line 3: p is `3`: write a p-value from 0 to 1 such as .03 or <.001"
        );
        assert!(fault("name,value\na,1\n").starts_with("line 1: none of its columns (name, value)"));
        assert!(fault("term,statistic\na,2\n").contains("kind is empty: say which statistic"));
        assert!(fault("{\"term\": \"a\", \"p\": 3}\n").starts_with("line 1: the p-value 3"));
        assert_eq!(parse(" \n").unwrap_err(), TableFault::Empty);
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
        let rows = parse("term,estimate,se,p\na,0.5,0.1,<.001\nb,0.5,0.4,< .001\n").unwrap();
        assert_eq!(rows[0].finding.p_value.unwrap().relation, Relation::Less);
        assert_eq!(
            fits("term,estimate,se,p\na,0.5,0.1,<.001\nb,0.5,0.4,< .001\n"),
            [Fit::Fits, Fit::DoesNotFit]
        );
    }
}
