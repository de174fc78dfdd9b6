//! Results that a script prints with a label before each number:
//! `treat: b = 0.40 (SE = 0.38), t(98) = 1.05, p = .29, 95% CI [-0.3, 1.2]`.

use super::aligned::ReadRows;
use super::labelled_segment::Segment;
use super::labelled_term::clean_term;
use super::labelled_value::values;
use super::printed_row::{PrintedKind, PrintedRow};
use super::source_line::SourceLine;

use crate::domain::lazy_regex::LazyRegex;

/// The most lines that one labelled result takes.
const MOST_LINES: usize = 12;

static HEADING: LazyRegex = LazyRegex::new(
    r#"(?i)^[\s"'\[\]1]*(?:(?:term|variable|predictor|parameter|covariate|contrast)["']?\s*[:=]\s*["']?([^:=,{}"']{1,80}?)["']?,?|([^:={}]{1,80}?)\s*:)\s*$"#,
);
static TERM_FIELD: LazyRegex = LazyRegex::new(
    r#"(?i)["']?\b(?:term|variable|predictor|parameter|covariate|contrast|name|coefficient_name)["']?\s*[:=]\s*["']([^"']{1,80})["']"#,
);
static FILLER: LazyRegex = LazyRegex::new(
    r#"(?i)^(?:[\W_]|\b(?:and|with|the|an?|two|one|sided|tailed|robust|clustered|hc[0-3]|level|ci|its|has|exact|cluster|approx)\b)*$"#,
);
static POSTFIX: LazyRegex =
    LazyRegex::new(r"(?i)^[\s)\],]*(?:for|of|on)\s+(?:the\s+)?([^\d\s,;:=()][^,;:=()]{0,80})");

fn is_filler(gap: &str) -> bool {
    FILLER.is_match(gap)
}

/// Reads the labelled result that begins at `at`: a line, or a heading and the
/// labelled lines below it, or lines that repeat one term.
pub fn read_block(lines: &[SourceLine], at: usize) -> Option<ReadRows> {
    let line = lines.get(at)?;
    let mut rows = read_line(line);
    let mut next = at + 1;
    if rows.is_empty() {
        let mut row = PrintedRow {
            term: heading(&line.text)?,
            line: line.number,
            lines: vec![line.number],
            ..PrintedRow::default()
        };
        while let Some(more) = lines.get(next).filter(|_| next <= at + MOST_LINES) {
            let found = read_line(more);
            let [one] = found.as_slice() else { break };
            if !one.term.is_empty() || !row.absorb(one) {
                break;
            }
            next += 1;
        }
        rows.push(row);
    } else if let [row] = rows.as_mut_slice() {
        while let Some(more) = lines
            .get(next)
            .filter(|_| next <= at + MOST_LINES && !row.term.is_empty())
        {
            let found = read_line(more);
            let [one] = found.as_slice() else { break };
            if !(one.term.eq_ignore_ascii_case(&row.term) || is_single_quantity(one)) || !row.absorb(one) {
                break;
            }
            next += 1;
        }
    }
    // A test without a name is kept where it says more than one number.
    rows.retain(|row| {
        row.has_result() && (!row.term.is_empty() || (row.statistic.is_some() && row.p.is_some()))
    });
    (!rows.is_empty()).then_some(ReadRows { rows, next })
}

/// Whether a line without a name holds one quantity that can be the term's above
/// it. A statistic, and what stands beside one, may be the whole model's.
fn is_single_quantity(row: &PrintedRow) -> bool {
    let held = usize::from(row.estimate.is_some())
        + usize::from(row.standard_error.is_some())
        + usize::from(row.p.is_some())
        + usize::from(row.interval.is_some())
        + usize::from(row.n.is_some());
    let is_t = row
        .statistic
        .as_ref()
        .is_some_and(|statistic| matches!(statistic.kind, PrintedKind::T | PrintedKind::Z));
    row.term.is_empty() && ((held == 1 && row.statistic.is_none()) || (held == 0 && is_t))
}

fn heading(text: &str) -> Option<String> {
    if text.len() > 200 {
        return None;
    }
    let captures = HEADING.captures(text)?;
    let name = captures.get(1).or(captures.get(2))?.as_str().trim();
    (!name.is_empty())
        .then(|| clean_term(name))
        .filter(|name| !name.is_empty())
}

