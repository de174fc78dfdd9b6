//! The Docker sandbox against a real daemon; says 'skipped' where none answers.

mod support;
