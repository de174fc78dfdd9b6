//! Single values: numbers, the 27 missing values, and the units of dates.

use crate::documents::table::column::DataType;
use crate::documents::table::dates;
use crate::documents::table::dta::header::Storage;

/// A number, or the letter of a missing value (`.` for the plain one).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DtaCell {
    Number(f64),
    Missing(char),
}

/// Decodes a numeric value of `storage.width()` bytes.
pub fn number(bytes: &[u8], storage: Storage, big_endian: bool, release: u32) -> DtaCell {
    let mut raw = [0u8; 8];
    let width = bytes.len().min(8);
    for (place, byte) in raw.iter_mut().enumerate().take(width) {
        *byte = bytes[if big_endian { width - 1 - place } else { place }];
    }
    let bits = u64::from_le_bytes(raw);
    // Before release 113 the largest value of a type is the one missing value.
    let lettered = release >= 113;
    match storage {
        Storage::Byte => whole(i64::from(bits as i8), if lettered { 101 } else { 127 }, lettered),
        Storage::Int => whole(
            i64::from(bits as i16),
            if lettered { 32_741 } else { 32_767 },
            lettered,
        ),
        Storage::Long => whole(
            i64::from(bits as i32),
            if lettered { 2_147_483_621 } else { 2_147_483_647 },
            lettered,
        ),
        Storage::Float => {
            let bits = bits as u32;
            let value = f32::from_bits(bits);
            match bits.checked_sub(0x7F00_0000) {
                Some(past) if bits >> 31 == 0 => DtaCell::Missing(letter(u64::from(past >> 11), lettered)),
                _ => DtaCell::Number(f64::from(value)),
            }
        }
        _ => match bits.checked_sub(0x7FE0_0000_0000_0000) {
            Some(past) if bits >> 63 == 0 => DtaCell::Missing(letter(past >> 40, lettered)),
            _ => DtaCell::Number(f64::from_bits(bits)),
        },
    }
}

fn whole(value: i64, first: i64, lettered: bool) -> DtaCell {
    match u64::try_from(value - first) {
        Ok(past) => DtaCell::Missing(letter(past, lettered)),
        Err(_) => DtaCell::Number(value as f64),
    }
}

fn letter(past: u64, lettered: bool) -> char {
    match u8::try_from(past) {
        Ok(past @ 1..=26) if lettered => char::from(b'a' + past - 1),
        _ => '.',
    }
}

/// What a display format makes of numbers, and the conversion of one.
pub fn meaning(format: &str, storage: Storage) -> (DataType, fn(f64) -> f64) {
    let kind = format.trim_start_matches(['%', '-', '0']);
    let kind = kind
        .strip_prefix('t')
        .unwrap_or(if kind.starts_with('d') { kind } else { "" });
    match kind.chars().next() {
        Some('d') => (DataType::Date, |days| days - dates::DAYS_1960),
        Some('c') => (DataType::DateTime, |millis| {
            millis / 1000.0 - dates::DAYS_1960 * dates::DAY
        }),
        Some('C') => (DataType::DateTime, |millis| without_leap_seconds(millis / 1000.0)),
        Some('w') => (DataType::Date, first_of_week),
        Some('m') => (DataType::Date, |months| first_of_month(months)),
        Some('q') => (DataType::Date, |quarters| first_of_month(3.0 * quarters)),
        Some('h') => (DataType::Date, |halves| first_of_month(6.0 * halves)),
        _ => match storage {
            Storage::Byte | Storage::Int | Storage::Long => (DataType::Integer, |value| value),
            _ => (DataType::Number, |value| value),
        },
    }
}

/// The first day of a week counted from January 1960, in days since 1970. Stata's
/// years have 52 weeks, of which the last is longer (manual D, Datetime, weekly dates).
fn first_of_week(weeks: f64) -> f64 {
    let weeks = weeks.floor() as i64;
    let year = weeks.div_euclid(52).saturating_add(1960);
    dates::days(year, 1, 1).map_or(f64::NAN, |first| first + 7.0 * weeks.rem_euclid(52) as f64)
}

