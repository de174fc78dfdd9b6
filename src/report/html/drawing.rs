//! Ticks and labels that the plots share.

use serde::Serialize;

use crate::domain::excerpt;
use crate::domain::format;

/// Characters of a name that are drawn.
const LONGEST_NAME: usize = 30;
/// The width of a digit of a label.
const DIGIT: f64 = 7.0;

/// A labelled place of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tick {
    pub x: f64,
    pub label: String,
}

impl Tick {
    /// True if the next label starts well after this one ends.
    pub fn clears(&self, next: &Self) -> bool {
        let width = |tick: &Self| tick.label.chars().count() as f64 * DIGIT;
        next.x - self.x > (width(self) + width(next)) / 2.0 + DIGIT
    }
}

/// Round ratios on an axis of their logarithms, whose labels do not run into each other.
pub fn ratio_ticks(from: f64, to: f64, x: &dyn Fn(f64) -> f64) -> Vec<Tick> {
    const STEPS: [&[f64]; 4] = [
        &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
        &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        &[1.0, 2.0, 5.0],
        &[1.0],
    ];
    let powers =
        (from / std::f64::consts::LN_10).floor() as i32..=(to / std::f64::consts::LN_10).ceil() as i32;
    STEPS
        .into_iter()
        .map(|steps| {
            powers
                .clone()
                .take(40)
                .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
                .filter(|ratio| (from..=to).contains(&ratio.ln()))
                .map(|ratio| Tick {
                    x: x(ratio.ln()),
                    label: format::number(ratio),
                })
                .collect::<Vec<_>>()
        })
        .find(|ticks| ticks.windows(2).all(|pair| pair[0].clears(&pair[1])))
        .unwrap_or_default()
}

/// Round values of an axis whose labels do not run into each other.
pub fn ticks(from: f64, to: f64, x: &dyn Fn(f64) -> f64) -> Vec<Tick> {
    let rough = (to - from) / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
        .into_iter()
        .map(|factor| factor * power)
        .filter(|step| *step >= rough)
        .map(|step| ticks_every(step, from, to, x))
        .find(|ticks| ticks.windows(2).all(|pair| pair[0].clears(&pair[1])))
        .unwrap_or_default()
}

fn ticks_every(step: f64, from: f64, to: f64, x: &dyn Fn(f64) -> f64) -> Vec<Tick> {
    let (first, last) = ((from / step).ceil(), (to / step).floor());
    let count = (last - first).clamp(0.0, 20.0) as u32;
    (0..=count)
        .map(|position| (first + f64::from(position)) * step)
        .map(|value| Tick {
            x: x(value),
            label: format::number(value),
        })
        .collect()
}

/// A length of the view box, to a tenth of its unit.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A text as lines of at most `width` characters, a longer word broken; the end of a text of
/// more than `most` lines is left out, and says so.
pub fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for (position, piece) in letters.chunks(width.max(1)).enumerate() {
            let fits = !lines.is_empty() && position == 0 && length + 1 + piece.len() <= width;
            match lines.last_mut().filter(|_| fits) {
                Some(line) => {
                    line.push(' ');
                    line.extend(piece);
                    length += 1 + piece.len();
                }
                None => {
                    lines.push(piece.iter().collect());
                    length = piece.len();
                }
            }
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}

/// A list as lines of at most `width` characters, which break between items where they can.
pub fn wrapped_items(items: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        let length = item.chars().count();
        let line = lines.last_mut();
        if let Some(line) = line {
            line.push(',');
            if line.chars().count() + 1 + length <= width {
                line.push(' ');
                line.push_str(item);
                continue;
            }
        }
        lines.extend(wrapped(item, width, usize::MAX));
    }
    lines
}

/// A name that fits in a hint.
pub fn shortened(name: &str) -> String {
    excerpt::fitted(name, LONGEST_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_wrapped_and_not_cut() {
        let name = "log of the rate of violent crime per 100,000 inhabitants";
        let lines = wrapped(name, 30, 4);
        assert_eq!(lines.join(" "), name);
        assert!(lines.len() == 2 && lines.iter().all(|line| line.chars().count() <= 30));
        assert_eq!(wrapped("abcdefgh", 3, 4), ["abc", "def", "gh"]);
        assert_eq!(wrapped("a b c", 1, 2), ["a", "b…"]);
        assert_eq!(wrapped(" ", 3, 4), [""; 0]);
    }

    #[test]
    fn a_list_breaks_between_its_items() {
        let items = ["r = .61", "as reported 0.599", "p < .001", "df = 42"].map(str::to_owned);
        assert_eq!(
            wrapped_items(&items, 20),
            ["r = .61,", "as reported 0.599,", "p < .001, df = 42"]
        );
    }

    #[test]
    fn ratios_are_marked_where_they_are_round() {
        let x = |value: f64| 300.0 + 150.0 * value;
        let labels = |from: f64, to: f64| -> Vec<String> {
            let ticks = ratio_ticks(from.ln(), to.ln(), &x);
            ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(0.45, 2.2), ["0.5", "0.7", "1", "1.5", "2"]);
        assert!(labels(0.7, 1.5).contains(&"1".to_owned()));
    }
}
