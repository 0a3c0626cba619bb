//! Which tools of the servers an agent wants.

use fancy_regex::Regex;

use super::config::ConfigError;

/// A regular expression for the beginning of a tool's name. Without one, all tools are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter(Option<Regex>);

impl Filter {
    pub(crate) fn new(pattern: Option<&str>) -> Result<Self, ConfigError> {
        pattern
            .map(|pattern| {
                Regex::new(&format!(r"\A(?:{pattern})"))
                    .map_err(|error| ConfigError::Filter(error.to_string()))
            })
            .transpose()
            .map(Self)
    }

    pub(crate) fn wants(&self, tool: &str) -> bool {
        // A pattern that needs too many steps counts as one that does not match; the engine has a limit.
        self.0
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(tool).unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;

    #[test]
    fn the_pattern_is_for_the_beginning_of_the_name() {
        let filter = Filter::new(Some("read|list_(?!secrets)")).unwrap();
        let wanted: Vec<&str> = [
            "read",
            "read_file",
            "list_files",
            "list_secrets",
            "re",
            "x_read",
        ]
        .into_iter()
        .filter(|tool| filter.wants(tool))
        .collect();
        assert_eq!(wanted, ["read", "read_file", "list_files"]);
        assert!(Filter::default().wants("anything"));
        assert!(Filter::new(Some("(")).is_err());
    }
}
