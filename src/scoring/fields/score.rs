//! One document against one reference.

use serde::{Deserialize, Serialize};

use super::document::{RESULT_FIELDS, RegistrationFields, ResultRow};
use super::statement::{Statement, StatementKind};
use crate::scoring::rouge::{RougeL, score_tokens, tokens};
use crate::statistics::proportion::Proportion;

/// One field of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldScore {
    /// Dotted path without root; list positions are the reference's, from 0.
    pub path: String,
    pub reference: StatementKind,
    pub document: StatementKind,
    /// Overlap of the texts; absent unless both state something.
    pub overlap: Option<RougeL>,
    /// The overlap's F1; 1 when neither states anything, 0 when only one does.
    pub score: f64,
    /// True if the two are the same number, where both are one number: what
    /// overlap cannot see of signs and magnitudes.
    pub same_number: Option<bool>,
}

/// Averages of field scores, each between 0 and 1; `None` of no field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FieldAverages {
    /// Over the fields that the reference states: the figure to report.
    pub stated: Option<f64>,
    /// Over all fields, agreement on `not stated` counted as 1.
    pub all: Option<f64>,
}

/// A document scored against a reference, by lexical overlap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentScore {
    pub fields: Vec<FieldScore>,
    pub means: FieldAverages,
    /// The score of a document that says `not stated` everywhere.
    pub floor: FieldAverages,
    /// Of the fields that the reference states, those that the document states too.
    pub coverage: Proportion,
    /// For each numerical result of the reference, the document's it was compared with.
    pub paired: Vec<Option<usize>>,
    /// Numerical results of the document that no result of the reference met.
    pub unpaired: usize,
    /// Oddities of either document's shape.
    pub notes: Vec<String>,
}

/// Compares a document with a reference, lists aligned to the best overlap.
pub fn compare(document: &RegistrationFields, reference: &RegistrationFields) -> DocumentScore {
    let paired = pair(&document.results, &reference.results);
    let fields = compare_fields(document, reference, &paired);
    let nothing = reference.all_not_stated();
    let in_order: Vec<_> = (0..reference.results.len()).map(Some).collect();
    let floor = means(&compare_fields(&nothing, reference, &in_order));
    let stated = |state| state == StatementKind::Stated;
    let notes = (document.notes.iter().map(|note| format!("Document: {note}")))
        .chain(reference.notes.iter().map(|note| format!("Reference: {note}")))
        .collect();
    DocumentScore {
        means: means(&fields),
        floor,
        coverage: Proportion::count(
            fields
                .iter()
                .filter(|field| stated(field.reference))
                .map(|field| stated(field.document)),
        ),
        unpaired: document.results.len() - paired.iter().flatten().count(),
        paired,
        fields,
        notes,
    }
}

fn compare_fields(
    document: &RegistrationFields,
    reference: &RegistrationFields,
    paired: &[Option<usize>],
) -> Vec<FieldScore> {
    beside(document, reference, paired)
        .map(|one| field(one.path, one.document, one.reference))
        .collect()
}

static ABSENT: Statement = Statement::Absent;

/// One field as the document and as the reference states it.
#[derive(Debug, Clone)]
pub struct FieldStatements<'a> {
    pub path: String,
    pub document: &'a Statement,
    pub reference: &'a Statement,
}

/// Each field of both; `paired` names the document's result for each of the reference's.
pub fn beside<'a>(
    document: &'a RegistrationFields,
    reference: &'a RegistrationFields,
    paired: &'a [Option<usize>],
) -> impl Iterator<Item = FieldStatements<'a>> {
    let plain = (document.plain.iter().zip(&reference.plain)).map(|((path, document), (_, reference))| {
        FieldStatements {
            path: path.clone(),
            document,
            reference,
        }
    });
    let listed = reference.results.iter().zip(paired).enumerate();
    let listed = listed.flat_map(|(position, (theirs, partner))| {
        let ours = partner.and_then(|partner| document.results.get(partner));
        RESULT_FIELDS
            .iter()
            .zip(theirs)
            .enumerate()
            .map(move |(at, (name, theirs))| FieldStatements {
                path: format!("results.numerical_results[{position}].{name}"),
                document: ours.map_or(&ABSENT, |row| &row[at]),
                reference: theirs,
            })
    });
    plain.chain(listed)
}

