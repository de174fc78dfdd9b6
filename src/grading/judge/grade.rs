//! A whole document marked, as often as asked, and what that comes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalog::rubrics::definition::{Material, Rubric};
use crate::catalog::schemas;
use crate::catalog::stages::fault::CatalogError;
use crate::domain::digest::Digest;
use crate::domain::finding::Interval;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::items::leaf;
use crate::scoring::aggregate::summary::mean;
use crate::scoring::checkpoints::checkpoint::Checkpoint;
use crate::statistics::proportion::Proportion;

use crate::grading::judge::bootstrap;
use crate::grading::judge::converse::carry_out;
use crate::grading::judge::mark::{Given, Mark, flipped, median, spread};
use crate::grading::judge::meanings::meanings;
use crate::grading::judge::order::Order;
use crate::grading::judge::question::{JudgeBounds, JudgeLine, JudgeQuestion, Look};
use crate::grading::judge::sheet::{Field, Sheet, as_json};

/// The decider of a field: code or a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GradedBy {
    Code,
    Judge,
}

/// One field with all its markings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldGrade {
    pub path: String,
    /// The median of the markings; of an even number it can lie between two.
    pub mark: Mark,
    pub by: GradedBy,
    pub given: Vec<Given>,
    /// Highest minus lowest; absent of a single score.
    pub spread: Option<u8>,
    /// True if the markings differ; absent of a single one.
    pub flipped: Option<bool>,
    /// True if the reference states the field, where it has fields.
    pub stated: Option<bool>,
}

/// One document marked against one reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grading {
    pub stage: GradedStage,
    /// The reference that the document was held against.
    pub reference: String,
    /// Digest over the rubric's words.
    pub rubric: Digest,
    pub highest: u8,
    pub repeats: u32,
    /// In which order each repeat was shown the fields.
    #[serde(default)]
    pub orders: Vec<Order>,
    pub fields: Vec<FieldGrade>,
    pub notes: Vec<String>,
}

/// The figures of a grading, as shares of the highest mark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Mean over aspects of the mean over their fields; absent when a field is unscored.
    pub score: Option<f64>,
    /// 95 %, over resampled fields: it speaks of this document, not of others.
    pub interval: Option<Interval>,
    /// The same score over the fields that the reference states, absent when one is unscored.
    pub stated: Option<f64>,
    /// Fields with a mark or found not applicable, of all.
    pub coverage: Proportion,
    pub not_applicable: u64,
    /// Judged fields whose markings differ, of those marked more than once.
    pub flips: Proportion,
    /// Mean of highest minus lowest over the fields marked more than once.
    pub spread: Option<f64>,
    pub aspects: Vec<AspectFigure>,
}

/// One aspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AspectFigure {
    pub name: String,
    pub score: Option<f64>,
    pub interval: Option<Interval>,
    pub scored: u64,
    pub not_applicable: u64,
    pub fields: u64,
}

/// The parts that every question of a grading shares.
pub struct GradingSetting<'a> {
    pub stage: GradedStage,
    pub rubric: &'a Rubric,
    pub material: Material<'a>,
    /// The reference's name.
    pub reference: &'a str,
    pub look: Option<Look<'a>>,
    pub repeats: u32,
    /// Changes the orders of the repeats.
    pub seed: u64,
    pub bounds: JudgeBounds,
}

/// Marks a sheet, from which the fields of `setting.material`, what they mean
/// and their order are filled in.
///
/// # Errors
/// A rubric that cannot be rendered. A judge's fault is no error: it leaves
/// fields unscored.
pub async fn grade(
    line: &mut JudgeLine<'_>,
    setting: &GradingSetting<'_>,
    sheet: &Sheet,
) -> Result<Grading, CatalogError> {
    let open: Vec<&Field> = sheet.open().collect();
    let repeats = setting.repeats.max(1);
    let marked = as_json(open.iter().copied(), false);
    let orders: Vec<Order> = (0..repeats)
        .map(|repeat| Order::new(&marked, repeat, setting.seed))
        .collect();
    let meanings = meanings(
        schemas::for_stage(setting.rubric.stage),
        open.iter().map(|field| field.path.as_str()),
    );
    let mut given: BTreeMap<String, Vec<Given>> = BTreeMap::new();
    for order in orders.iter().filter(|_| !open.is_empty()) {
        let mut fields = open.clone();
        order.arrange(&mut fields);
        let material = Material {
            fields: &as_json(fields.iter().copied(), order.swapped),
            meanings: &meanings,
            swapped: order.swapped,
            ..setting.material
        };
        let question = JudgeQuestion {
            rubric: setting.rubric,
            rendered: setting.rubric.render(&material)?,
            fields: fields.iter().map(|field| field.path.clone()).collect(),
            look: setting.look,
            bounds: setting.bounds,
        };
        for (field, one) in carry_out(line, &question).await {
            given.entry(field).or_default().push(one);
        }
    }
    let graded = sheet.fields.iter().map(|field| match &field.decided {
        Some(decided) => FieldGrade {
            path: field.path.clone(),
            mark: decided.mark,
            by: GradedBy::Code,
            given: vec![decided.clone()],
            spread: None,
            flipped: None,
            stated: field.stated,
        },
        None => {
            let given = given.remove(&field.path).unwrap_or_default();
            let marks: Vec<Mark> = given.iter().map(|one| one.mark).collect();
            FieldGrade {
                path: field.path.clone(),
                mark: median(&marks),
                by: GradedBy::Judge,
                spread: spread(&marks),
                flipped: flipped(&marks),
                given,
                stated: field.stated,
            }
        }
    });
    Ok(Grading {
        stage: setting.stage,
        reference: setting.reference.to_owned(),
        rubric: setting.rubric.digest(),
        highest: setting.rubric.highest(),
        repeats,
        orders,
        fields: graded.collect(),
        notes: sheet.notes.clone(),
    })
}

