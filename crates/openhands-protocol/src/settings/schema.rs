//! What a settings page shows.

use crate::json::Json;
use crate::text::words;
use crate::wire::wire;

words! {
    /// How prominent a field is.
    pub open enum SettingProminence {
        Minor = "minor",
        Critical = "critical",
        Major = "major",
    }
}

words! {
    /// What a field holds.
    pub open enum SettingValueType {
        String = "string",
        Integer = "integer",
        Number = "number",
        Boolean = "boolean",
        Array = "array",
        Object = "object",
    }
}

wire! {
    /// A choice of a field.
    pub struct SettingsChoice (default) {
        value: Json,
        label: String,
    }

    /// A field.
    pub struct SettingsFieldSchema (default) {
        key: String,
        label: String,
        description: Option<String> = None,
        section: String,
        section_label: String,
        value_type: SettingValueType,
        default_value as "default": Json = Json::NULL,
        prominence: SettingProminence = SettingProminence::Minor,
        depends_on: Vec<String> = Vec::new(),
        secret: bool = false,
        choices: Vec<SettingsChoice> = Vec::new(),
        variant: Option<String> = None,
    }

    /// Fields that belong together.
    pub struct SettingsSectionSchema (default) {
        key: String,
        label: String,
        fields: Vec<SettingsFieldSchema>,
        variant: Option<String> = None,
    }

    /// All fields.
    pub struct SettingsSchema (default) {
        model_name: String,
        sections: Vec<SettingsSectionSchema>,
    }
}
