//! Routes and what is said about them, declared together so that neither can be forgotten.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::response::Response;
use openhands_protocol::schema::{Described, SchemaOf};

use crate::app::App;
use crate::http::Access;
use crate::http::arguments::{Argument, Inputs, Place};

/// One method of one path.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The status of a good answer.
    pub status: u16,
    /// Whether it is left out of the documentation.
    pub is_hidden: bool,
    /// Whether it answers `HEAD` too. compat: most routes of the Python server do not.
    pub takes_head: bool,
    /// Whether it is answered where the tools of its conversation run.
    pub is_of_runtime: bool,
    /// Its input.
    pub arguments: Vec<Argument>,
    /// Headers that it looks at, beyond those of all operations.
    pub headers: Vec<&'static str>,
    /// What a good answer looks like, if that was said.
    pub answer: Option<SchemaOf>,
}

impl Operation {
    /// The names of the parameters in the path, in order.
    pub fn parameters(&self) -> Vec<&'static str> {
        self.path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| name.trim_start_matches('*'))
            .collect()
    }

    /// The path with numbered parameters: the router wants one name in one place, the documentation wants its own.
    pub(crate) fn pattern(&self) -> String {
        let mut number = 0;
        let parts = self.path.split('/').map(|part| {
            if !part.starts_with('{') {
                return part.to_owned();
            }
            number += 1;
            let star = if part.starts_with("{*") { "*" } else { "" };
            format!("{{{star}p{number}}}")
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// A handler, whatever its arguments are.
pub(super) struct Endpoint(Box<dyn Fn(Request, Arc<App>) -> Answering + Send + Sync>);

/// A handler at work.
pub(super) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

impl Endpoint {
    fn new<H, T>(handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        Self(Box::new(move |request, app| {
            Box::pin(handler.clone().call(request, app))
        }))
    }

    /// Has the handler answer a request.
    pub(super) fn answer(&self, request: Request, app: Arc<App>) -> Answering {
        (self.0)(request, app)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Endpoint")
    }
}

/// Routes, each with its documentation.
#[derive(Debug, Default)]
pub(crate) struct Routes(Vec<(Operation, Endpoint)>);

impl Routes {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// `GET`.
    pub(crate) fn get<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        self.add(Method::GET, path, handler)
    }

    /// `POST`.
    pub(crate) fn post<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        self.add(Method::POST, path, handler)
    }

    /// `PUT`.
    pub(crate) fn put<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        self.add(Method::PUT, path, handler)
    }

    /// `PATCH`.
    pub(crate) fn patch<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        self.add(Method::PATCH, path, handler)
    }

    /// `DELETE`.
    pub(crate) fn delete<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        self.add(Method::DELETE, path, handler)
    }

    fn add<H, T>(mut self, method: Method, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Inputs + 'static,
    {
        let operation = Operation {
            access: Access::of_path(path),
            method,
            path,
            summary: "",
            status: 200,
            is_hidden: false,
            takes_head: false,
            is_of_runtime: false,
            arguments: T::arguments(),
            headers: Vec::new(),
            answer: None,
        };
        self.0.push((operation, Endpoint::new(handler)));
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Operation)) -> Self {
        if let Some((operation, _)) = self.0.last_mut() {
            change(operation);
        }
        self
    }

    /// What the last route does.
    pub(crate) fn says(self, summary: &'static str) -> Self {
        self.last(|operation| operation.summary = summary)
    }

    /// What the last route answers when all is well.
    pub(crate) fn answers<T: Described>(self, status: u16) -> Self {
        self.last(|operation| {
            operation.status = status;
            operation.answer = Some(T::schema);
        })
    }

    /// The last route answers with a status and no body.
    pub(crate) fn answers_nothing(self, status: u16) -> Self {
        self.last(|operation| operation.status = status)
    }

    /// The last route looks at this header.
    pub(crate) fn takes_header(self, name: &'static str) -> Self {
        self.last(|operation| operation.headers.push(name))
    }

    /// The last route takes a form with a file, which its handler reads by itself.
    pub(crate) fn takes_file(self) -> Self {
        self.last(|operation| {
            operation.arguments.push(Argument {
                place: Place::Form,
                schema: String::schema,
            });
        })
    }

    /// The last route takes a JSON body, which its handler reads by itself.
    pub(crate) fn takes_body<T: Described>(self) -> Self {
        self.last(|operation| {
            operation.arguments.push(Argument {
                place: Place::Body,
                schema: T::schema,
            });
        })
    }

    /// Who may call the last route, if its path does not say it.
    pub(crate) fn access(self, access: Access) -> Self {
        self.last(|operation| operation.access = access)
    }

    /// The last route needs no key.
    pub(crate) fn open(self) -> Self {
        self.access(Access::Open)
    }

    /// The last route is served and not documented.
    pub(crate) fn hidden(self) -> Self {
        self.last(|operation| operation.is_hidden = true)
    }

    /// The last route answers `HEAD` as it answers `GET`, without the body.
    pub(crate) fn takes_head(self) -> Self {
        self.last(|operation| operation.takes_head = true)
    }

    /// All of these routes are served and not documented.
    pub(crate) fn all_hidden(mut self) -> Self {
        for (operation, _) in &mut self.0 {
            operation.is_hidden = true;
        }
        self
    }

    /// All of these routes are answered where the tools of their conversation run.
    pub(crate) fn all_of_runtime(mut self) -> Self {
        for (operation, _) in &mut self.0 {
            operation.is_of_runtime = true;
        }
        self
    }

    /// These and others.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// What is served.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.0.iter().map(|(operation, _)| operation)
    }

    /// What is served, with what serves it.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (Operation, Endpoint)> {
        self.0.into_iter()
    }
}
