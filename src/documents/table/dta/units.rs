//! The units of dates, by display format.

use dta::stata::temporal::TemporalKind;
use dta::stata::temporal::conversion::{tm_months_to_year_month, tw_weeks_to_year_week};

use crate::documents::table::column::DataType;
use crate::documents::table::dates;

/// Conversion of a stored number to what its column's type counts.
pub type Convert = fn(f64) -> f64;

/// What a display format makes of numbers, and the conversion of one; `None` if it is not a date's.
pub fn meaning(format: &str) -> Option<(DataType, Convert)> {
    let format = format!("%{}", format.trim_start_matches(['%', '-', '0']));
    Some(match TemporalKind::from_format(&format)? {
        TemporalKind::Date => (DataType::Date, |days| days - dates::DAYS_1960),
        TemporalKind::DateTime => (DataType::DateTime, |millis| since_1970(millis / 1000.0)),
        TemporalKind::DateTimeLeap => (DataType::DateTime, |millis| {
            without_leap_seconds(since_1970(millis / 1000.0))
        }),
        TemporalKind::Week => (DataType::Date, first_of_week),
        TemporalKind::Month => (DataType::Date, first_of_month),
        TemporalKind::Quarter => (DataType::Date, |quarters| first_of_month(3.0 * quarters)),
        TemporalKind::HalfYear => (DataType::Date, |halves| first_of_month(6.0 * halves)),
        _ => return None,
    })
}

fn since_1970(seconds: f64) -> f64 {
    seconds - dates::DAYS_1960 * dates::DAY
}

/// The first day of a week counted from January 1960, in days since 1970. Stata's
/// years have 52 weeks, of which the last is longer (manual D, Datetime, weekly dates).
fn first_of_week(weeks: f64) -> f64 {
    let (year, week) = tw_weeks_to_year_week(weeks.floor() as i32);
    dates::days(year.into(), 1, 1).map_or(f64::NAN, |first| first + 7.0 * f64::from(week - 1))
}

/// The first day of a month counted from January 1960, in days since 1970.
fn first_of_month(months: f64) -> f64 {
    let (year, month) = tm_months_to_year_month(months.floor() as i32);
    dates::days(year.into(), month.into(), 1).unwrap_or(f64::NAN)
}

/// Months, as year and month, before whose first midnight a leap second was added (IERS Bulletin C).
const LEAPS: [i64; 27] = [
    197207, 197301, 197401, 197501, 197601, 197701, 197801, 197901, 198001, 198107, 198207, 198307, 198507,
    198801, 199001, 199101, 199207, 199307, 199407, 199601, 199707, 199901, 200601, 200901, 201207, 201507,
    201701,
];

/// Seconds since 1970 of seconds since 1970 that count leap seconds.
fn without_leap_seconds(seconds: f64) -> f64 {
    let passed = LEAPS
        .iter()
        .enumerate()
        .take_while(|(before, month)| {
            let first = dates::days(*month / 100, *month % 100, 1);
            let midnight = first.map_or(f64::INFINITY, |days| days * dates::DAY);
            seconds >= midnight + *before as f64 + 1.0
        })
        .count();
    seconds - passed as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1960() {
        let date = |format: &str, number: f64| {
            let (sort, convert) = meaning(format).unwrap();
            assert_eq!(sort, DataType::Date, "{format}");
            dates::date(convert(number)).unwrap()
        };
        for (format, number, day) in [
            ("%td", 0.0, "1960-01-01"),
            ("%d", 1.0, "1960-01-02"),
            ("%-tdD_m_Y", 1.0, "1960-01-02"),
            ("%tm", 1.0, "1960-02-01"),
            ("%tq", 1.0, "1960-04-01"),
            ("%th", -1.0, "1959-07-01"),
            ("%tw", 0.0, "1960-01-01"),
            ("%tw", 3121.0, "2020-01-08"),
            ("%tw", -1.0, "1959-12-24"),
        ] {
            assert_eq!(date(format, number), day, "{format}");
        }
        let (_, leap) = meaning("%tC").unwrap();
        let (sort, plain) = meaning("%tc").unwrap();
        assert_eq!(sort, DataType::DateTime);
        // 2020-01-01 00:00:00 as Stata's `%tC` counts it, 27 seconds past `%tc`.
        assert_eq!(leap(1_893_456_027_000.0), plain(1_893_456_000_000.0));
        assert_eq!(leap(0.0), plain(0.0));
        for format in ["%9.0g", "%-12s", "%ty", ""] {
            assert!(meaning(format).is_none(), "{format}");
        }
    }
}
