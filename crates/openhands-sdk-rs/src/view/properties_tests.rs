//! Properties that hold for any order of events, any condensation and any loss.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::events_for_tests::*;
use super::*;

/// What happens next. Numbers choose among what is there.
#[derive(Debug, Clone)]
enum Step {
    User,
    Agent,
    Respond {
        calls: usize,
        thinks: bool,
    },
    /// Another call of an old response, of which something is still remembered.
    Join(usize),
    /// A call with an id that was used before.
    Reuse(usize),
    Answer(usize),
    AnswerAll,
    Fail(usize),
    /// A result of a call that no one made.
    Stray,
    /// Forgets any events.
    Lose {
        seed: u64,
        offset: i64,
        sums_up: bool,
    },
    /// Forgets what lies between two cut points, as a condenser does.
    Condense(usize, usize),
    Request,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => Just(Step::User),
        2 => Just(Step::Agent),
        6 => (1..4_usize, any::<bool>()).prop_map(|(calls, thinks)| Step::Respond { calls, thinks }),
        1 => any::<usize>().prop_map(Step::Join),
        1 => any::<usize>().prop_map(Step::Reuse),
        4 => any::<usize>().prop_map(Step::Answer),
        6 => Just(Step::AnswerAll),
        2 => any::<usize>().prop_map(Step::Fail),
        1 => Just(Step::Stray),
        1 => (any::<u64>(), -1..12_i64, any::<bool>())
            .prop_map(|(seed, offset, sums_up)| Step::Lose { seed, offset, sums_up }),
        2 => any::<(usize, usize)>().prop_map(|(from, to)| Step::Condense(from, to)),
        1 => Just(Step::Request),
    ];
    proptest::collection::vec(step, 1..40)
}

/// An action that was made: its id, call and response.
#[derive(Clone)]
struct Made {
    id: String,
    call: String,
    response: String,
}

/// Events as the steps tell them, fed to a view as they come.
#[derive(Default)]
struct Play {
    events: Vec<Event>,
    view: View,
    made: Vec<Made>,
}

impl Play {
    fn of(steps: &[Step]) -> Self {
        let mut play = Self::default();
        play.add(system("s"));
        for step in steps {
            play.step(step);
        }
        play
    }

    fn add(&mut self, event: Event) {
        self.view.push(&event);
        self.events.push(event);
    }

    fn fresh(&self, kind: &str) -> String {
        format!("{kind}{}", self.events.len())
    }

    fn act(&mut self, call: String, response: String, thinks: bool) {
        let id = self.fresh("a");
        self.add(action(&id, &call, &response, thinks));
        self.made.push(Made { id, call, response });
    }

    fn step(&mut self, step: &Step) {
        let pick = |made: &[Made], choice: usize| made.get(choice % made.len().max(1)).cloned();
        match step {
            Step::User => self.add(user(&self.fresh("u"), "go")),
            Step::Agent => self.add(agent(&self.fresh("m"), "yes")),
            Step::Respond { calls, thinks } => {
                let response = self.fresh("r");
                for call in 0..*calls {
                    let name = self.fresh("c");
                    self.act(name, response.clone(), *thinks && call == 0);
                }
            }
            Step::Join(choice) => {
                let known = |made: &&Made| self.view.pairing.knows(&made.response);
                let known: Vec<_> = self.made.iter().filter(known).cloned().collect();
                if let Some(old) = pick(&known, *choice) {
                    let call = self.fresh("c");
                    self.act(call, old.response, false);
                }
            }
            Step::Reuse(choice) => {
                if let Some(old) = pick(&self.made, *choice) {
                    let response = self.fresh("r");
                    self.act(old.call, response, false);
                }
            }
            Step::Answer(choice) => {
                if let Some(old) = pick(&self.made, *choice) {
                    self.add(observation(&self.fresh("o"), &old.call, &old.id, "ok"));
                }
            }
            Step::AnswerAll => {
                for old in self.made.clone() {
                    if self.view.pairing.is_open(&old.call) {
                        self.add(observation(&self.fresh("o"), &old.call, &old.id, "ok"));
                    }
                }
            }
            Step::Fail(choice) => {
                if let Some(old) = pick(&self.made, *choice) {
                    self.add(error(&self.fresh("e"), &old.call, "broke"));
                }
            }
            Step::Stray => self.add(observation(&self.fresh("o"), "nowhere", "none", "ok")),
            Step::Lose {
                seed,
                offset,
                sums_up,
            } => self.lose(*seed, *offset, *sums_up),
            Step::Condense(from, to) => self.condense(*from, *to),
            Step::Request => self.add(request(&self.fresh("q"))),
        }
    }