impl Grading {
    /// True if every field has a mark or was found not applicable.
    pub fn is_whole(&self) -> bool {
        self.fields.iter().all(|field| field.mark != Mark::Unscored)
    }

    /// The grading's figures.
    pub fn figures(&self) -> Figures {
        let all = self.by_aspect(|_| true);
        let is_stated = |field: &FieldGrade| field.stated == Some(true);
        let stated = self.by_aspect(is_stated);
        let is_unscored = |field: &&FieldGrade| field.mark == Mark::Unscored;
        let unscored = self.fields.iter().filter(is_unscored).count() as u64;
        // The marked fields are no sample of all: whoever marks only what is easy would score high.
        let is_whole = unscored == 0;
        let stated_is_whole = !self
            .fields
            .iter()
            .filter(|field| is_stated(field))
            .any(|field| is_unscored(&field));
        let spreads: Vec<f64> = self
            .fields
            .iter()
            .filter_map(|field| field.spread.map(f64::from))
            .collect();
        let of = self.fields.len() as u64;
        Figures {
            score: is_whole.then(|| bootstrap::score(&all)).flatten(),
            interval: is_whole.then(|| self.interval(&all)).flatten(),
            stated: stated_is_whole.then(|| bootstrap::score(&stated)).flatten(),
            coverage: Proportion {
                hits: of - unscored,
                of,
            },
            not_applicable: self
                .fields
                .iter()
                .filter(|field| field.mark == Mark::NotApplicable)
                .count() as u64,
            flips: Proportion::count(self.fields.iter().filter_map(|field| field.flipped)),
            spread: mean(&spreads),
            aspects: self.aspect_figures(&all),
        }
    }

    fn interval(&self, aspects: &BTreeMap<String, Vec<f64>>) -> Option<Interval> {
        match self.stage {
            GradedStage::Execute => bootstrap::checkpoint_interval(aspects),
            _ => bootstrap::interval(aspects),
        }
    }

    fn aspect_figures(&self, scored: &BTreeMap<String, Vec<f64>>) -> Vec<AspectFigure> {
        let mut names: Vec<String> = Vec::new();
        for field in &self.fields {
            let name = aspect(&field.path);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let figure = |name: String| {
            let values = scored.get(&name).cloned().unwrap_or_default();
            let only = BTreeMap::from([(name.clone(), values)]);
            let of = self.fields.iter().filter(|field| aspect(&field.path) == name);
            let is_whole = of.clone().all(|field| field.mark != Mark::Unscored);
            AspectFigure {
                score: is_whole.then(|| bootstrap::score(&only)).flatten(),
                interval: is_whole.then(|| self.interval(&only)).flatten(),
                scored: of.clone().filter(|field| field.mark.score().is_some()).count() as u64,
                not_applicable: (of.clone())
                    .filter(|field| field.mark == Mark::NotApplicable)
                    .count() as u64,
                fields: of.count() as u64,
                name,
            }
        };
        names.into_iter().map(figure).collect()
    }

    /// The scores of each aspect's fields, list items of one field averaged.
    fn by_aspect(&self, keep: impl Fn(&FieldGrade) -> bool) -> BTreeMap<String, Vec<f64>> {
        let mut fields: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for field in self.fields.iter().filter(|field| keep(field)) {
            if let Some(score) = field.mark.score() {
                let leaf = match checkpoint(&field.path) {
                    Some(_) => field.path.clone(),
                    None => leaf(std::slice::from_ref(&field.path)).0,
                };
                let share = score / f64::from(self.highest.max(1));
                fields.entry(leaf).or_default().push(share);
            }
        }
        let mut aspects: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (leaf, scores) in fields {
            aspects.entry(aspect(&leaf)).or_default().extend(mean(&scores));
        }
        aspects
    }
}

/// The aspect of a path: what stands before its first dot or bracket, or the
/// aspect that a checkpoint belongs to.
fn aspect(path: &str) -> String {
    match checkpoint(path) {
        Some(checkpoint) => checkpoint.aspect().to_owned(),
        None => path.split(['.', '[']).next().unwrap_or_default().to_owned(),
    }
}

fn checkpoint(path: &str) -> Option<Checkpoint> {
    Checkpoint::all().find(|checkpoint| checkpoint.key() == path)
}