/// Days, as year, month and day, before whose midnight a leap second was added (IERS Bulletin C).
const LEAPS: [(i64, i64, i64); 27] = [
    (1972, 7, 1),
    (1973, 1, 1),
    (1974, 1, 1),
    (1975, 1, 1),
    (1976, 1, 1),
    (1977, 1, 1),
    (1978, 1, 1),
    (1979, 1, 1),
    (1980, 1, 1),
    (1981, 7, 1),
    (1982, 7, 1),
    (1983, 7, 1),
    (1985, 7, 1),
    (1988, 1, 1),
    (1990, 1, 1),
    (1991, 1, 1),
    (1992, 7, 1),
    (1993, 7, 1),
    (1994, 7, 1),
    (1996, 1, 1),
    (1997, 7, 1),
    (1999, 1, 1),
    (2006, 1, 1),
    (2009, 1, 1),
    (2012, 7, 1),
    (2015, 7, 1),
    (2017, 1, 1),
];

/// Seconds since 1970 of seconds since 1960 that count leap seconds.
fn without_leap_seconds(seconds: f64) -> f64 {
    let seconds = seconds - dates::DAYS_1960 * dates::DAY;
    let passed = LEAPS
        .iter()
        .enumerate()
        .take_while(|(before, (year, month, day))| {
            let midnight = dates::days(*year, *month, *day).map_or(f64::INFINITY, |days| days * dates::DAY);
            seconds >= midnight + *before as f64 + 1.0
        })
        .count();
    seconds - passed as f64
}

/// The first day of a month counted from January 1960, in days since 1970.
fn first_of_month(months: f64) -> f64 {
    let (year, month) = (
        1960 + (months.floor() as i64).div_euclid(12),
        (months.floor() as i64).rem_euclid(12) + 1,
    );
    dates::days(year, month, 1).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_keep_their_letter() {
        assert_eq!(number(&[102], Storage::Byte, false, 118), DtaCell::Missing('a'));
        assert_eq!(number(&[101], Storage::Byte, false, 118), DtaCell::Missing('.'));
        assert_eq!(number(&[127], Storage::Byte, false, 110), DtaCell::Missing('.'));
        assert_eq!(number(&[102], Storage::Byte, false, 110), DtaCell::Number(102.0));
        assert_eq!(
            number(&0x7F00_0800_u32.to_be_bytes(), Storage::Float, true, 118),
            DtaCell::Missing('a')
        );
        let last = 0x7FE0_1A00_0000_0000_u64.to_le_bytes();
        assert_eq!(number(&last, Storage::Double, false, 118), DtaCell::Missing('z'));
        assert_eq!(
            number(&(-1.5f64).to_le_bytes(), Storage::Double, false, 118),
            DtaCell::Number(-1.5)
        );
        assert_eq!(
            number(&(-2i16).to_le_bytes(), Storage::Int, false, 118),
            DtaCell::Number(-2.0)
        );
    }

    #[test]
    fn dates_count_from_1960() {
        let (sort, convert) = meaning("%td", Storage::Int);
        assert_eq!((sort, convert(0.0)), (DataType::Date, -3653.0));
        let (sort, convert) = meaning("%tm", Storage::Int);
        assert_eq!((sort, convert(1.0)), (DataType::Date, -3653.0 + 31.0));
        let (sort, convert) = meaning("%tw", Storage::Int);
        let week = |weeks| dates::date(convert(weeks));
        assert_eq!((sort, week(0.0).as_deref()), (DataType::Date, Some("1960-01-01")));
        assert_eq!(week(3121.0).as_deref(), Some("2020-01-08"));
        assert_eq!(week(-1.0).as_deref(), Some("1959-12-24"));
        let (_, convert) = meaning("%tC", Storage::Double);
        let (_, plain) = meaning("%tc", Storage::Double);
        // 2020-01-01 00:00:00 as Stata's `%tC` counts it, 27 seconds past `%tc`.
        assert_eq!(convert(1_893_456_027_000.0), plain(1_893_456_000_000.0));
        assert_eq!(convert(0.0), plain(0.0));
        assert_eq!(meaning("%9.0g", Storage::Byte).0, DataType::Integer);
        assert_eq!(meaning("%-12s", Storage::Double).0, DataType::Number);
        assert_eq!(meaning("%d", Storage::Int).0, DataType::Date);
    }
}
