//! What a recording does not say by itself: how the server was started, what lay in its workspace, what the model knew.

/// What there is to know about a recording.
#[derive(Debug)]
pub(crate) struct Part {
    /// The environment of the server. `{srv}`, `{home}`, `{ws}` and `{hooks}` (a receiver of webhooks) are filled in.
    pub(crate) env: &'static [(&'static str, &'static str)],
    /// Recordings that were made before on the same server, and left their traces.
    pub(crate) after: &'static [&'static str],
    /// Shell scripts, run in the scratch workspace before the entry of this number.
    pub(crate) scenes: &'static [(usize, &'static str)],
    /// Recorded ids of what a scene lays out, and the command that tells ours.
    pub(crate) ids: &'static [(&'static str, &'static str)],
    /// Requests that were made before, as a JSON array of entries.
    pub(crate) before: &'static str,
    /// Headers that were sent with the entry of this number.
    pub(crate) headers: &'static [(usize, &'static str, &'static str)],
    /// Of an answer, the recorder kept this, in the entry of this number.
    pub(crate) views: &'static [(usize, View)],
    /// Objects of which the recorder kept some members. `*` stands for anything.
    pub(crate) part: &'static [&'static str],
    /// Entries that are not played, with the reason.
    pub(crate) left_out: &'static [(usize, &'static str)],

    /// The message that stands for `<text>`.
    pub(crate) said: &'static str,
    /// The answers, one per request, to requests without a script in their messages.
    pub(crate) unscripted: &'static str,
    /// The answer to requests that offer no tools: of the judge of a goal, of the condenser, of the title.
    pub(crate) aside: Option<&'static str>,
    /// Which calls of the model are held back, beside those with a `delay`.
    pub(crate) held: &'static [usize],

    /// Frames that the client sent, before the entry of this number.
    pub(crate) frames: &'static [(usize, &'static str)],
    /// A socket was opened anew for the entry of this number, with this query.
    pub(crate) opened: &'static [(usize, &'static str)],
    /// All runs were over before the entry of this number.
    pub(crate) at_rest: &'static [usize],
}

/// What the recorder kept of an answer.
#[derive(Debug)]
pub(crate) enum View {
    /// The keys of the object.
    Keys,
    /// How many items there are.
    Count,
    /// The value at this place.
    At(&'static str),
    /// Some places, each under a name.
    Named(&'static [(&'static str, &'static str)]),
    /// Nothing.
    Free,
}

pub(crate) const NONE: Part = Part {
    env: &[],
    after: &[],
    scenes: &[],
    ids: &[],
    before: "[]",
    headers: &[],
    views: &[],
    part: &[],
    left_out: &[],
    said: "",
    unscripted: "[]",
    aside: None,
    held: &[],
    frames: &[],
    opened: &[],
    at_rest: &[],
};

/// The part of a recording.
pub(crate) fn of(recording: &str) -> &'static Part {
    crate::core_parts::of(recording)
        .or_else(|| crate::service_parts::of(recording))
        .unwrap_or(&PLAIN)
}

static PLAIN: Part = NONE;
