//! Rules for choosing a saved model by the task.

use crate::wire::wire;

wire! {
    /// Tasks of one sort, and the model for them.
    pub struct MetaProfileClass (default) {
        description: String,
        model: String,
    }

    /// A classifier and its classes.
    pub struct MetaProfile (default) {
        classifier_model: String,
        classes: Vec<MetaProfileClass> = Vec::new(),
        prompt_template: Option<String> = None,
        model_table: Option<String> = None,
    }

    /// A rule set in the path.
    pub struct MetaProfilePath (default) {
        /// Its name.
        name in [min_length(1) max_length(64) pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: String,
    }

    /// A rule set in the list.
    pub struct MetaProfileInfo (default) {
        name: String,
        classifier_model: Option<String> = None,
        num_classes: i64 = 0,
    }

    /// All rule sets.
    pub struct MetaProfileListResponse (default) {
        meta_profiles: Vec<MetaProfileInfo>,
        active_meta_profile: Option<String> = None,
    }

    /// One rule set.
    pub struct MetaProfileDetailResponse (default) {
        name: String,
        config: MetaProfile,
    }

    /// A rule set was changed.
    pub struct MetaProfileMutationResponse (default) {
        name: String,
        message: String,
    }

    /// A rule set became the active one.
    pub struct ActivateMetaProfileResponse (default) {
        name: String,
        message: String,
        applied: bool = true,
    }
}
