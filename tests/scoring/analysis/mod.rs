//! Statistics against independent implementations.

mod bounds;
mod consistency;
mod criteria;
mod decisions;
mod degrees;
mod flags;
mod no_effect;
mod primary;
mod registered;
