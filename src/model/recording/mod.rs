//! Recorded conversations: a file format, the model that answers from one, and
//! the layer that makes one.
//!
//! A recording answers by position (stage and turn) and by the digest of the
//! request. The digest covers what the model was shown in a canonical form:
//! roles, texts (of tool messages the stable text), calls, and the tools with
//! the digest of their schemas. A request that differs is refused with the
//! difference, so that a replay never passes for something it is not.
//!
//! A session is written by hand as its answers alone; a refreshing run fills in
//! the requests:
//!
//! ```json
//! {"format": "reprise-recording/1", "origin": "written by hand",
//!  "stages": {"design": {"turns": [
//!    {"answer": {"text": ["Two", "lines."],
//!                "calls": [{"name": "write_file",
//!                           "arguments": {"path": "a.py", "content": {"$lines": ["x = 1", "print(x)"]}}}]}},
//!    {"answer": {"json": {"criteria": "met"}}}]}}}
//! ```

pub mod answer;
pub mod canonical;
pub mod cassette;
pub mod drift;
pub mod format;
pub mod lines;
pub mod path;
pub mod recorded;
pub mod recorder;
