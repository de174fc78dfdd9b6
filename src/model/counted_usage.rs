//! Counts of tokens, with estimates where a provider counts none.

use crate::domain::usage::Usage;

/// A count is not believed if an estimate is so many times as high: of text no token has 60 bytes.
const IMPLAUSIBLE: u64 = 30;

/// Tokens of a call for which a provider counted `counted`, with an estimate for each side
/// that it did not count. Nobody asks with no token, nor says something with none.
pub fn completed(counted: Usage, input: u64, output: u64) -> Usage {
    let mut usage = counted;
    if usage.input == 0 {
        usage.input = input;
        (usage.cached, usage.written, usage.written_long) = (0, 0, 0);
        usage.estimated = usage.estimated.saturating_add(input);
    }
    if usage.output == 0 {
        usage.output = output;
        usage.estimated = usage.estimated.saturating_add(output);
    }
    usage
}

/// A provider's count for a text that an estimate gives `input` tokens; without its prompt if it
/// counts hardly any for a long one.
pub fn believed(counted: Usage, input: u64) -> Usage {
    match counted.input < input.div_ceil(IMPLAUSIBLE) {
        true => Usage { input: 0, ..counted },
        false => counted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_that_was_not_counted_is_estimated_and_marked() {
        let usage = |input, output, estimated| Usage {
            input,
            output,
            estimated,
            ..Usage::default()
        };
        assert_eq!(completed(usage(5, 7, 0), 100, 10), usage(5, 7, 0));
        assert_eq!(completed(usage(0, 7, 0), 100, 10), usage(100, 7, 100));
        assert_eq!(completed(usage(5, 0, 0), 100, 10), usage(5, 10, 10));
        assert_eq!(completed(usage(0, 0, 0), 100, 0), usage(100, 0, 100));
        // A token for 6 kB is none.
        assert_eq!(believed(usage(1, 7, 0), 3_000), usage(0, 7, 0));
        assert_eq!(believed(usage(100, 7, 0), 3_000), usage(100, 7, 0));
        let cached = Usage {
            cached: 3,
            ..usage(0, 7, 0)
        };
        assert_eq!(completed(cached, 100, 10).cached, 0, "a part of nothing");
    }
}
