//! The task tracker tool: the agent's own list of tasks.

use super::observation::observation;
use crate::text::words;
use crate::wire::wire;

words! {
    /// What to do with the list.
    pub enum TaskTrackerCommand {
        View = "view",
        Plan = "plan",
    }
}

words! {
    /// How far a task is. Other common words for the same are understood.
    pub enum TaskStatus from status_word {
        Todo = "todo",
        InProgress = "in_progress",
        Done = "done",
    }
}

/// Models write the status in many ways; case, blanks and dashes do not matter.
fn status_word(word: &str) -> String {
    let word = word.trim().to_lowercase().replace([' ', '-'], "_");
    match word.as_str() {
        "pending" | "to_do" => "todo".to_owned(),
        "completed" | "complete" => "done".to_owned(),
        _ => word,
    }
}

wire! {
    /// One task of the list.
    pub struct TaskItem (default) {
        title: String,
        notes: String = String::new(),
        status: TaskStatus = TaskStatus::Todo,
    }

    /// One call of the task tracker.
    pub struct TaskTrackerAction ["kind" = "TaskTrackerAction"] (default) {
        command: TaskTrackerCommand = TaskTrackerCommand::View,
        task_list: Vec<TaskItem> = Vec::new(),
    }
}

observation! {
    /// What a task tracker call answered.
    pub struct TaskTrackerObservation ["kind" = "TaskTrackerObservation"] {
        command: TaskTrackerCommand,
        task_list: Vec<TaskItem> = Vec::new(),
    }
}

#[cfg(test)]
#[path = "task_tracker_tests.rs"]
mod tests;
