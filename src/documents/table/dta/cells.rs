//! Single values: numbers, the 27 missing values, and the units of dates.

use crate::documents::table::column::Sort;
use crate::documents::table::dates;
use crate::documents::table::dta::header::Storage;

/// A number, or the letter of a missing value (`.` for the plain one).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    Number(f64),
    Missing(char),
}

/// Decodes a numeric value of `storage.width()` bytes.
pub fn number(bytes: &[u8], storage: Storage, big_endian: bool, release: u32) -> Cell {
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
                Some(past) if bits >> 31 == 0 => Cell::Missing(letter(u64::from(past >> 11), lettered)),
                _ => Cell::Number(f64::from(value)),
            }
        }
        _ => match bits.checked_sub(0x7FE0_0000_0000_0000) {
            Some(past) if bits >> 63 == 0 => Cell::Missing(letter(past >> 40, lettered)),
            _ => Cell::Number(f64::from_bits(bits)),
        },
    }
}

fn whole(value: i64, first: i64, lettered: bool) -> Cell {
    match u64::try_from(value - first) {
        Ok(past) => Cell::Missing(letter(past, lettered)),
        Err(_) => Cell::Number(value as f64),
    }
}

fn letter(past: u64, lettered: bool) -> char {
    match u8::try_from(past) {
        Ok(past @ 1..=26) if lettered => char::from(b'a' + past - 1),
        _ => '.',
    }
}

/// What a display format makes of numbers, and the conversion of one.
pub fn meaning(format: &str, storage: Storage) -> (Sort, fn(f64) -> f64) {
    let kind = format.trim_start_matches(['%', '-', '0']);
    let kind = kind
        .strip_prefix('t')
        .unwrap_or(if kind.starts_with('d') { kind } else { "" });
    match kind.chars().next() {
        Some('d') => (Sort::Date, |days| days - dates::DAYS_1960),
        Some('c' | 'C') => (Sort::DateTime, |millis| {
            millis / 1000.0 - dates::DAYS_1960 * dates::DAY
        }),
        Some('m') => (Sort::Date, |months| first_of_month(months)),
        Some('q') => (Sort::Date, |quarters| first_of_month(3.0 * quarters)),
        Some('h') => (Sort::Date, |halves| first_of_month(6.0 * halves)),
        _ => match storage {
            Storage::Byte | Storage::Int | Storage::Long => (Sort::Integer, |value| value),
            _ => (Sort::Number, |value| value),
        },
    }
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
        assert_eq!(number(&[102], Storage::Byte, false, 118), Cell::Missing('a'));
        assert_eq!(number(&[101], Storage::Byte, false, 118), Cell::Missing('.'));
        assert_eq!(number(&[127], Storage::Byte, false, 110), Cell::Missing('.'));
        assert_eq!(number(&[102], Storage::Byte, false, 110), Cell::Number(102.0));
        assert_eq!(
            number(&0x7F00_0800_u32.to_be_bytes(), Storage::Float, true, 118),
            Cell::Missing('a')
        );
        let last = 0x7FE0_1A00_0000_0000_u64.to_le_bytes();
        assert_eq!(number(&last, Storage::Double, false, 118), Cell::Missing('z'));
        assert_eq!(
            number(&(-1.5f64).to_le_bytes(), Storage::Double, false, 118),
            Cell::Number(-1.5)
        );
        assert_eq!(
            number(&(-2i16).to_le_bytes(), Storage::Int, false, 118),
            Cell::Number(-2.0)
        );
    }

    #[test]
    fn dates_count_from_1960() {
        let (sort, convert) = meaning("%td", Storage::Int);
        assert_eq!((sort, convert(0.0)), (Sort::Date, -3653.0));
        let (sort, convert) = meaning("%tm", Storage::Int);
        assert_eq!((sort, convert(1.0)), (Sort::Date, -3653.0 + 31.0));
        assert_eq!(meaning("%9.0g", Storage::Byte).0, Sort::Integer);
        assert_eq!(meaning("%-12s", Storage::Double).0, Sort::Number);
        assert_eq!(meaning("%d", Storage::Int).0, Sort::Date);
    }
}
