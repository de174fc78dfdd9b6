//! Calls of a conversation that wait for their results, some of them without an id of their own.

use super::loss::Loss;

/// The beginning of ids for calls that have none. No client is shown one.
const GIVEN: &str = "reprise_call_";

/// A call without a result.
#[derive(Debug)]
struct OpenCall {
    id: String,
    tool: String,
    /// Whether the client has numbered it itself.
    is_numbered: bool,
}

/// The calls of the model's last turn that have no result yet, in their order.
#[derive(Debug, Default)]
pub struct OpenCalls {
    open: Vec<OpenCall>,
    /// How many calls had no id.
    given: u64,
}

impl OpenCalls {
    /// Gives up the calls without a result: somebody else has had the word.
    pub fn close(&mut self) {
        self.open.clear();
    }

    /// The id of a call of the model's: its own, or one by its place in the conversation.
    ///
    /// # Errors
    /// An id by which its result could not be told from another's.
    pub fn call(&mut self, id: Option<String>, tool: &str, place: &str) -> Result<String, Loss> {
        let id = id.filter(|id| !id.is_empty());
        if let Some(id) = &id
            && (id.starts_with(GIVEN) || self.open.iter().any(|call| call.id == *id))
        {
            return Err(Loss::new(place, format!("is a second call of the id `{id}`")));
        }
        let is_numbered = id.is_some();
        let id = id.unwrap_or_else(|| {
            self.given += 1;
            format!("{GIVEN}{}", self.given)
        });
        self.open.push(OpenCall {
            id: id.clone(),
            tool: tool.to_owned(),
            is_numbered,
        });
        Ok(id)
    }

    /// The id of the call that a result is of: the one with its id; otherwise the first of the tool that has
    /// no id of its own, or, where the result has none, the first of the tool.
    ///
    /// # Errors
    /// A result that is of no open call.
    pub fn result(&mut self, id: Option<&str>, tool: &str, place: &str) -> Result<String, Loss> {
        let id = id.filter(|id| !id.is_empty());
        let numbered = |call: &OpenCall| call.is_numbered && Some(call.id.as_str()) == id;
        let of_tool = |call: &OpenCall| call.tool == tool && (id.is_none() || !call.is_numbered);
        let found = self.open.iter().position(numbered);
        let found = found.or_else(|| self.open.iter().position(of_tool));
        let Some(call) = found.map(|index| self.open.remove(index)) else {
            let call = id.map_or_else(|| format!("of `{tool}`"), |id| format!("`{id}`"));
            let what = format!("is the result of a call {call} that does not wait for one there");
            return Err(Loss::new(place, what));
        };
        match call.tool == tool {
            true => Ok(call.id),
            false => {
                let what = format!("is a result of `{tool}` for a call of `{}`", call.tool);
                Err(Loss::new(place, what))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls by their ids and tools, then results by theirs: the ids that come of both.
    fn matched(
        calls: &[(&str, &str)],
        results: &[(&str, &str)],
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let mut open = OpenCalls::default();
        let own = |id: &str| (!id.is_empty()).then(|| id.to_owned());
        let asked = calls.iter().map(|(id, tool)| open.call(own(id), tool, "p"));
        let asked: Result<Vec<_>, Loss> = asked.collect();
        let asked = asked.map_err(|loss| loss.what)?;
        let given = results
            .iter()
            .map(|(id, tool)| open.result(own(id).as_deref(), tool, "p"));
        let given: Result<Vec<_>, Loss> = given.collect();
        given.map(|given| (asked, given)).map_err(|loss| loss.what)
    }

    #[test]
    fn results_find_their_calls() {
        let (first, second) = ("reprise_call_1", "reprise_call_2");
        for (calls, results, asked, given) in [
            // By their ids, in any order.
            (
                vec![("a", "f"), ("b", "f")],
                vec![("b", "f"), ("a", "f")],
                vec!["a", "b"],
                vec!["b", "a"],
            ),
            // Without ids, of one tool by their order and of several by their names.
            (
                vec![("", "f"), ("", "f")],
                vec![("", "f"), ("", "f")],
                vec![first, second],
                vec![first, second],
            ),
            (
                vec![("", "f"), ("", "g")],
                vec![("", "g"), ("", "f")],
                vec![first, second],
                vec![second, first],
            ),
            // Ids that the client made up between the call and its result, which are no order.
            (
                vec![("", "f"), ("", "f")],
                vec![("f-9", "f"), ("f-1", "f")],
                vec![first, second],
                vec![first, second],
            ),
            (
                vec![("", "f"), ("", "f")],
                vec![(second, "f"), (first, "f")],
                vec![first, second],
                vec![first, second],
            ),
            // Results without ids of calls with ids.
            (
                vec![("a", "f"), ("b", "f")],
                vec![("", "f"), ("", "f")],
                vec!["a", "b"],
                vec!["a", "b"],
            ),
            // A call with an id is not taken for one without.
            (
                vec![("a", "f"), ("", "f")],
                vec![("x", "f"), ("a", "f")],
                vec!["a", first],
                vec![first, "a"],
            ),
        ] {
            let (ids, found) = matched(&calls, &results).unwrap();
            assert_eq!(
                (ids, found),
                (words(&asked), words(&given)),
                "{calls:?} {results:?}"
            );
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_could_be_of_two_calls_or_of_none_is_a_loss() {
        for (calls, results, why) in [
            (vec![("a", "f"), ("a", "f")], vec![], "second call of the id `a`"),
            (
                vec![("", "f"), ("reprise_call_1", "f")],
                vec![],
                "second call of the id",
            ),
            (vec![], vec![("a", "f")], "a call `a` that does not wait"),
            (vec![], vec![("", "f")], "a call of `f` that does not wait"),
            (
                vec![("a", "f")],
                vec![("a", "f"), ("a", "f")],
                "a call `a` that does not wait",
            ),
            (
                vec![("", "f")],
                vec![("", "f"), ("", "f")],
                "a call of `f` that does not wait",
            ),
            (
                vec![("a", "f")],
                vec![("b", "f")],
                "a call `b` that does not wait",
            ),
            (
                vec![("a", "f")],
                vec![("a", "g")],
                "a result of `g` for a call of `f`",
            ),
            (
                vec![("", "f")],
                vec![("", "g")],
                "a call of `g` that does not wait",
            ),
        ] {
            let said = matched(&calls, &results).unwrap_err();
            assert!(said.contains(why), "{calls:?} {results:?}: {said}");
        }
    }

    #[test]
    fn what_was_given_up_is_not_matched_and_an_id_may_come_again_behind_its_result() {
        let mut open = OpenCalls::default();
        assert_eq!(open.call(None, "f", "p").unwrap(), "reprise_call_1");
        open.close();
        assert_eq!(open.call(None, "f", "p").unwrap(), "reprise_call_2");
        assert_eq!(open.result(None, "f", "p").unwrap(), "reprise_call_2");
        assert!(open.result(None, "f", "p").is_err());
        for _ in 0..2 {
            assert_eq!(open.call(Some("a".into()), "f", "p").unwrap(), "a");
            assert_eq!(open.result(Some("a"), "f", "p").unwrap(), "a");
        }
    }
}
