//! One recorded request and its answer.

use openhands_protocol::Form;
use openhands_protocol::server::ErrorBody;
use serde_json::Value;

use crate::Tally;
use crate::compare::exact;
use crate::routes::{Answer, NOT_JSON, Route, find};

/// A request and its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) place: String,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) request: &'a Value,
    pub(crate) status: u64,
    pub(crate) response: &'a Value,
    /// Whether the recorder kept only a part of the answer.
    pub(crate) shortened: bool,
}

const NO_BODY: &str = "no body";
const PLACEHOLDER: &str = "recorded as a placeholder";
const REFUSED: &str = "a malformed request that the server refuses";
/// Requests that show that unknown members are ignored.
const UNKNOWN_MEMBERS: [&str; 2] = ["30_rest_edges.json log[32]", "bash-execute.json[15]"];
/// Requests with a number as text: the reference takes it for the number, we refuse it.
const NUMBER_AS_TEXT: [&str; 1] = ["bash-execute.json[13]"];
const REDIRECT: &str = "a redirect";

impl Exchange<'_> {
    /// Checks both bodies. `whole` is a conversation with all members.
    pub(crate) fn check(&self, routes: &[Route], whole: &Value, tally: &mut Tally) {
        if self.method == "OPTIONS" {
            return tally.leave_out("a preflight");
        }
        let route = find(routes, self.method, self.path);
        self.check_request(route, tally);
        self.check_response(route, whole, tally);
    }

    fn check_request(&self, route: Option<&Route>, tally: &mut Tally) {
        let check = route.and_then(|route| route.request.as_ref());
        match (check, self.request) {
            (_, Value::Null) => {}
            (Some(check), body) => {
                let refused = self.status >= 400;
                if NUMBER_AS_TEXT.contains(&self.place.as_str()) {
                    tally.leave_out("a number as text");
                } else if UNKNOWN_MEMBERS.contains(&self.place.as_str()) {
                    assert!(check.run(body, &Value::Null).is_err());
                    tally.check(&self.place, &check.with_unknown_members(), body);
                } else if refused && check.run(body, &Value::Null).is_err() {
                    tally.leave_out(REFUSED);
                } else {
                    tally.check(&format!("{} request", self.place), check, body);
                }
            }
            (None, body) if body.as_object().is_some_and(serde_json::Map::is_empty) => {
                tally.leave_out("an empty object where no body is needed");
            }
            (None, _) if self.status >= 400 => tally.leave_out(REFUSED),
            (None, body) => tally
                .failures
                .push(format!("{}: no type for the request {body}", self.place)),
        }
    }

    fn check_response(&self, route: Option<&Route>, whole: &Value, tally: &mut Tally) {
        let place = format!("{} response {}", self.place, self.status);
        match (self.status, self.response) {
            (_, Value::Null) => tally.leave_out(NO_BODY),
            (300..400, _) => tally.leave_out(REDIRECT),
            (400.., Value::String(_)) => tally.leave_out(NOT_JSON),
            (400.., body) => tally.check(&place, &exact::<ErrorBody>(Form::REST), body),
            (_, body) => match route.map(|route| &route.response) {
                Some(Answer::Untyped(reason)) => tally.leave_out(reason),
                Some(Answer::Typed(_)) if body.is_string() => tally.leave_out(PLACEHOLDER),
                Some(Answer::Typed(check)) if self.shortened => {
                    // What the recorder made of a body may no longer be one.
                    if check.part().run(body, whole).is_ok() {
                        tally.check_part(&place, &check.part(), body, whole);
                    } else {
                        tally.digest(&self.place, self.path);
                    }
                }
                Some(Answer::Typed(check)) => tally.check_part(&place, check, body, whole),
                None => tally.failures.push(format!("{place}: no type for {body}")),
            },
        }
    }
}
