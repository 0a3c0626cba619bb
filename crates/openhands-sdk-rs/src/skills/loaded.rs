//! What loading gives: skills, and what was skipped on the way.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use openhands_protocol::skills::Skill;

/// Skills in order of precedence, and the files that gave none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// No two have the same name.
    pub skills: Vec<Skill>,
    /// What was skipped, and why.
    pub warnings: Vec<Warning>,
    names: HashSet<String>,
    /// Those that files of the project name, by their names.
    of_project: HashSet<String>,
}

/// Something that was skipped, or taken with a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file, directory or address.
    pub source: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.problem)
    }
}

impl Loaded {
    /// Takes a skill, unless one of its name is there: the first wins.
    pub fn add(&mut self, skill: Skill) -> bool {
        let is_new = self.names.insert(skill.name.clone());
        if is_new {
            self.skills.push(skill);
        }
        is_new
    }

    /// Notes what was skipped.
    pub(crate) fn warn(&mut self, source: &Path, problem: impl fmt::Display) {
        let warning = Warning {
            source: source.display().to_string(),
            problem: problem.to_string(),
        };
        tracing::warn!(source = %warning.source, problem = %warning.problem, "skill skipped");
        self.warnings.push(warning);
    }

    /// Everything that is here is the project's.
    pub(crate) fn mark_as_project(&mut self) {
        self.of_project.clone_from(&self.names);
    }

    /// Whether a skill comes from files of the project, which an agent may have written.
    pub fn is_of_project(&self, name: &str) -> bool {
        self.of_project.contains(name)
    }

    /// Leaves out the MCP servers that files of the project name.
    pub(crate) fn drop_servers_of_project(&mut self) {
        for skill in &mut self.skills {
            if self.of_project.contains(&skill.name) {
                skill.mcp_tools = None;
            }
        }
    }

    /// Takes everything of `other` that is new, after what is here.
    pub fn append(&mut self, other: Self) {
        for skill in other.skills {
            let name = skill.name.clone();
            if self.add(skill) && other.of_project.contains(&name) {
                self.of_project.insert(name);
            }
        }
        self.warnings.extend(other.warnings);
    }
}