fn field(path: String, document: &Statement, reference: &Statement) -> FieldScore {
    let (ours, theirs) = (document.state(), reference.state());
    let overlap = (ours == StatementKind::Stated && theirs == StatementKind::Stated)
        .then(|| score_tokens(&tokens(document.text()), &tokens(reference.text())));
    let neither = ours != StatementKind::Stated && theirs != StatementKind::Stated;
    FieldScore {
        path,
        reference: theirs,
        document: ours,
        score: overlap.map_or(f64::from(u8::from(neither)), |overlap| overlap.f1),
        overlap,
        same_number: document.number().zip(reference.number()).map(|(a, b)| a == b),
    }
}

fn means(fields: &[FieldScore]) -> FieldAverages {
    let mean =
        |scores: &[f64]| (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
    let all: Vec<f64> = fields.iter().map(|field| field.score).collect();
    let stated: Vec<f64> = fields
        .iter()
        .filter(|field| field.reference == StatementKind::Stated)
        .map(|field| field.score)
        .collect();
    FieldAverages {
        stated: mean(&stated),
        all: mean(&all),
    }
}

/// Pairs results one to one, the highest mean field score first; the earlier
/// pair wins ties.
fn pair(document: &[ResultRow], reference: &[ResultRow]) -> Vec<Option<usize>> {
    let tokenised = |rows: &[ResultRow]| -> Vec<Vec<Vec<String>>> {
        rows.iter()
            .map(|row| row.iter().map(|statement| tokens(statement.text())).collect())
            .collect()
    };
    let (ours, theirs) = (tokenised(document), tokenised(reference));
    let mut candidates = Vec::new();
    for (at, theirs) in theirs.iter().enumerate() {
        for (partner, ours) in ours.iter().enumerate() {
            let overlap: f64 = (ours.iter().zip(theirs))
                .map(|(a, b)| score_tokens(a, b).f1)
                .sum();
            candidates.push((overlap, at, partner));
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut paired = vec![None; reference.len()];
    let mut taken = vec![false; document.len()];
    for (_, at, partner) in candidates {
        if paired[at].is_none() && !taken[partner] {
            paired[at] = Some(partner);
            taken[partner] = true;
        }
    }
    paired
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn score(document: Value, reference: Value) -> DocumentScore {
        compare(
            &RegistrationFields::read(&document),
            &RegistrationFields::read(&reference),
        )
    }

    #[test]
    fn agreement_on_nothing_is_kept_apart() {
        let reference =
            json!({"claim": {"statement": "income raises trust"}, "data": {"notes": "not stated"}});
        let perfect = score(reference.clone(), reference.clone());
        assert_eq!(perfect.means.stated, Some(1.0));
        assert_eq!(perfect.floor.stated, Some(0.0));
        assert_eq!(perfect.floor.all, Some(22.0 / 23.0));
        let silent = score(json!({"claim": {"statement": "not stated"}}), reference);
        assert_eq!(silent.means, silent.floor);
        assert_eq!(silent.coverage.to_string(), "0/1");
    }

    #[test]
    fn results_meet_their_own_counterparts() {
        let row = |name: &str, value: f64| json!({"outcome_name": name, "value": value});
        let reference = json!({"results": {"numerical_results": [row("trust", 0.5), row("income", 2.0)]}});
        let document = json!({"results": {"numerical_results":
            [row("age", 7.0), row("income", 2.0), row("trust", -0.5)]}});
        let scored = score(document, reference);
        assert_eq!(scored.paired, [Some(2), Some(1)]);
        assert_eq!(scored.unpaired, 1);
        let value = |path: &str| {
            scored
                .fields
                .iter()
                .find(|field| field.path == path)
                .unwrap()
                .clone()
        };
        let trust = value("results.numerical_results[0].value");
        assert_eq!((trust.score, trust.same_number), (1.0, Some(false)));
        assert_eq!(
            value("results.numerical_results[1].value").same_number,
            Some(true)
        );
    }
}