    fn lose(&mut self, seed: u64, offset: i64, sums_up: bool) {
        let ids = self.events.iter().filter_map(Event::id);
        let lost: Vec<EventId> = ids
            .enumerate()
            .filter(|(at, _)| (seed >> (at % 64)) & 1 == 1)
            .map(|(_, id)| id)
            .collect();
        let lost: Vec<_> = lost.iter().map(EventId::as_str).collect();
        let id = self.fresh("k");
        self.add(condensation(&id, &lost, sums_up.then_some("sum"), offset));
    }

    fn condense(&mut self, from: usize, to: usize) {
        let cuts = self.view.cut_points();
        let cuts = cuts.as_slice();
        let (one, two) = (cuts[from % cuts.len()], cuts[to % cuts.len()]);
        let (start, end) = (one.min(two), one.max(two));
        let before: Vec<EventId> = self.view.ids().cloned().collect();
        let lost: Vec<_> = before[start..end].iter().map(EventId::as_str).collect();
        let id = self.fresh("k");
        let offset = i64::try_from(start).unwrap();
        self.add(condensation(&id, &lost, Some("sum"), offset));
        // A cut at cut points takes away what was between them and nothing else.
        let mut wanted = before.clone();
        wanted.splice(start..end, [EventId::new(format!("{id}-summary"))]);
        assert_eq!(self.view.ids().cloned().collect::<Vec<_>>(), wanted);
    }

    /// The action that each result answers, found in the plain way: the first result of a call counts.
    fn answers(&self) -> HashMap<EventId, EventId> {
        let mut open: Vec<(&ToolCallId, EventId)> = Vec::new();
        let mut answers = HashMap::new();
        for event in &self.events {
            let id = event.id().unwrap();
            let (call, named) = match event {
                Event::Action(action) => {
                    open.push((&action.tool_call_id, id));
                    continue;
                }
                Event::Observation(result) => (&result.tool_call_id, Some(&result.action_id)),
                Event::AgentError(result) => (&result.tool_call_id, None),
                Event::Condensation(condensation) => {
                    open.retain(|(_, id)| !condensation.forgotten_event_ids.contains(id));
                    continue;
                }
                _ => continue,
            };
            let of_call = |(_, entry): &(usize, &(&ToolCallId, EventId))| entry.0 == call;
            let found = open
                .iter()
                .enumerate()
                .find(|entry| of_call(entry) && Some(&entry.1.1) == named)
                .or_else(|| open.iter().enumerate().find(of_call))
                .map(|(at, _)| at);
            if let Some(at) = found {
                answers.insert(id, open.remove(at).1);
            }
        }
        answers
    }
}

/// The ids of each tool loop that begins with thinking, in order.
fn tool_loops(play: &Play, answers: &HashMap<EventId, EventId>) -> Vec<Vec<EventId>> {
    let mut loops: Vec<Vec<EventId>> = Vec::new();
    let mut goes_on = false;
    for event in &play.events {
        let id = event.id().unwrap();
        match event {
            Event::Action(action) if !action.thinking_blocks.is_empty() => {
                loops.push(vec![id]);
                goes_on = true;
            }
            Event::Action(_) if goes_on => loops.last_mut().unwrap().push(id),
            Event::Observation(_) | Event::AgentError(_) => {
                if goes_on && answers.contains_key(&id) {
                    loops.last_mut().unwrap().push(id);
                }
            }
            Event::Action(_) | Event::CondensationRequest(_) => {}
            _ => goes_on = false,
        }
    }
    loops
}

fn responses(play: &Play) -> HashMap<EventId, ResponseId> {
    let actions = play.events.iter().filter_map(|event| match event {
        Event::Action(action) => Some((action.header.id.clone(), action.llm_response_id.clone())),
        _ => None,
    });
    actions.collect()
}

