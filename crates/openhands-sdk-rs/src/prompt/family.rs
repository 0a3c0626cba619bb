//! Families of models, as far as they are spoken to differently.

/// Who made a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// GPT and the o series.
    Gpt,
    /// Claude.
    Claude,
    /// Gemini.
    Gemini,
    /// Llama.
    Llama,
    /// Mistral.
    Mistral,
    /// DeepSeek.
    DeepSeek,
    /// Qwen.
    Qwen,
}

/// Each family with its name in templates and what the names of its models contain. The first that fits is it.
const FAMILIES: [(Family, &str, &[&str]); 7] = [
    (Family::Gpt, "openai_gpt", &["gpt-", "o1", "o3", "o4"]),
    (Family::Claude, "anthropic_claude", &["claude"]),
    (Family::Gemini, "google_gemini", &["gemini"]),
    (Family::Llama, "meta_llama", &["llama"]),
    (Family::Mistral, "mistral", &["mistral"]),
    (Family::DeepSeek, "deepseek", &["deepseek"]),
    (Family::Qwen, "alibaba_qwen", &["qwen"]),
];

impl Family {
    /// The family of a model, if its name tells.
    pub fn of(model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        let mut families = FAMILIES.iter();
        let (family, ..) =
            families.find(|(_, _, marks)| marks.iter().any(|mark| model.contains(mark)))?;
        Some(*family)
    }

    /// The family with a name as templates have it.
    pub fn named(name: &str) -> Option<Self> {
        let (family, ..) = FAMILIES.iter().find(|(_, known, _)| *known == name)?;
        Some(*family)
    }

    /// The name in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt => "openai_gpt",
            Self::Claude => "anthropic_claude",
            Self::Gemini => "google_gemini",
            Self::Llama => "meta_llama",
            Self::Mistral => "mistral",
            Self::DeepSeek => "deepseek",
            Self::Qwen => "alibaba_qwen",
        }
    }
}

/// A variant within the GPT family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// GPT-5 for code.
    Gpt5Codex,
    /// GPT-5.
    Gpt5,
}

impl Variant {
    /// The variant of a model of a family.
    pub fn of(family: Family, model: &str) -> Option<Self> {
        let model = model.to_lowercase();
        if family != Family::Gpt || !model.contains("gpt-5") {
            return None;
        }
        Some(if model.contains("-codex") {
            Self::Gpt5Codex
        } else {
            Self::Gpt5
        })
    }

    /// The variant with a name as templates have it.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Gpt5Codex, Self::Gpt5]
            .into_iter()
            .find(|variant| variant.name() == name)
    }

    /// The name in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt5Codex => "gpt-5-codex",
            Self::Gpt5 => "gpt-5",
        }
    }
}
