//! Saved models by name.

use crate::json::JsonObject;
use crate::llm::Llm;
use crate::wire::wire;

wire! {
    /// Which saved model.
    pub struct ProfilePath (default) {
        name in [min_length(1) max_length(64) pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: String,
    }
}

wire! {
    /// A saved model in the list.
    pub struct ProfileInfo (default) {
        name: String,
        model: Option<String> = None,
        base_url: Option<String> = None,
        provider_connection_id: Option<String> = None,
        provider_connection_broken: bool = false,
        api_key_set: bool = false,
    }

    /// All saved models.
    pub struct ProfileListResponse (default) {
        profiles: Vec<ProfileInfo>,
        active_profile: Option<String> = None,
    }

    /// One saved model. The configuration is in the form that was asked for.
    pub struct ProfileDetailResponse (default) {
        name: String,
        config: JsonObject,
        api_key_set: bool = false,
    }

    /// A model to save.
    pub struct SaveProfileRequest (default) {
        llm: Llm,
        include_secrets: bool = true,
    }

    /// A saved model was changed.
    pub struct ProfileMutationResponse (default) {
        name: String,
        message: String,
    }

    /// A new name.
    pub struct RenameProfileRequest (default) {
        new_name in [min_length(1) max_length(64) pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: String,
    }

    /// A saved model became the active one.
    pub struct ActivateProfileResponse (default) {
        name: String,
        message: String,
        llm_applied: bool = true,
    }

    /// A model to try out.
    pub struct ValidateProfileRequest (default) {
        llm: Llm,
    }

    /// Whether a model works.
    pub struct ValidateProfileResponse (default) {
        valid: bool,
        error: Option<ValidateProfileError> = None,
    }

    /// Why a model does not work.
    pub struct ValidateProfileError (default) {
        kind as "type": String,
        message: String,
    }
}
