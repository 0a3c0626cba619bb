//! What the arguments of a handler say about its operation.

use std::fmt;
use std::sync::Arc;

use axum::extract::{RawQuery, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, Method, Uri};
use openhands_protocol::schema::{Described, SchemaOf};

use crate::app::App;
use crate::http::{Body, Form, MaybeBody, Parameters, Path, Query};

/// Where input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The path.
    Path,
    /// The query.
    Query,
    /// A JSON body.
    Body,
    /// A JSON body that may be missing.
    OptionalBody,
    /// A form with a file.
    Form,
}

/// Input of an operation.
#[derive(Clone, Copy)]
pub struct Argument {
    /// Where it comes from.
    pub place: Place,
    /// What it looks like.
    pub schema: SchemaOf,
}

impl fmt::Debug for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.place)
    }
}

/// An argument of a handler.
pub(crate) trait Input {
    /// What it says about the operation; nothing if it is no input of the API.
    fn argument() -> Option<Argument>;
}

/// All arguments of a handler, as axum names them.
pub(crate) trait Inputs {
    /// What they say about the operation.
    fn arguments() -> Vec<Argument>;
}

macro_rules! inputs {
    ($($name:ident)*) => {
        impl<M, $($name: Input),*> Inputs for (M, $($name,)*) {
            fn arguments() -> Vec<Argument> {
                [$($name::argument()),*].into_iter().flatten().collect()
            }
        }
    };
}

impl Inputs for ((),) {
    fn arguments() -> Vec<Argument> {
        Vec::new()
    }
}

inputs!(A);
inputs!(A B);
inputs!(A B C);
inputs!(A B C D);
inputs!(A B C D E);
inputs!(A B C D E F);
inputs!(A B C D E F G);

macro_rules! places {
    ($($ty:ident = $place:ident)*) => {
        $(impl<T: Described> Input for $ty<T> {
            fn argument() -> Option<Argument> {
                Some(Argument { place: Place::$place, schema: T::schema })
            }
        })*
    };
}

places! { Path = Path Query = Query Body = Body MaybeBody = OptionalBody }

impl Input for Form {
    fn argument() -> Option<Argument> {
        Some(Argument {
            place: Place::Form,
            schema: String::schema,
        })
    }
}

impl<T: Input, E> Input for Result<T, E> {
    fn argument() -> Option<Argument> {
        T::argument()
    }
}

impl<T: Input> Input for Option<T> {
    fn argument() -> Option<Argument> {
        T::argument()
    }
}

macro_rules! no_input {
    ($($ty:ty),*) => {
        $(impl Input for $ty {
            fn argument() -> Option<Argument> {
                None
            }
        })*
    };
}

no_input!(
    State<Arc<App>>,
    HeaderMap,
    Method,
    Uri,
    Parameters,
    RawQuery,
    Request,
    WebSocketUpgrade
);
