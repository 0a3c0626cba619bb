//! Plays a recording of the core: calls when all that stands before them has been seen, frames as they come.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::compare::short;
use crate::http::Request;
use crate::recording::{self, Call, Entry, What, is_full_state, is_stats, name_of};
use crate::stage::Stage;
use crate::watch::Watch;

/// How long a GET is asked again until it answers what was recorded: the recording came later, too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(8);

/// A recording that is being played.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) stage: Stage,
    pub(crate) watch: Option<Watch>,
    /// The recorded ids of conversations, in order.
    conversations: Vec<String>,
    deleted: Option<String>,
    /// A message was sent whose answer takes long.
    is_slow: bool,
}

/// Plays a recording and compares everything.
pub(crate) async fn replay(name: &str) {
    let mut player = Player::new(name).await;
    for entry in recording::read(name) {
        player.play(entry).await;
    }
    player.end().await;
}

impl Player {
    pub(crate) async fn new(name: &str) -> Self {
        Self {
            stage: Stage::new(name).await,
            watch: None,
            conversations: Vec::new(),
            deleted: None,
            is_slow: false,
        }
    }

    pub(crate) async fn play(&mut self, entry: Entry) {
        let left_out = self.stage.part.left_out;
        if left_out.iter().any(|(number, _)| *number == entry.number) {
            return;
        }
        match entry.what {
            What::Call(call) => self.call(entry.number, &call).await,
            What::Frame(frame) => self.frame(entry.number, frame).await,
            What::Envelope(frame) => self.envelope(entry.number, &frame).await,
            What::Other(line) => self.other(entry.number, &line).await,
        }
        self.stage.note_found();
    }

    pub(crate) async fn end(mut self) {
        self.stop_watching().await;
        self.stage.end();
    }

