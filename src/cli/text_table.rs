//! Columns of plain text.

/// A table whose first columns are text and whose others are figures.
#[derive(Debug)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    /// Columns of text: one, unless it is said otherwise.
    text: usize,
}

impl Default for TextTable {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            text: 1,
        }
    }
}

impl TextTable {
    /// A table with a heading.
    pub fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self {
            rows: vec![heading.iter().map(|cell| (*cell).to_owned()).collect()],
            text: 1,
        }
    }

    /// The table with so many columns of text.
    pub fn with_text_columns(self, text: usize) -> Self {
        Self { text, ..self }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, text to the left and figures to the right.
    pub fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(at, (cell, width))| {
                // A width of a format has an upper bound, and a hostile name is longer.
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                match at {
                    at if at < self.text => format!("{cell}{blanks}"),
                    _ => format!("{blanks}{cell}"),
                }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// A share in percent with two decimals.
pub fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// A share in percent, or a dash.
pub fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_any_length_is_no_panic() {
        let long = "x".repeat(70_000);
        let mut table = TextTable::new(["name", "n"]);
        table.row([long.clone(), "1".to_owned()]);
        assert_eq!(table.lines()[1], format!("{long}  1"));
    }

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::new(["model", "F1"]);
        table.row(["gpt".to_owned(), percent(0.1955)]);
        assert_eq!(table.lines(), ["model     F1", "gpt    19.55"]);
        let table = table.with_text_columns(2);
        assert_eq!(table.lines(), ["model  F1", "gpt    19.55"]);
    }
}
