//! Names of packages: their usual spelling, and known ones that lie near a misspelt one.

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
        let is_long = wanted.len().min(spelled.len()) >= 4;
        if closest.is_none() && is_long && is_one_slip(&wanted, &spelled) {
            closest = Some(candidate);
        }
    }
    closest
}

/// The known name that a name is likely a slip of; none of a name that is known itself, in whatever spelling.
pub fn slip_of<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    near(name, known).filter(|known| normalized(known) != normalized(name))
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
            is_changed || is_swapped
        }
        1 => short == &long[1..],
        _ => false,
    }
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
        assert_eq!(slip_of("pandsa", known()), Some("pandas"));
        assert_eq!(slip_of("Scikit_Learn", known()), None);
        for other in ["pan", "polars", "", "abc", "lm"] {
            assert_eq!(near(other, known()), None, "{other}");
        }
    }
}
