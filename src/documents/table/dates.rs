//! Calendar days as numbers, for formats that count from different epochs.

/// Days from Stata's and SAS's 1960-01-01 to 1970-01-01.
pub const DAYS_1960: f64 = 3653.0;
/// Seconds from the Gregorian 1582-10-14, SPSS's epoch, to 1970-01-01.
pub const SECONDS_1582: f64 = 12_219_379_200.0;
/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// Days since 1970-01-01 of a proleptic Gregorian date, if there is such a day.
pub fn days(year: i64, month: i64, day: i64) -> Option<f64> {
    let date = jiff::civil::Date::new(
        year.try_into().ok()?,
        month.try_into().ok()?,
        day.try_into().ok()?,
    )
    .ok()?;
    let epoch = jiff::civil::date(1970, 1, 1);
    Some(f64::from(date.since(epoch).ok()?.get_days()))
}

/// `YYYY-MM-DD` of days since 1970-01-01.
pub fn date(days: f64) -> Option<String> {
    if !days.is_finite() || days.abs() > 4_000_000.0 {
        return None;
    }
    let span = jiff::Span::new().try_days(days.floor() as i64).ok()?;
    let date = jiff::civil::date(1970, 1, 1).checked_add(span).ok()?;
    Some(date.to_string())
}

/// `YYYY-MM-DD HH:MM:SS` of seconds since 1970-01-01.
pub fn date_time(seconds: f64) -> Option<String> {
    let day = date((seconds / DAY).floor())?;
    Some(format!("{day} {}", time(seconds.rem_euclid(DAY))))
}

/// `HH:MM:SS`, with a fraction where there is one.
pub fn time(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let whole = seconds.abs();
    let (hours, minutes) = ((whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0);
    let rest = whole % 60.0;
    if rest.fract() == 0.0 {
        format!("{sign}{hours:02.0}:{minutes:02.0}:{rest:02.0}")
    } else {
        format!("{sign}{hours:02.0}:{minutes:02.0}:{rest:06.3}")
    }
}

/// Days since 1970-01-01 of text like `2020-03-01`.
pub fn parse_date(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    days(part(0, 4)?, part(5, 7)?, part(8, 10)?)
}

/// The first two parts of a date that ends in its year: `31/12/2020`, `12.31.20 10:30`.
pub fn day_and_month(text: &str) -> Option<(u8, u8)> {
    let date = text.split([' ', 'T']).next()?;
    let mark = date
        .chars()
        .find(|mark| !mark.is_ascii_digit())
        .filter(|mark| matches!(mark, '/' | '.' | '-'))?;
    let parts: Vec<&str> = date.split(mark).collect();
    let [first, second, year] = parts[..] else {
        return None;
    };
    let part = |text: &str| {
        text.parse()
            .ok()
            .filter(|number: &u8| text.len() <= 2 && (1..=31).contains(number))
    };
    let is_year = matches!(year.len(), 2 | 4) && year.bytes().all(|byte| byte.is_ascii_digit());
    let (first, second) = (part(first)?, part(second)?);
    (is_year && first.min(second) <= 12).then_some((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_agree_with_the_calendar() {
        assert_eq!(days(1960, 1, 1), Some(-DAYS_1960));
        assert_eq!(date(-DAYS_1960).as_deref(), Some("1960-01-01"));
        assert_eq!(date(18_322.0).as_deref(), Some("2020-03-01"));
        assert_eq!(parse_date("2020-03-01"), Some(18_322.0));
        assert_eq!(days(2021, 2, 29), None);
        assert_eq!(date_time(86_399.5).as_deref(), Some("1970-01-01 23:59:59.500"));
        assert_eq!(days(1582, 10, 14).map(|days| days * DAY), Some(-SECONDS_1582));
    }
}
