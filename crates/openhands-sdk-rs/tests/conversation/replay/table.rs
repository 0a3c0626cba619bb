//! What a recording does not say by itself: scripts that were cut out of it, and where ours differs on purpose.

/// What there is to know about a recording.
#[derive(Debug)]
pub(crate) struct Part {
    /// The messages that stand for `<text>`.
    pub(crate) said: &'static str,
    /// The answers, one per request, to requests without a script in their messages.
    pub(crate) unscripted: &'static str,
    /// The answer to requests that offer no tools: of the judge of a goal, of the condenser.
    pub(crate) aside: Option<&'static str>,
    /// Which calls of the model take long: they are answered when the recording goes on to their answer.
    pub(crate) held: &'static [usize],
    /// Where ours differs.
    pub(crate) differences: &'static [Difference],
    /// Requests that are left out.
    pub(crate) left_out: &'static [Difference],
    /// How often models were asked by somebody who is not part of the SDK.
    pub(crate) asked_elsewhere: usize,
    /// Messages that a socket brought, each after so many full states.
    pub(crate) by_socket: &'static [(usize, &'static str)],
}

/// Where ours differs from a recording, and why.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Member of a frame, or a request.
    pub(crate) at: &'static str,
    #[allow(dead_code)] // for the reader
    pub(crate) why: &'static str,
}

pub(crate) const NONE: Part = Part {
    said: "",
    unscripted: "[]",
    aside: None,
    held: &[],
    differences: &[],
    left_out: &[],
    asked_elsewhere: 0,
    by_socket: &[],
};

const ECHO_AND_OK: &str = r#"MOCK:[
    {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 4", "security_risk": "LOW"}}]},
    "ok"]"#;

/// The part of a recording, by its number.
pub(crate) fn part(number: &str) -> &'static Part {
    match number {
        "04" => &TOOL_ERRORS,
        "07" => &MAX_ITERATIONS,
        "21" | "24" => &FIRST_ANSWER_TAKES_LONG,
        "22" => &FIRST_TWO_ANSWERS_TAKE_LONG,
        "27" => &BY_SOCKET,
        "32" => &MORE_EDGES,
        "34" => &CONTEXT_ERROR,
        "40" => &CONDENSE_MANUAL,
        "41" => &CONDENSE_AUTO,
        "43" => &GOAL,
        "45" => &AUTOTITLE,
        "49" => &HOOKS,
        "60" => &CRASH,
        _ => &PLAIN,
    }
}

static PLAIN: Part = NONE;

static TOOL_ERRORS: Part = Part {
    said: r#"MOCK:[
        {"tools": [{"name": "nosuch", "args": {"x": 1}}]},
        {"tools": [{"name": "terminal", "args": "{not json"}]},
        {"tools": [{"name": "terminal", "args": {"cmd": "x"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "false", "security_risk": "LOW"}}]},
        {"tools": [{"name": "file_editor", "args": {"command": "view", "path": "/nonexistent", "security_risk": "LOW"}}]},
        {"tools": [{"name": "finish", "args": {"message": "all done"}}]}]"#,
    differences: &[Difference {
        at: "ObservationEvent.observation.full_output_save_dir",
        why: "the recorded tool forgets where its output would be kept when there is none; ours always says it",
    }],
    ..NONE
};

static MAX_ITERATIONS: Part = Part {
    said: ECHO_AND_OK,
    ..NONE
};

static FIRST_ANSWER_TAKES_LONG: Part = Part { held: &[1], ..NONE };

static FIRST_TWO_ANSWERS_TAKE_LONG: Part = Part {
    held: &[1, 2],
    ..NONE
};

static BY_SOCKET: Part = Part {
    by_socket: &[(1, "MOCK:[\"via ws\"]"), (2, "MOCK:[\"string content\"]")],
    ..NONE
};

static MORE_EDGES: Part = Part {
    // The first answer is that of the second conversation, which finishes; the second is cut off.
    held: &[2],
    ..NONE
};

static CONTEXT_ERROR: Part = Part {
    unscripted: r#"[
        {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
        {"status": 400, "error": {"message": "maximum context length is 100 tokens", "code": "context_length_exceeded"}},
        "ok after condensation"]"#,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static CONDENSE_MANUAL: Part = Part {
    said: ECHO_AND_OK,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static CONDENSE_AUTO: Part = Part {
    unscripted: r#"[
        {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 4", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 5", "security_risk": "LOW"}}]},
        "ok"]"#,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static GOAL: Part = Part {
    aside: Some(r#"{"score": 0.2, "complete": false, "missing": "x"}"#),
    held: &[1],
    left_out: &[Difference {
        at: "POST run",
        why: "it fell into the moment before the goal's own run began; what comes of that is chance",
    }],
    ..NONE
};

static AUTOTITLE: Part = Part {
    // The title is made by the server, beside the conversation.
    asked_elsewhere: 1,
    ..NONE
};

static HOOKS: Part = Part {
    differences: &[Difference {
        at: "HookExecutionEvent.parent_id",
        why: "the recorded socket sent the event before its parent was noted, the log has it; ours sends what the log has",
    }],
    ..NONE
};

static CRASH: Part = Part {
    held: &[2],
    differences: &[Difference {
        at: "S(error).parent_id",
        why: "the recorded server took up an older head; ours is the last event of the log, as if it had gone on",
    }],
    ..NONE
};
