//! A case's workspace on disk: made before it, looked at after it.

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A temporary directory, removed on drop.
#[derive(Debug)]
pub(crate) struct Workspace {
    directory: tempfile::TempDir,
    path: String,
}

impl Workspace {
    /// An empty workspace.
    ///
    /// Its path has 12 characters, as long as those of the recordings: where a long listing is clipped depends on
    /// the length of the paths in it.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("c")
            .rand_bytes(6)
            .tempdir_in("/tmp")?;
        let path = directory
            .path()
            .to_str()
            .context("a temporary path is UTF-8")?
            .to_owned();
        Ok(Self { directory, path })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// `value` with the placeholders of the workspace and of this process's directory filled in.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill_text(text)),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, item)| (key.clone(), self.fill(item)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn fill_text(&self, text: &str) -> String {
        text.replace("{WS}", &self.path)
            .replace("{CWD}", &current_directory())
    }

    /// The inverse of [`Self::fill`]: this run's paths become placeholders.
    pub(crate) fn blank(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(
                text.replace(&self.path, "{WS}")
                    .replace(&current_directory(), "{CWD}"),
            ),
            Value::Array(items) => items.iter().map(|item| self.blank(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, item)| (key.replace(&self.path, "{WS}"), self.blank(item)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Makes the files that the case starts with.
    pub(crate) fn set_up(&self, files: &Value) -> anyhow::Result<()> {
        match files {
            Value::Array(files) => files
                .iter()
                .try_for_each(|file| match file.get("generate") {
                    Some(recipe) => self.generate(recipe),
                    None => self.make(file),
                }),
            Value::Object(group) => group
                .get("generate")
                .map_or(Ok(()), |recipe| self.generate(recipe)),
            _ => Ok(()),
        }
    }

    /// Many similar files: `{i}` and `{i:03d}` in the path and `i` in the age count from 0.
    fn generate(&self, recipe: &Value) -> anyhow::Result<()> {
        let count = recipe
            .get("count")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        for index in 0..count {
            let mut file = recipe.as_object().cloned().unwrap_or_default();
            if let Some(path) = recipe.get("path").and_then(Value::as_str) {
                file.insert("path".into(), numbered(path, index)?.into());
            }
            if let Some(text) = recipe.get("text").and_then(Value::as_str) {
                file.insert("text".into(), numbered(text, index)?.into());
            }
            if let Some(age) = recipe.get("age_s").and_then(Value::as_str) {
                file.insert("age_s".into(), age_of(age, index)?.into());
            }
            self.make(&Value::Object(file))?;
        }
        Ok(())
    }

    fn make(&self, file: &Value) -> anyhow::Result<()> {
        let name = file
            .get("path")
            .and_then(Value::as_str)
            .context("a file needs a path")?;
        let path = self.at(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if file.get("dir").is_some() {
            std::fs::create_dir_all(&path)?;
        } else if let Some(target) = file.get("symlink").and_then(Value::as_str) {
            std::os::unix::fs::symlink(self.fill_text(target), &path)?;
            return Ok(());
        } else {
            std::fs::write(&path, contents(file)?)?;
        }
        if let Some(mode) = file.get("mode") {
            let digits = mode.as_str().map_or_else(
                || mode.to_string(),
                |text| text.trim_start_matches("0o").to_owned(),
            );
            std::fs::set_permissions(
                &path,
                PermissionsExt::from_mode(u32::from_str_radix(&digits, 8)?),
            )?;
        }
        if let Some(age) = file.get("age_s").and_then(Value::as_f64) {
            let then = SystemTime::now() - Duration::from_secs_f64(age.max(0.0));
            std::fs::File::open(&path)?.set_modified(then)?;
        }
        Ok(())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path().join(self.fill_text(name))
    }

    /// What differs from what must be on disk now.
    pub(crate) fn differences(&self, after: &Map<String, Value>) -> Vec<String> {
        after
            .iter()
            .filter_map(|(name, expected)| {
                let path = self.at(name);
                let found = std::fs::read(&path);
                let problem = match expected {
                    Value::Null if path.symlink_metadata().is_ok() => "must not exist".to_owned(),
                    Value::Null => return None,
                    Value::Object(fields) if fields.contains_key("dir") => {
                        if path.is_dir() {
                            return None;
                        }
                        "must be a directory".to_owned()
                    }
                    Value::Object(fields) if fields.contains_key("base64") => {
                        let wanted = fields
                            .get("base64")
                            .and_then(Value::as_str)
                            .unwrap_or_default();
                        match found {
                            Ok(bytes) if STANDARD.encode(&bytes) == wanted => return None,
                            Ok(bytes) => {
                                format!("has bytes {} instead of {wanted}", STANDARD.encode(bytes))
                            }
                            Err(error) => error.to_string(),
                        }
                    }
                    _ => match found.map(String::from_utf8) {
                        Ok(Ok(text)) => {
                            let text = self.blank(&Value::String(text));
                            return crate::compare::value(name, &text, expected);
                        }
                        Ok(Err(_)) => "is not UTF-8".to_owned(),
                        Err(error) => error.to_string(),
                    },
                };
                Some(format!("file {name}: {problem}"))
            })
            .collect()
    }
}

fn contents(file: &Value) -> anyhow::Result<Vec<u8>> {
    if let Some(text) = file.get("text").and_then(Value::as_str) {
        return Ok(text.as_bytes().to_vec());
    }
    if let Some(encoded) = file.get("base64").and_then(Value::as_str) {
        return Ok(STANDARD.decode(encoded)?);
    }
    if let Some(repeat) = file.get("repeat") {
        let unit = repeat
            .get("unit")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let times = repeat
            .get("times")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        return Ok(unit.repeat(usize::try_from(times)?).into_bytes());
    }
    bail!("a file needs text, base64, repeat, dir or symlink: {file}")
}

/// `{i}` or `{i:05d}` replaced by the number.
fn numbered(text: &str, index: u64) -> anyhow::Result<String> {
    let Some((before, rest)) = text.split_once("{i") else {
        return Ok(text.to_owned());
    };
    let (form, after) = rest
        .split_once('}')
        .context("a placeholder ends with a brace")?;
    let width: usize = form
        .trim_start_matches(':')
        .trim_end_matches('d')
        .parse()
        .unwrap_or(0);
    Ok(format!(
        "{before}{index:0width$}{}",
        numbered(after, index)?
    ))
}

/// `"1000 - i"`, `"i"` or a plain number.
fn age_of(formula: &str, index: u64) -> anyhow::Result<f64> {
    let mut sum = 0.0;
    let mut sign = 1.0;
    for word in formula.split_whitespace() {
        match word {
            "+" => sign = 1.0,
            "-" => sign = -1.0,
            "i" => sum += sign * index.to_string().parse::<f64>()?,
            number => sum += sign * number.parse::<f64>()?,
        }
    }
    Ok(sum)
}

fn current_directory() -> String {
    std::env::current_dir()
        .map(|path| path.display().to_string())
        .unwrap_or_default()
}
