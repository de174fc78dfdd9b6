//! Two judges against one another as an HTML page that needs nothing else.

use minijinja::context;

use crate::report::template::{TemplateError, value};
use crate::scoring::aggregate::grading::GradedStage;

use super::naming::Names;
use super::page::{pages, style};
use crate::grading::scorecard::together::Alike;

const PAGE: &str = include_str!("../templates/agreement_page.html");

/// Judges by stage, in the order of the stages, with their confusion tables, as
/// one self-contained page.
///
/// # Errors
/// A template that does not fit the agreement.
pub fn render(alike: &[Alike]) -> Result<String, TemplateError> {
    let judges = alike
        .iter()
        .flat_map(|one| [one.first.as_str(), one.second.as_str()]);
    let mut environment = pages(Names::new(judges))?;
    environment.add_template("agreement_page.html", PAGE)?;
    let page = environment.get_template("agreement_page.html")?;
    let mut alike = alike.to_vec();
    let place = |one: &Alike| GradedStage::all().position(|stage| stage.name() == one.compared.stage);
    alike.sort_by_key(|one| place(one).unwrap_or(usize::MAX));
    Ok(page.render(context! { alike => value(alike), style => style() })?)
}
