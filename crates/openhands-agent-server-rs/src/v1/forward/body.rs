//! The body of an answer from a container: while it comes, the container is in use, and when the container ends, so does the body.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use hyper::body::{Frame, SizeHint};
use tower::BoxError;

/// What is told to who still waits for the rest.
pub(super) const ENDED: &str = "The sandbox of the conversation ended";

/// A body that is given up when `gone` resolves, and that keeps a mark until it was sent or nobody wants it any more.
pub(super) struct Watched<B, G, U> {
    body: B,
    gone: Pin<Box<G>>,
    _use: U,
}

impl<B, G, U> Watched<B, G, U> {
    pub(super) fn new(body: B, gone: G, in_use: U) -> Self {
        Self {
            body,
            gone: Box::pin(gone),
            _use: in_use,
        }
    }
}

impl<B, G, U> HttpBody for Watched<B, G, U>
where
    B: HttpBody + Unpin,
    B::Error: Into<BoxError>,
    G: Future<Output = ()>,
    U: Unpin,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        // What has come is passed on first.
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let gone = self.gone.as_mut().poll(cx);
        gone.map(|()| Some(Err(io::Error::other(ENDED).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
