//! Results of earlier turns, cut to their last characters, for stages whose agents see no more of
//! them.

use std::sync::Arc;

use crate::domain::excerpt;
use crate::model::chat::Message;

use super::results::{LeftOut, Part, Placed, ResultStanding};

/// Cuts the results of turns before `turns` to their last `most` characters, and returns what was
/// cut, whole; `place` is the folder and the beginning of the names of what is left out.
pub fn cut(
    messages: &mut [Message],
    placed: &mut [Placed],
    turns: u32,
    most: usize,
    place: &str,
) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    let is_earlier = |one: &&mut Placed| {
        one.part == Part::Result && one.standing == ResultStanding::Whole && one.turn < turns
    };
    for one in placed.iter_mut().filter(is_earlier) {
        let Some(Message::Tool { text, stable, .. }) = messages.get_mut(one.message) else {
            continue;
        };
        let path = format!("{place}-{}-{}.txt", one.turn, one.call + 1);
        let Some(shorter) = last(text, most, &path) else {
            continue;
        };
        if let Some(stable) = stable {
            *stable = last(stable, most, &path).unwrap_or_else(|| stable.clone());
        }
        left_out.push(LeftOut {
            path,
            text: std::mem::replace(text, shorter),
        });
        one.standing = ResultStanding::Shrunk;
    }
    left_out
}

/// The last characters of a text that is longer, behind a mark.
fn last(text: &str, most: usize, path: &str) -> Option<Arc<str>> {
    let characters = text.chars().count();
    let cut = characters.checked_sub(most).filter(|cut| *cut > 0)?;
    let kept = excerpt::end(text, most);
    Some(
        format!("[An earlier result: its first {cut} of {characters} characters are left out; the whole is in `{path}`]\n{kept}")
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;

    fn tool(text: &str, stable: Option<&str>) -> Message {
        Message::Tool {
            call: "c".into(),
            name: "execute".into(),
            text: text.into(),
            stable: stable.map(Into::into),
        }
    }

    fn placed(message: usize, turn: u32) -> Placed {
        Placed {
            part: Part::Result,
            message,
            turn,
            call: 0,
            digest: Digest::compute("x"),
            standing: ResultStanding::Whole,
        }
    }

    #[test]
    fn results_before_the_latest_are_cut_to_their_end_once() {
        let mut messages = [
            tool("aaaaaäöü", Some("bbbbbäöü")),
            tool("abc", None),
            tool("newest", None),
        ];
        let mut at = [placed(0, 1), placed(1, 2), placed(2, 3)];
        let left_out = cut(&mut messages, &mut at, 3, 3, "logs/results/solve");
        assert_eq!(left_out.len(), 1);
        assert_eq!(left_out[0].path, "logs/results/solve-1-1.txt");
        assert_eq!(&*left_out[0].text, "aaaaaäöü");
        let mark = "[An earlier result: its first 5 of 8 characters are left out; the whole is in \
                    `logs/results/solve-1-1.txt`]\näöü";
        assert_eq!(messages[0], tool(mark, Some(mark)));
        assert_eq!(messages[1], tool("abc", None));
        assert_eq!(messages[2], tool("newest", None));
        assert!(cut(&mut messages, &mut at, 3, 3, "logs/results/solve").is_empty());
    }
}
