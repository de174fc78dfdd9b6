//! Intervals over resampled papers, where their distribution is known.

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use reprise::scoring::agreement::bootstrap::by_paper;
use reprise::scoring::agreement::table::Rating;

/// Ten items each: of the first paper both marks are the same, of the second none.
fn two_papers() -> Vec<Rating> {
    let item = |paper: &str, judge, human| Rating {
        paper: paper.to_owned(),
        judge: Some(judge),
        human: Some(human),
    };
    let agreed = (0..10).map(|at| item("agreed", at % 2, at % 2));
    agreed.chain((0..10).map(|_| item("apart", 1, 0))).collect()
}

#[test]
fn two_papers_drawn_twice_give_three_values_in_known_shares() {
    // Drawn twice: one paper twice (1/4), each once (1/2), the other twice (1/4).
    let of = |level| by_paper(&two_papers(), 2, 2000, level, &mut StdRng::seed_from_u64(7)).unwrap();
    let bounds = |level| {
        let found = of(level);
        [found.exact, found.bias].map(|interval| {
            let interval = interval.unwrap();
            assert_eq!(interval.level, level);
            (interval.lower, interval.upper)
        })
    };
    assert_eq!(bounds(0.95), [(0.0, 1.0), (0.0, 1.0)]);
    assert_eq!(bounds(0.6), [(0.0, 1.0), (0.0, 1.0)]);
    assert_eq!(bounds(0.4), [(0.5, 0.5), (0.5, 0.5)]);
    // Marks that do not vary define no correlation: a quarter of the draws does not.
    assert!(of(0.95).spearman.is_some());
}
