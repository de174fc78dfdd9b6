//! The markers that structure a message.

/// A word with a colon at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Thought,
    Action,
    Answer,
    Observation,
}

const WORDS: [(&str, Marker); 6] = [
    ("thought", Marker::Thought),
    ("action", Marker::Action),
    ("answer", Marker::Answer),
    ("final answer", Marker::Answer),
    ("observation", Marker::Observation),
    ("observations", Marker::Observation),
];

/// A marker in a message, with where its line starts and where its text starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MarkerPosition {
    pub(super) marker: Marker,
    pub(super) start: usize,
    pub(super) behind: usize,
}

/// The marker that a line begins with, and the bytes up to behind its colon.
pub(super) fn marker_of(line: &str) -> Option<(Marker, usize)> {
    let mut lead = line.trim_start_matches([' ', '\t', '*', '#', '>', '-', '_']);
    // A model that writes on after its pause often forgets the line break.
    lead = lead.strip_prefix("PAUSE").map_or(lead, str::trim_start);
    let skipped = line.len() - lead.len();
    WORDS.iter().find_map(|(word, marker)| {
        let start = lead.get(..word.len())?;
        if !start.eq_ignore_ascii_case(word) {
            return None;
        }
        let rest = &lead[word.len()..];
        let colon = rest.trim_start_matches(['*', '_', ' ']);
        colon.strip_prefix(':')?;
        let behind = colon[1..].trim_start_matches('*');
        Some((*marker, skipped + lead.len() - behind.len()))
    })
}

/// The first marker at or behind `at`. The rest of a line that `at` lies inside
/// counts only where a pause was glued to it.
pub(super) fn next_marker(text: &str, at: usize) -> Option<MarkerPosition> {
    let mut start = at;
    let inside = at > 0 && text.as_bytes().get(at - 1) != Some(&b'\n');
    let mut first = true;
    for line in text[at..].split_inclusive('\n') {
        if (!(first && inside) || line.trim_start().starts_with("PAUSE"))
            && let Some((marker, behind)) = marker_of(line)
        {
            return Some(MarkerPosition {
                marker,
                start,
                behind: start + behind,
            });
        }
        first = false;
        start += line.len();
    }
    None
}
