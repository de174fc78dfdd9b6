//! Layers: models around a model. From the outside in they are usually the
//! recorder, the meter, retry, concurrency, and then the provider.

pub mod concurrency;
pub mod kept;
pub mod meter;
pub mod patience;
pub mod retry;
pub mod text_calls;
