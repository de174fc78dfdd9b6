//! A test statistic as papers print it.

use super::number_text;
use super::statistic::{DegreesOfFreedom, Statistic, StatisticKind};

use crate::domain::lazy_regex::LazyRegex;

static NAMED: LazyRegex = LazyRegex::new(
    r"(?xi)
        (?:^|[^\p{Alphabetic}\d])
        (?P<name> t | z | F | r | U | W | H | Q
          | χ\s?(?:2|²) | x\s?(?:2|²) | chi(?:-?\s?squared?|2|sq)? | wald )
        \s?(?:-?\s?(?:value|statistic|test)s?)?
        \s?(?:[\(\[] (?P<inside>[^\)\]]{1,40}) [\)\]])?
        \s?[=:]\s?",
);

/// The first statistic of a text such as `t(42) = 5.00`, `F(1, 204) = 7.70`,
/// `χ2(1, N = 90) = 4.1` or `z = 2.5`; `None` where no name says which it is.
pub fn statistic(text: &str) -> Option<Statistic> {
    let captures = NAMED.captures(text)?;
    let whole = captures.get(0)?;
    // The sign before it belongs to the number behind the equals sign.
    let value = number_text::numbers(&text[whole.end()..]).first()?.value;
    let name = captures.name("name")?.as_str();
    let squeezed: String = name
        .to_lowercase()
        .chars()
        .filter(|c| !" -".contains(*c))
        .collect();
    let kind = match squeezed.as_str() {
        squared if squared.starts_with(['χ', 'x']) || squared.starts_with("chi") => {
            StatisticKind::ChiSquared
        }
        "wald" => StatisticKind::Other("Wald".to_owned()),
        _ => StatisticKind::parse(&name.to_lowercase()),
    };
    let kind = match kind {
        StatisticKind::Other(letter) if letter.len() == 1 => StatisticKind::Other(letter.to_uppercase()),
        kind => kind,
    };
    let df = captures.name("inside").map_or("", |inside| inside.as_str());
    Some(Statistic {
        df: degrees(df),
        kind,
        value,
    })
}

/// Degrees of freedom as they stand between parentheses: `42`, `1, 204`, `df =
/// 97.3`; a number of cases (`N = 90`) is none of them.
pub fn degrees(text: &str) -> DegreesOfFreedom {
    let found = text
        .split([',', ';'])
        .filter(|part| {
            let name = part.split('=').next().unwrap_or_default().trim();
            !(part.contains('=') && name.eq_ignore_ascii_case("n"))
        })
        .filter_map(|part| number_text::numbers(part).first().map(|number| number.value))
        .filter(|df| *df > 0.0)
        .take(2)
        .collect();
    DegreesOfFreedom(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_as_papers_print_them() {
        for (text, shown) in [
            ("t(42) = 5.00, p < .001", "t(42) = 5"),
            ("t = −2.35", "t = -2.35"),
            ("F(1, 204) = 7.70", "F(1, 204) = 7.7"),
            ("χ2(1, N = 90) = 4.1", "chi2(1) = 4.1"),
            ("chi-squared (2) = 9.3", "chi2(2) = 9.3"),
            ("z = 2.5, N = 300", "z = 2.5"),
            ("r(98) = .35", "r(98) = 0.35"),
            ("U = 31", "U = 31"),
            ("t-value: 3.1", "t = 3.1"),
            ("Welch's t(97.3) = 2.1", "t(97.3) = 2.1"),
        ] {
            let read = statistic(text).map(|found| found.to_string());
            assert_eq!(read.as_deref(), Some(shown), "{text}");
        }
        for text in ["5.00", "not stated", "p = .03", "SE = 0.2", "best = 3", ""] {
            assert_eq!(statistic(text), None, "{text}");
        }
    }
}