use openhands_protocol::ResponseId;

fn check_invariants(play: &Play) {
    let shown: Vec<EventId> = play.view.ids().cloned().collect();
    let place = |id: &EventId| shown.iter().position(|shown| shown == id);
    let answers = play.answers();
    let responses = responses(play);

    // One result per action, behind it; no action without, no result without.
    let mut answered = HashSet::new();
    for id in &shown {
        if let Some(action) = answers.get(id) {
            assert!(answered.insert(action.clone()), "two results for {action}");
            assert!(
                place(action).unwrap() < place(id).unwrap(),
                "{id} before its action"
            );
        }
    }
    for id in shown.iter().filter(|id| responses.contains_key(*id)) {
        assert!(answered.contains(id), "{id} has no result");
    }
    for event in &play.events {
        let is_result = matches!(event, Event::Observation(_) | Event::AgentError(_));
        let id = event.id().unwrap();
        assert!(!is_result || answers.contains_key(&id) || place(&id).is_none());
    }

    // All actions of a response or none.
    let of_response = |response: &ResponseId| {
        let all = responses.iter().filter(move |(_, of)| *of == response);
        all.map(|(id, _)| id.clone()).collect::<Vec<_>>()
    };
    for id in shown.iter().filter(|id| responses.contains_key(*id)) {
        for other in of_response(&responses[id]) {
            assert!(place(&other).is_some(), "{id} without {other}");
        }
    }

    // A thinking loop is whole, but for steps at its end that wait for results.
    for members in tool_loops(play, &answers) {
        let missing: Vec<_> = members.iter().filter(|id| place(id).is_none()).collect();
        if missing.len() == members.len() {
            continue;
        }
        for id in missing {
            let action = answers.get(id).unwrap_or(id);
            let waits = of_response(&responses[action])
                .iter()
                .any(|action| !answers.values().any(|answered| answered == action));
            assert!(waits, "{id} is missing from its loop {members:?}");
        }
    }
}

/// Every call has its one result right behind the message that makes it, and nothing else is a result.
fn check_history(view: &View) {
    let messages = view.messages();
    let mut rest = messages.iter().peekable();
    let mut last_was_user = false;
    while let Some(message) = rest.next() {
        assert!(message.role != Role::Tool, "a result without a call");
        let is_user = message.role == Role::User;
        assert!(!(is_user && last_was_user), "two user messages in a row");
        last_was_user = is_user;
        let calls = message.tool_calls.iter().flatten();
        let mut calls: Vec<_> = calls.map(|call| call.id.clone()).collect();
        while !calls.is_empty() {
            let result = rest.next().expect("a call without a result");
            let answered = result.tool_call_id.as_ref().expect("not a result");
            let at = calls.iter().position(|call| call == answered);
            calls.remove(at.expect("a result of another call"));
        }
    }
}

fn facts(view: &View) -> (Vec<EventId>, Vec<Message>, Vec<usize>, usize, bool) {
    (
        view.ids().cloned().collect(),
        view.messages()
            .iter()
            .map(|message| (**message).clone())
            .collect(),
        view.cut_points().as_slice().to_vec(),
        view.len(),
        view.is_condensation_requested(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_four_invariants_hold(steps in steps()) {
        check_invariants(&Play::of(&steps));
    }

    #[test]
    fn messages_are_a_history_that_providers_accept(steps in steps()) {
        check_history(&Play::of(&steps).view);
    }

    #[test]
    fn a_view_that_grew_is_the_view_that_is_rebuilt(steps in steps()) {
        let play = Play::of(&steps);
        let rebuilt = View::of(&play.events);
        prop_assert_eq!(facts(&play.view), facts(&rebuilt));
        prop_assert_eq!(play.view.len(), play.view.ids().count());
        let tokens: u64 = play.view.items().map(ViewItem::tokens).sum();
        prop_assert_eq!(play.view.tokens(), tokens);
    }

    #[test]
    fn what_a_view_shows_does_not_depend_on_when_it_is_asked(steps in steps()) {
        let play = Play::of(&steps);
        let mut asked = View::default();
        for event in &play.events {
            asked.push(event);
            asked.messages();
        }
        prop_assert_eq!(facts(&asked), facts(&play.view));
    }
}