/// The results of one line; a name that the line does not give is empty.
fn read_line(line: &SourceLine) -> Vec<PrintedRow> {
    let text = line.text.as_str();
    if !text.bytes().any(|b| b.is_ascii_digit()) || text.starts_with("Residual standard error") {
        return Vec::new();
    }
    let mut rows: Vec<Segment> = Vec::new();
    for record in records(text) {
        let field = TERM_FIELD
            .captures(record)
            .map(|found| found[1].trim().to_owned());
        let found = values(record);
        let mut end = 0;
        let first_of_record = rows.len();
        for value in found {
            let gap = record.get(end..value.start).unwrap_or("");
            let is_first = rows.len() == first_of_record;
            let postfix = postfix(gap);
            if field.is_some() || (!is_first && is_filler(gap)) {
                if is_first {
                    rows.push(Segment::new(String::new()));
                }
            } else if let (Some(name), Some(last)) = (postfix.filter(|_| !is_first), rows.last_mut()) {
                last.name_if_empty(&name);
                rows.push(Segment::new(String::new()));
            } else if !is_first && begins_postfix(gap) {
                // Words behind a number that are no name end its term.
                rows.push(Segment::new(String::new()));
            } else {
                let name = value.term.clone().unwrap_or_else(|| clean_term(gap));
                rows.push(Segment::new(name));
            }
            end = value.end;
            if let Some(last) = rows.last_mut() {
                last.values.push(value);
            }
        }
        if rows.len() > first_of_record {
            if let (Some(name), Some(last)) = (postfix(record.get(end..).unwrap_or("")), rows.last_mut()) {
                last.name_if_empty(&name);
            }
            if let (Some(field), Some(segment)) = (field, rows.get_mut(first_of_record)) {
                segment.term = field;
            }
        }
    }
    rows.into_iter()
        .filter_map(|segment| segment.row(line.number))
        .collect()
}

/// Objects of a list that was printed on one line.
fn records(text: &str) -> Vec<&str> {
    if text.contains("},") {
        text.split("},").collect()
    } else {
        vec![text]
    }
}

fn begins_postfix(gap: &str) -> bool {
    let word = gap
        .trim_start_matches([' ', ')', ']', ','])
        .split_whitespace()
        .next();
    matches!(word, Some("for" | "of" | "on"))
}

fn postfix(gap: &str) -> Option<String> {
    let found = POSTFIX.captures(gap)?;
    Some(clean_term(&found[1])).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Relation;
    use crate::domain::statistic::DegreesOfFreedom;

    fn read(text: &str) -> Vec<PrintedRow> {
        let lines: Vec<SourceLine> = text
            .lines()
            .enumerate()
            .map(|(index, text)| SourceLine {
                number: index + 1,
                text: text.to_owned(),
            })
            .collect();
        let mut rows = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            match read_block(&lines, at) {
                Some(found) => {
                    rows.extend(found.rows);
                    at = found.next;
                }
                None => at += 1,
            }
        }
        rows
    }

    #[test]
    fn labels_bind_numbers_to_their_term() {
        let rows = read("income estimate -0.8 SE 0.2 p = 0.0001 N = 750");
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        assert_eq!((row.term.as_str(), row.n), ("income", Some(750)));
        assert_eq!(row.estimate.as_ref().map(|estimate| estimate.value), Some(-0.8));
        assert_eq!(
            row.p.as_ref().map(|p| (p.relation, p.value)),
            Some((Relation::Equal, 0.0001))
        );

        let rows = read("treat: b=0.40 (SE=0.38), t(98)=1.05, p=.29, 95% CI [-0.3, 1.2]");
        let row = &rows[0];
        assert_eq!((rows.len(), row.term.as_str()), (1, "treat"));
        let statistic = row.statistic.as_ref().unwrap();
        assert_eq!(
            (statistic.kind, statistic.df.clone()),
            (PrintedKind::T, Some(DegreesOfFreedom::one(98.0)))
        );
        let interval = row.interval.as_ref().unwrap();
        assert_eq!(interval.level, Some(0.95));
        assert_eq!(interval.upper.as_ref().map(|upper| upper.value), Some(1.2));
    }

    #[test]
    fn a_number_of_another_term_is_not_taken() {
        let rows = read("income b = 0.4, education p = 0.2");
        assert_eq!((rows[0].term.as_str(), &rows[0].p), ("income", &None));
        assert_eq!((rows[1].term.as_str(), &rows[1].estimate), ("education", &None));
        let rows = read("b = 0.3 for income, p = 0.2 for education");
        assert_eq!((rows[0].term.as_str(), &rows[0].p), ("income", &None));
        assert_eq!(rows[1].term, "education");
        let rows = read("x: p = 0.03, p = 0.6, b = 1");
        assert_eq!(rows[0].p, None);
    }

    #[test]
    fn a_result_may_take_several_lines() {
        let rows =
            read("Coefficient for income: 0.35\nStandard error for income: 0.1\np-value for income: 0.002\n");
        assert_eq!(
            (rows.len(), rows[0].term.as_str(), rows[0].lines.len()),
            (1, "income", 3)
        );
        assert!(rows[0].p.is_some() && rows[0].standard_error.is_some());
        let rows = read("income:\n  estimate: 0.35\n  SE: 0.1\n  p: < .001\nage:\n  estimate: 2\n");
        assert_eq!((rows.len(), rows[1].term.as_str()), (2, "age"));
        assert_eq!(rows[0].p.as_ref().map(|p| p.relation), Some(Relation::Less));
    }

    #[test]
    fn objects_are_read_by_their_keys() {
        let rows = read(
            r#"[{"term": "x", "estimate": 0.5, "se": 0.1, "p_value": 0.01}, {"term": "z", "estimate": 2}]"#,
        );
        assert_eq!(
            (rows.len(), rows[0].term.as_str(), rows[1].term.as_str()),
            (2, "x", "z")
        );
        assert!(rows[0].p.is_some() && rows[1].p.is_none());
        let rows = read("{'coef': 0.3, 'pvalue': 0.04, 'variable': 'dem'}");
        assert_eq!((rows.len(), rows[0].term.as_str()), (1, "dem"));
    }
}
