//! The tools that come with the project, under their registered names.
//!
//! Adding one is one line here and one folder beside it. The browser and the IPython kernel get theirs in
//! `browser/` and `jupyter/`.

use crate::registry::Registry;

impl Registry {
    /// Every tool of this crate.
    pub fn standard() -> Self {
        Self::empty()
    }
}
