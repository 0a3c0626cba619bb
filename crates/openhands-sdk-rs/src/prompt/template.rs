//! An agent's own template for the static text.

use minijinja::{AutoEscape, Environment};
use serde_json::{Map, Value, json};

use crate::prompt::files::PromptError;
use crate::prompt::inputs::PromptInput;
use crate::prompt::sections::soul;

/// How many steps a template may take: far above any prompt, far below what would hold up a conversation.
const FUEL: u64 = 1_000_000;

/// Renders the template with the agent's settings.
pub(crate) fn render(input: &PromptInput<'_>) -> Result<String, PromptError> {
    let Some(files) = &input.files.template else {
        let path = input.agent.system_prompt_filename.clone();
        return Err(PromptError::NotFound(path.into()));
    };
    let failed = |error: minijinja::Error| {
        let cause = std::error::Error::source(&error)
            .map(|cause| format!(": {cause}"))
            .unwrap_or_default();
        PromptError::Template {
            name: files.name.clone(),
            problem: format!("{error}{cause}"),
        }
    };
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    // compat: templates of the reference use it to adapt names of shells; there is nothing to adapt here.
    environment.add_filter("refine", |text: String| text);
    let sources = files.sources.clone();
    environment.set_loader(move |name| Ok(sources.get(name).cloned()));
    let template = environment.get_template(&files.name).map_err(failed)?;
    let text = template
        .render(minijinja::value::Serde(settings(input)))
        .map_err(failed)?;
    Ok(text.trim().to_owned())
}

/// What a template can use: the agent's settings for the prompt, and what is known besides.
fn settings(input: &PromptInput<'_>) -> Map<String, Value> {
    let mut settings = input.agent.system_prompt_kwargs.0.clone();
    let known = [
        ("soul_content", Some(json!(soul(input)))),
        ("memory_enabled", Some(json!(input.has_memory()))),
        ("llm_security_analyzer", Some(json!(true))),
        ("model_name", Some(json!(input.agent.llm.model))),
        (
            "model_family",
            input.family().map(|family| json!(family.name())),
        ),
        (
            "model_variant",
            input.variant().map(|variant| json!(variant.name())),
        ),
        ("persona", input.persona().map(|persona| json!(persona))),
    ];
    for (name, value) in known {
        if let Some(value) = value {
            settings.entry(name).or_insert(value);
        }
    }
    let policy = json!(input.agent.security_policy_filename);
    settings.insert("security_policy_filename".to_owned(), policy);
    settings
}
