//! Where a replay differs from its recording on purpose, and why. An entry that does not show any more fails its test.

use crate::server::is_reference;

/// Whose answers differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Of {
    /// Our server's.
    Ours,
    /// The reference's, when it is played against: what was chance or another state in the recording.
    Reference,
    Both,
}

/// A difference that is known.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The recording, as `core/02_tool_turn`.
    pub(crate) recording: &'static str,
    /// The place in it; `*` stands for anything.
    pub(crate) at: &'static str,
    pub(crate) of: Of,
    pub(crate) why: &'static str,
}

impl Difference {
    pub(crate) fn is_of_this_server(&self) -> bool {
        match self.of {
            Of::Ours => !is_reference(),
            Of::Reference => is_reference(),
            Of::Both => true,
        }
    }
}

/// The differences of a recording.
pub(crate) fn of(recording: &str) -> Vec<&'static Difference> {
    TABLE
        .iter()
        .filter(|difference| difference.recording == recording)
        .collect()
}

const fn known(recording: &'static str, at: &'static str, of: Of, why: &'static str) -> Difference {
    Difference {
        recording,
        at,
        of,
        why,
    }
}

static TABLE: &[Difference] = &[];
