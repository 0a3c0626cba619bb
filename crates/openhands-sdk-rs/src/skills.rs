//! Skills: knowledge that is given to the model when it is wanted.

pub mod trigger;
