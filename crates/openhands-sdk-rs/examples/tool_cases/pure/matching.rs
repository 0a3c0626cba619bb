//! Matching cases: path rules, keywords and hook matchers.

use crate::format::string;
use anyhow::bail;
use openhands_protocol::skills::{KeywordTrigger, Skill, SkillTrigger};
use openhands_sdk_rs::{hooks, skills::trigger};
use serde_json::{Value, json};

pub(super) fn run(case: &Value) -> anyhow::Result<Value> {
    Ok(match string(case, "kind").as_str() {
        "path_glob" => json!(trigger::path_matches(
            &string(case, "path"),
            &string(case, "pattern")
        )),
        "keyword_trigger" => {
            let skill = Skill {
                trigger: Some(SkillTrigger::Keyword(KeywordTrigger {
                    keywords: vec![string(case, "keyword")],
                    ..KeywordTrigger::default()
                })),
                ..Skill::default()
            };
            json!(trigger::word_in_message(&skill, &string(case, "message")))
        }
        "hook_matcher" => {
            let tool = case.get("tool_name").and_then(Value::as_str);
            json!(hooks::matches(&string(case, "matcher"), tool))
        }
        other => bail!("no runner for {other:?}"),
    })
}
