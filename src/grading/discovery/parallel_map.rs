//! Work on many small files, over all processors.

/// The result of `each` for every item, in the items' order.
///
/// Most of the time of scoring goes into opening small files, which processors
/// do beside one another.
pub fn parallel_map<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut shares = items.chunks(items.len().div_ceil(processors).max(1));
    let do_share = |share: &[T]| share.iter().map(&each).collect::<Vec<R>>();
    std::thread::scope(|scope| {
        // This thread takes the first share itself.
        let own = shares.next();
        let others: Vec<_> = shares.map(|share| scope.spawn(|| do_share(share))).collect();
        let mut done = own.map(do_share).unwrap_or_default();
        for other in others {
            done.extend(
                other
                    .join()
                    .unwrap_or_else(|payload| std::panic::resume_unwind(payload)),
            );
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_stays() {
        for length in [0, 1, 2, 3, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(parallel_map(&items, |item| 2 * item), doubled);
        }
    }
}
