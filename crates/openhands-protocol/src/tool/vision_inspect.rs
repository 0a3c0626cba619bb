//! The vision tool: a question about an image to a model that can see.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A question about an image.
    pub struct VisionInspectAction ["kind" = "VisionInspectAction"] (default) {
        image_index: i64,
        question: String,
        profile_name: Option<String> = None,
    }
}

observation! {
    /// What a model saw.
    pub struct VisionInspectObservation ["kind" = "VisionInspectObservation"] {
        image_index: i64,
        question: String,
        profile_name: Option<String> = None,
        model: Option<String> = None,
        base_url: Option<String> = None,
        answer: Option<String> = None,
    }
}
