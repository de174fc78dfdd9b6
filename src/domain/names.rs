//! Names: the usual spelling of packages, and known names that are near a misspelt one.

/// Letters of a name of which two may be a slip.
const LONG: usize = 7;

/// The usual spelling of a distribution's name: small letters, and one dash for every run of `-_.`.
pub fn normalized(name: &str) -> String {
    let mut spelled = String::new();
    for letter in name.chars() {
        match letter {
            '-' | '_' | '.' if spelled.ends_with('-') => {}
            '-' | '_' | '.' => spelled.push('-'),
            letter => spelled.extend(letter.to_lowercase()),
        }
    }
    spelled
}

/// The known name that an unknown one is likely a slip of: one letter left out, added, changed or two
/// swapped, or a plain difference of case or of separators.
pub fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = normalized(name).chars().collect();
    let mut closest = None;
    for candidate in known {
        let spelled: Vec<char> = normalized(candidate).chars().collect();
        if wanted == spelled {
            return Some(candidate);
        }
        // Of a name of three letters, only one that was left out: too many have two of them in common.
        let is_long = wanted.len().min(spelled.len()) >= 4 || (wanted.len(), spelled.len()) == (3, 4);
        if closest.is_none() && is_long && is_one_slip(&wanted, &spelled) {
            closest = Some(candidate);
        }
    }
    closest
}

/// The known names that lie nearest to an unknown one, in their order: those that differ in case and separators
/// alone, else those one slip away, else of a long name those two letters away.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = normalized(name).chars().collect();
    let mut by_rank: [Vec<&str>; 3] = Default::default();
    for candidate in known.filter(|candidate| *candidate != name) {
        let spelled: Vec<char> = normalized(candidate).chars().collect();
        let shorter = wanted.len().min(spelled.len());
        if wanted.len().abs_diff(spelled.len()) > 2 {
            continue;
        }
        if wanted == spelled {
            by_rank[0].push(candidate);
        } else if shorter >= 4 && is_one_slip(&wanted, &spelled) {
            by_rank[1].push(candidate);
        } else if shorter >= LONG && distance(&wanted, &spelled) == 2 {
            by_rank[2].push(candidate);
        }
    }
    by_rank
        .into_iter()
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

/// The known name that lies two letters from a long one.
pub fn near_by_two<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = normalized(name).chars().collect();
    known.find(|candidate| {
        let spelled: Vec<char> = normalized(candidate).chars().collect();
        let is_long = wanted.len().min(spelled.len()) >= LONG;
        is_long && wanted.len().abs_diff(spelled.len()) <= 2 && distance(&wanted, &spelled) == 2
    })
}

/// Letters that are left out, added or changed from one name to another.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, known) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != known);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

fn is_one_slip(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let first = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[first..], &long[first..]);
    match long.len() - short.len() {
        0 => {
            let is_changed = short.get(1..) == long.get(1..);
            let is_swapped =
                short.len() >= 2 && short[0] == long[1] && short[1] == long[0] && short[2..] == long[2..];
            is_changed || is_swapped || is_moved(short, long)
        }
        1 => short == &long[1..],
        _ => false,
    }
}

/// Whether one letter stands elsewhere, as in `dyplr`; what both begin with is left out.
fn is_moved(one: &[char], other: &[char]) -> bool {
    let ends = one
        .iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (one, other) = (&one[..one.len() - ends], &other[..other.len() - ends]);
    let forward = || {
        one.split_first()
            .is_some_and(|(first, rest)| other.split_last() == Some((first, rest)))
    };
    let back = || {
        other
            .split_first()
            .is_some_and(|(first, rest)| one.split_last() == Some((first, rest)))
    };
    one.len() >= 3 && (forward() || back())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_slips() {
        assert_eq!(normalized("Scikit_Learn"), "scikit-learn");
        assert_eq!(normalized("ruamel..yaml-x"), "ruamel-yaml-x");
        let known = || ["pandas", "numpy", "scikit-learn", "lme4", "dplyr"].into_iter();
        for slip in ["pandsa", "panda", "pandass", "pamdas", "Pandas"] {
            assert_eq!(near(slip, known()), Some("pandas"), "{slip}");
        }
        assert_eq!(near("scikit_learn", known()), Some("scikit-learn"));
        assert_eq!(near("dpylr", known()), Some("dplyr"));
        assert_eq!(near("dyplr", known()), Some("dplyr"));
        assert_eq!(near("lme", known()), Some("lme4"));
        assert_eq!(near_by_two("scikitlearm", known()), Some("scikit-learn"));
        assert_eq!(near_by_two("pandsss", known()), None);
        for other in ["pan", "polars", "", "abc", "lm"] {
            assert_eq!(near(other, known()), None, "{other}");
        }
    }
    #[test]
    fn the_nearest_of_many_names() {
        let known = [
            "dplyr",
            "dbplyr",
            "plyr",
            "ggplot2",
            "MASS",
            "mass",
            "lme4",
            "lmer",
            "rdrobust",
            "rdlocrand",
        ];
        let nearest = |name: &str| nearest(name, known.into_iter());
        assert_eq!(nearest("ggPlot2"), ["ggplot2"]);
        assert_eq!(nearest("Dplyr"), ["dplyr"]);
        assert_eq!(nearest("Mass"), ["MASS", "mass"]);
        assert_eq!(nearest("dpylr"), ["dplyr"]);
        assert_eq!(nearest("lme5"), ["lme4", "lmer"]);
        assert_eq!(nearest("rdrobsut"), ["rdrobust"]);
        assert_eq!(nearest("rdrbust2"), ["rdrobust"]);
        for none in ["lm", "plr", "xyz", "", "nonsuchpackage", "ggplot2"] {
            assert_eq!(nearest(none), Vec::<&str>::new(), "{none}");
        }
    }
}