    /// A call that must be answered as it was.
    pub(crate) async fn call(&mut self, number: usize, call: &Call) {
        if self.stage.part.at_rest.contains(&number) {
            self.rest().await;
        }
        if self.is_slow {
            self.stage.model.holds(1).await;
            self.is_slow = false;
        }
        self.stage.model.let_answer(false);
        let request = self.request(number, call);
        let at = format!(
            "#{number} {} {}",
            call.method,
            call.path.split('?').next().unwrap()
        );
        let began = Instant::now();
        loop {
            let before = self.stage.comparison.clone();
            self.exchange(&at, call, &request).await;
            let is_same = !self.stage.comparison.has_found();
            if is_same || call.method != "GET" || began.elapsed() > PATIENCE {
                break;
            }
            self.stage.comparison = before;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.learn(call);
    }

    async fn exchange(&mut self, at: &str, call: &Call, request: &Request) {
        let answer = self.stage.send(request).await;
        let comparison = &mut self.stage.comparison;
        let body = without_stats(&answer.value());
        if !comparison.is_status(at, &json!(call.status), &answer) {
            return;
        }
        let recorded = match &call.response {
            Value::String(text) if text.is_empty() => Value::Null,
            response => without_stats(response),
        };
        comparison.value(&format!("{at}.body"), &recorded, &body);
        if let Some(cookie) = &call.set_cookie {
            let ours = answer.header("set-cookie").unwrap_or_default();
            comparison.value(&format!("{at}.set-cookie"), &json!(cookie), &json!(ours));
        }
    }

    fn request(&mut self, number: usize, call: &Call) -> Request {
        let path = call.path.split(' ').next().unwrap();
        let path = path
            .replace(
                "{id}",
                self.conversations.first().map_or("", String::as_str),
            )
            .replace("{deleted}", self.deleted.as_deref().unwrap_or_default());
        let mut request = Request::new(&call.method, &self.stage.to_ours(&path));
        for (at, name, value) in self.stage.part.headers {
            if *at == number {
                request = request.header(name, value);
            }
        }
        match &call.request {
            Value::Null => {}
            Value::String(raw) => {
                request = request.header("Content-Type", "application/json");
                request.body = raw.clone().into_bytes();
            }
            body => {
                let mut body = self.stage.value_to_ours(body);
                complete(&mut body, &self.stage.model.authority, self.stage.part.said);
                self.is_slow = body.to_string().contains(r#"\"delay\""#);
                request = request.json(&body);
            }
        }
        request
    }

    /// Notes the conversations that there are.
    fn learn(&mut self, call: &Call) {
        let id = call.response["id"]
            .as_str()
            .or(call.response["conversation_id"].as_str());
        if let (201, Some(id)) = (call.status, id) {
            self.conversations.push(id.to_owned());
        }
        if call.method == "DELETE" && call.status == 200 {
            let id = call.path.rsplit('/').next().unwrap().to_owned();
            self.conversations.retain(|known| *known != id);
            self.deleted = Some(id);
        }
    }

    /// Lets the model answer and waits until no conversation runs.
    pub(crate) async fn rest(&mut self) {
        self.is_slow = false;
        self.stage.model.let_answer(true);
        for recorded in self.conversations.clone() {
            self.at_rest(&recorded).await;
        }
        self.stage.model.let_answer(false);
    }

    /// Waits until a conversation does not run.
    pub(crate) async fn at_rest(&self, recorded: &str) {
        let path = format!("/api/conversations/{}", self.stage.comparison.our(recorded));
        let began = Instant::now();
        while self.stage.get(&path).await["execution_status"] == "running" {
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "{}: {path} still runs",
                self.stage.name
            );
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Waits for what the recording shows next and compares it.
    async fn frame(&mut self, number: usize, recorded: Value) {
        self.open_for(number, &recorded).await;
        self.say(number);
        let Some(watch) = self.watch.as_mut().filter(|watch| !watch.is_lost) else {
            return;
        };
        if is_stats(&recorded) {
            watch.recorded_stats.push(recorded);
            return;
        }
        let name = name_of(&recorded);
        self.stage.model.let_answer(matches!(
            name.as_str(),
            "ActionEvent" | "Message(agent)" | "StreamingDeltaEvent" | "S(error)"
        ));
        let Some(ours) = watch.next_like(&recorded).await else {
            watch.is_lost = true;
            let what = format!("did not come after {:?}", watch.seen);
            self.stage
                .comparison
                .differs(&format!("#{number} {name}"), &what);
            return;
        };
        if name_of(&ours) != name {
            watch.is_lost = true;
            let what = format!(
                "{} came instead, after {:?}: {}",
                name_of(&ours),
                watch.seen,
                short(&ours)
            );
            self.stage
                .comparison
                .differs(&format!("#{number} {name}"), &what);
            return;
        }
        self.stage
            .comparison
            .value(&format!("#{number} {name}"), &recorded, &ours);
    }

    /// Sends the frames that the client sent before this entry.
    fn say(&self, number: usize) {
        for (at, frame) in self.stage.part.frames {
            if *at == number
                && let Some(watch) = &self.watch
            {
                watch.socket.say(&self.stage.to_ours(frame));
            }
        }
    }

    /// Opens a socket if the recording does so for this frame.
    async fn open_for(&mut self, number: usize, recorded: &Value) {
        let opened = self.stage.part.opened.iter();
        let query = opened.clone().find(|(at, _)| *at == number);
        let query = query.map(|(_, query)| self.stage.to_ours(query));
        let event = recording::event_of(recorded);
        let id = event["value"]["id"]
            .as_str()
            .filter(|_| is_full_state(event));
        let is_other = match (&self.watch, id) {
            (None, _) => true,
            (Some(watch), Some(id)) => watch.conversation != id,
            (Some(_), None) => false,
        };
        if query.is_none() && !is_other {
            return;
        }
        self.stop_watching().await;
        let is_session = recorded.get("type").is_some() && event.get("kind").is_none();
        let id = id.or(self.conversations.first().map(String::as_str));
        let path = match id {
            None => "/sockets/bash-events".to_owned(),
            Some(id) => {
                self.as_recorded(id, event).await;
                let ours = self.stage.comparison.our(id);
                let kind = if is_session { "session" } else { "events" };
                format!("/sockets/{kind}/{ours}?{}", query.unwrap_or_default())
            }
        };
        let watch = Watch::open(&self.stage, id.unwrap_or_default(), &path).await;
        self.watch = Some(watch);
    }

    /// Waits until a conversation has the status that somebody who begins to watch was told.
    async fn as_recorded(&self, id: &str, event: &Value) {
        match event["value"]["execution_status"].as_str() {
            Some(status) => self.wait_for_status(id, status).await,
            None => self.at_rest(id).await,
        }
    }

    /// Waits for a status, but not for ever: what comes instead is compared.
    pub(crate) async fn wait_for_status(&self, recorded: &str, status: &str) {
        let path = format!("/api/conversations/{}", self.stage.comparison.our(recorded));
        let began = Instant::now();
        while self.stage.get(&path).await["execution_status"] != status
            && began.elapsed() < Duration::from_secs(20)
        {
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Nothing may follow that was not recorded, and models were asked as often.
    pub(crate) async fn stop_watching(&mut self) {
        let Some(mut watch) = self.watch.take() else {
            return;
        };
        if self.conversations.contains(&watch.conversation) {
            self.at_rest(&watch.conversation).await;
        }
        watch.compare_rest(&mut self.stage.comparison).await;
        self.stage.note_found();
    }

    async fn other(&mut self, number: usize, line: &Value) {
        match line["dir"].as_str().unwrap() {
            "ws" | "ws-auth" => crate::doors::try_socket(&mut self.stage, number, line).await,
            "cors" => crate::doors::try_origin(&mut self.stage, number, line).await,
            _ => {}
        }
    }

    /// Waits for the next envelope and compares it. Numbers follow each other; where the events about use stand is free.
    async fn envelope(&mut self, number: usize, recorded: &Value) {
        self.open_for(number, recorded).await;
        self.say(number);
        let Some(watch) = self.watch.as_mut().filter(|watch| !watch.is_lost) else {
            return;
        };
        let event = recording::event_of(recorded);
        if is_stats(event) {
            watch.recorded_stats.push(event.clone());
            return;
        }
        let name = name_of(event);
        self.stage
            .model
            .let_pieces(match recorded["type"].as_str() {
                Some("item_started") => 1,
                Some("delta") => usize::try_from(recorded["order"].as_u64().unwrap()).unwrap() + 1,
                Some("durable") if name == "Message(agent)" => usize::MAX,
                _ => 0,
            });
        let at = format!("#{number} {name}");
        let Some(mut ours) = watch.next_envelope(&mut self.stage.comparison, &at).await else {
            watch.is_lost = true;
            let what = format!("did not come after {:?}", watch.seen);
            self.stage.comparison.differs(&at, &what);
            return;
        };
        let mut recorded = recorded.clone();
        for free in ["seq", "anchor_seq"] {
            for frame in [&mut recorded, &mut ours] {
                if frame.get(free).is_some_and(Value::is_number) {
                    frame[free] = json!("<number>");
                }
            }
        }
        self.stage.comparison.value(&at, &recorded, &ours);
    }
}

/// What the recorder shortened without a mark is as in the first recording.
fn complete(body: &mut Value, model: &str, said: &str) {
    match body {
        Value::Object(members) => {
            if members.get("model") == Some(&json!("openai/mock"))
                && !members.contains_key("base_url")
            {
                members.insert("base_url".to_owned(), json!(format!("http://{model}/v1")));
                members.insert("api_key".to_owned(), json!("sk-x"));
                members.insert("usage_id".to_owned(), json!("agent"));
                members.insert("num_retries".to_owned(), json!(0));
            }
            for value in members.values_mut() {
                complete(value, model, said);
            }
        }
        Value::Array(items) => {
            for item in items {
                complete(item, model, said);
            }
        }
        Value::String(text) if text == "<text>" => said.clone_into(text),
        _ => {}
    }
}

/// A page of events without those about use, whose place is free, and without the recorder's note.
fn without_stats(body: &Value) -> Value {
    let mut body = body.clone();
    if body["note"] == "shortened" {
        body.as_object_mut().unwrap().remove("note");
    }
    if let Some(items) = body.get_mut("items").and_then(Value::as_array_mut) {
        items.retain(|item| !is_stats(item));
    }
    body
}
