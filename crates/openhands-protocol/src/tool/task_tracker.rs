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
    /// How far a task is.
    pub enum TaskStatus {
        Todo = "todo",
        InProgress = "in_progress",
        Done = "done",
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
