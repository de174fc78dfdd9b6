//! Views of a journal: HTML, Markdown and JSON.
