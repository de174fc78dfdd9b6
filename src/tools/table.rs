//! Data sets as tables of cells, whoever read them.

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Missing,
    Number(f64),
    Text(String),
}

/// One variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    /// What the variable means, where the file says so.
    pub label: Option<String>,
    /// What single values mean, as text for the model; empty where the file does not say.
    pub value_labels: Vec<(String, String)>,
    /// One cell per row that was read.
    pub cells: Vec<Cell>,
}

/// A data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What the file is, such as `CSV, separated by commas`.
    pub format: String,
    pub columns: Vec<Column>,
    /// Rows of the file, where that is known; else the rows that were read.
    pub rows: usize,
    /// What was left out or repaired, in whole sentences.
    pub notes: Vec<String>,
}

/// Something that reads data sets.
pub trait TableReader: Send + Sync {
    /// Reads a whole file; the error says what the file is, in words for the model.
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Table, String>;
}

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum ColumnType {
    #[strum(to_string = "empty")]
    Empty,
    #[strum(to_string = "integer")]
    Integer,
    #[strum(to_string = "number")]
    Number,
    #[strum(to_string = "text")]
    Text,
    #[strum(to_string = "numbers and text")]
    Mixed,
}

impl Column {
    /// The type that holds every cell.
    pub fn kind(&self) -> ColumnType {
        let (mut numbers, mut texts, mut whole) = (false, false, true);
        for cell in &self.cells {
            match cell {
                Cell::Missing => {}
                Cell::Number(number) => {
                    numbers = true;
                    whole &= number.fract() == 0.0;
                }
                Cell::Text(_) => texts = true,
            }
        }
        match (numbers, texts) {
            (false, false) => ColumnType::Empty,
            (true, false) if whole => ColumnType::Integer,
            (true, false) => ColumnType::Number,
            (false, true) => ColumnType::Text,
            (true, true) => ColumnType::Mixed,
        }
    }

    /// How many cells are missing.
    pub fn missing(&self) -> usize {
        self.cells.iter().filter(|cell| **cell == Cell::Missing).count()
    }

    /// The finite numbers, in ascending order.
    pub fn numbers(&self) -> Vec<f64> {
        let mut numbers: Vec<_> = self
            .cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Number(number) if number.is_finite() => Some(*number),
                _ => None,
            })
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    }
}

/// Moments and quantiles of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    /// With n - 1 in the denominator; `None` for a single number.
    pub sd: Option<f64>,
    /// Minimum, quartiles and maximum, interpolated as R's default (type 7).
    pub quantiles: [f64; 5],
}

/// The moments of numbers in ascending order; `None` where there are none.
pub fn moments(sorted: &[f64]) -> Option<Moments> {
    let (first, last) = (sorted.first()?, sorted.last()?);
    let count = sorted.len() as f64;
    let mean = sorted.iter().map(|number| number / count).sum::<f64>();
    let sd = (sorted.len() > 1).then(|| {
        let squares: f64 = sorted.iter().map(|number| (number - mean).powi(2)).sum();
        (squares / (count - 1.0)).sqrt()
    });
    let quantile = |part: f64| {
        let position = part * (count - 1.0);
        let below = position.floor() as usize;
        let above = (below + 1).min(sorted.len() - 1);
        sorted[below] + (position - position.floor()) * (sorted[above] - sorted[below])
    };
    Some(Moments {
        mean,
        sd,
        quantiles: [*first, quantile(0.25), quantile(0.5), quantile(0.75), *last],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_in_r() {
        // R: x <- c(2, 4, 4, 5, 10); mean(x); sd(x); quantile(x)
        let found = moments(&[2.0, 4.0, 4.0, 5.0, 10.0]).unwrap();
        assert!((found.mean - 5.0).abs() < 1e-12 && (found.sd.unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(found.quantiles, [2.0, 4.0, 4.0, 5.0, 10.0]);
        assert_eq!(
            moments(&[1.0, 2.0]).unwrap().quantiles,
            [1.0, 1.25, 1.5, 1.75, 2.0]
        );
        assert_eq!(moments(&[7.0]).unwrap().sd, None);
        assert_eq!(moments(&[]), None);
    }
}
