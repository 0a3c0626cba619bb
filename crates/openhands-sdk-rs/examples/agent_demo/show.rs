//! What happens in a conversation, as a person reads it.

use openhands_sdk_rs::conversation::DeltaKind;
use openhands_sdk_rs::protocol::conversation::{ConversationStats, ExecutionStatus};
use openhands_sdk_rs::protocol::event::{
    ActionEvent, ConversationErrorEvent, FailureKind, ObservationEvent, Source,
};
use openhands_sdk_rs::protocol::message::{Content, TextContent};
use openhands_sdk_rs::protocol::tool::{Action, Observation};
use openhands_sdk_rs::protocol::{EventId, ResponseId};
use openhands_sdk_rs::{Event, Live, RunEnd, Update};

use crate::screen::{Screen, Style, printable};

/// Lines that are shown of a file or of output; more are counted only.
const MAX_LINES: usize = 24;
/// Characters that are shown of arguments that have no form of their own.
const MAX_CHARS: usize = 160;

/// Writes down what happens.
#[derive(Debug)]
pub(crate) struct Show {
    pub(crate) screen: Screen,
    /// The answer that is being written, and how far.
    stream: Option<(EventId, String)>,
    steps: usize,
    last_response: Option<ResponseId>,
    has_answered: bool,
    error: Option<ConversationErrorEvent>,
}

impl Show {
    pub(crate) fn new(screen: Screen) -> Self {
        Self {
            screen,
            stream: None,
            steps: 0,
            last_response: None,
            has_answered: false,
            error: None,
        }
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.screen.line(Style::Dim, text);
    }

    pub(crate) fn heading(&mut self, name: &str, text: &str) {
        self.screen.end_line();
        self.screen.line(Style::Plain, "\n");
        self.screen.print(Style::Bold, &format!("{name}: "));
        self.screen.print(Style::Plain, text);
        self.screen.end_line();
    }

    pub(crate) fn fail(&mut self, text: &str) {
        self.screen.status("");
        self.screen.line(Style::Bad, text);
    }

    /// Whether nothing happens any more in this status.
    pub(crate) fn is_over(&self, status: ExecutionStatus) -> bool {
        !matches!(status, ExecutionStatus::Running | ExecutionStatus::Idle) || self.error.is_some()
    }

    /// Shows what happened.
    pub(crate) fn update(&mut self, update: &Update) {
        match update {
            Update::Event(stored) => self.event(stored.event()),
            Update::Live(live) => self.live(live),
        }
    }

    fn live(&mut self, live: &Live) {
        match live {
            Live::Started { attempt: 1, .. } => self.screen.status("the model thinks"),
            Live::Started { attempt, .. } => {
                self.screen
                    .status(&format!("the model is asked again, attempt {attempt}"));
            }
            Live::Delta {
                item,
                kind,
                content,
                ..
            } => {
                let is_new = self.stream.as_ref().is_none_or(|(known, _)| known != item);
                if is_new {
                    self.screen.line(Style::Plain, "\n");
                    self.stream = Some((item.clone(), String::new()));
                }
                match kind {
                    DeltaKind::Text => {
                        self.screen.print(Style::Bold, content);
                        if let Some((_, text)) = &mut self.stream {
                            text.push_str(content);
                        }
                    }
                    DeltaKind::Reasoning => self.screen.print(Style::Dim, content),
                }
            }
            Live::Aborted { .. } => {
                if self.stream.take().is_some() {
                    self.note("(that answer was cut off)");
                }
            }
            Live::Output { chunk, .. } => {
                let text = String::from_utf8_lossy(chunk);
                if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
                    self.screen.status(&format!("it prints: {line}"));
                }
            }
            Live::FullState(_) => {}
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Action(action) => self.action(action),
            Event::Observation(answer) => self.observation(answer),
            Event::Message(message) if message.header.source == Source::Agent => {
                self.said(
                    &message.header.id,
                    &Content::join_text(&message.llm_message.content),
                );
                self.has_answered = true;
                self.steps += 1;
            }
            Event::Message(message) if message.header.source == Source::Environment => {
                let text = Content::join_text(&message.llm_message.content);
                self.lines(Style::Dim, "  ", &text);
            }
            Event::AgentError(error) => self.lines(Style::Bad, "  ", &error.error),
            Event::UserReject(answer) => self.lines(Style::Bad, "  ", &answer.rejection_reason),
            Event::Condensation(_) => self.note("(the history was summed up)"),
            Event::ConversationError(error) => self.error = Some(error.clone()),
            _ => {}
        }
    }

    /// What the model said, as far as it was not shown while it said it.
    fn said(&mut self, id: &EventId, text: &str) {
        let shown = match self.stream.take() {
            Some((item, shown)) if item == *id => shown,
            _ => String::new(),
        };
        match text.strip_prefix(shown.as_str()) {
            Some(rest) if !shown.is_empty() => self.screen.print(Style::Bold, rest),
            _ if text.is_empty() => {}
            _ => {
                self.screen.line(Style::Plain, "\n");
                self.screen.print(Style::Bold, text);
            }
        }
        self.screen.end_line();
    }

    fn action(&mut self, event: &ActionEvent) {
        if self.last_response.as_ref() != Some(&event.llm_response_id) {
            self.last_response = Some(event.llm_response_id.clone());
            self.steps += 1;
            let thought = event
                .thought
                .iter()
                .map(|part: &TextContent| part.text.as_str());
            self.said(&event.header.id, &thought.collect::<String>());
        }
        let name = &event.tool_name;
        match &event.action {
            Some(Action::Finish(_)) => return,
            Some(Action::Terminal(action)) => {
                self.screen.print(Style::Call, "$ ");
                self.lines(Style::Call, "", &action.command);
            }
            Some(Action::FileEditor(action)) => {
                let what = action.command.as_str();
                self.screen.line(
                    Style::Call,
                    &format!("{name}: {what} {}", printable(&action.path)),
                );
                self.lines(
                    Style::Good,
                    "  + ",
                    action.file_text.as_deref().unwrap_or_default(),
                );
                self.lines(
                    Style::Bad,
                    "  - ",
                    action.old_str.as_deref().unwrap_or_default(),
                );
                self.lines(
                    Style::Good,
                    "  + ",
                    action.new_str.as_deref().unwrap_or_default(),
                );
            }
            Some(Action::Think(action)) => self.lines(Style::Dim, "  ", &action.thought),
            Some(_) | None => {
                let arguments: String = printable(&event.tool_call.arguments)
                    .chars()
                    .take(MAX_CHARS)
                    .collect();
                self.screen
                    .line(Style::Call, &format!("{name}: {arguments}"));
            }
        }
        self.screen.status(&format!("{name} works"));
    }

    fn observation(&mut self, event: &ObservationEvent) {
        self.screen.status("the model thinks");
        match &event.observation {
            Observation::Finish(_) | Observation::Think(_) => {}
            Observation::Terminal(answer) => {
                self.lines(Style::Plain, "  ", &event.observation.text());
                match answer.metadata.exit_code {
                    0 => {}
                    -1 => self.screen.line(Style::Dim, "  (it still runs)"),
                    code => self.screen.line(Style::Bad, &format!("  exit code {code}")),
                }
            }
            other if other.is_error() => self.lines(Style::Bad, "  ", &other.text()),
            // The call itself was shown in full.
            Observation::FileEditor(_) => {}
            other => self.lines(Style::Dim, "  ", &other.text()),
        }
    }

    /// Lines with something in front of each. The middle of a long text is only counted.
    fn lines(&mut self, style: Style, before: &str, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let left_out = lines.len().saturating_sub(MAX_LINES);
        for (at, line) in lines.iter().enumerate() {
            if left_out > 0 && at == MAX_LINES / 2 {
                self.screen
                    .line(Style::Dim, &format!("{before}... {left_out} more lines"));
            }
            if left_out == 0 || at < MAX_LINES / 2 || at >= MAX_LINES / 2 + left_out {
                self.screen
                    .print(style, &format!("{before}{}", printable(line)));
                self.screen.end_line();
            }
        }
    }

    /// The agent's answer, if it was not shown yet.
    pub(crate) fn answer(&mut self, text: &str) {
        self.screen.status("");
        if !self.has_answered {
            self.heading("Answer", text.trim());
        }
        self.screen.line(Style::Plain, "\n");
    }

    /// What it took, if anything was done at all.
    pub(crate) fn sum_up(&mut self, stats: &ConversationStats) {
        self.screen.status("");
        if !self.has_begun() {
            return;
        }
        let cost = cost(stats);
        let (seconds, steps) = (self.screen.seconds(), self.steps);
        self.note(&format!(
            "Cost: {cost}. Time: {seconds:.1} s. Steps: {steps}."
        ));
    }

    /// Whether the agent did anything.
    pub(crate) fn has_begun(&self) -> bool {
        self.steps > 0
    }

    /// Why there is no answer.
    pub(crate) fn explain(&mut self, end: RunEnd) {
        let text = match &self.error {
            Some(error) => {
                let kind = error.classification.as_ref().map(|found| &found.kind);
                format!(
                    "It did not work: {} ({}){}",
                    error.detail,
                    error.code,
                    advice(kind)
                )
            }
            None if end == RunEnd::Stuck => "The agent went in circles and was stopped.".to_owned(),
            None => "The agent stopped without an answer.".to_owned(),
        };
        self.fail(&text);
    }
}

/// What to do about a failure.
fn advice(kind: Option<&FailureKind>) -> &'static str {
    match kind {
        Some(FailureKind::Auth) => "\nCheck LLM_API_KEY, or the variable of your provider.",
        Some(FailureKind::Config) => "\nCheck LLM_MODEL and LLM_BASE_URL.",
        Some(FailureKind::Transient) => {
            "\nCheck the network, and LLM_BASE_URL if it is set; then try again."
        }
        Some(FailureKind::RateLimit) => "\nWait a little, then try again.",
        _ => "",
    }
}

/// The money that was spent. A model without a known price did not work for nothing.
fn cost(stats: &ConversationStats) -> String {
    let metrics = || stats.usage_to_metrics.values();
    let calls: usize = metrics().map(|metrics| metrics.token_usages.len()).sum();
    let priced: usize = metrics().map(|metrics| metrics.costs.len()).sum();
    let dollars: f64 = metrics().map(|metrics| metrics.accumulated_cost).sum();
    match priced {
        0 => "unknown".to_owned(),
        priced if priced < calls => format!("at least ${dollars:.4}"),
        _ => format!("${dollars:.4}"),
    }
}
