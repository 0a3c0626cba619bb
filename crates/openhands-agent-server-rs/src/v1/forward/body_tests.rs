use std::future::{pending, ready};
use std::sync::Arc;
use std::task::Waker;

use axum::body::{Body, Bytes};
use futures_util::stream;

use super::*;

fn poll<B, G, U>(body: &mut Watched<B, G, U>) -> Poll<Option<Result<Bytes, String>>>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
    G: Future<Output = ()>,
    U: Unpin,
{
    let polled = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
    polled.map(|frame| {
        frame.map(|frame| match frame {
            Ok(frame) => Ok(frame.into_data().unwrap()),
            Err(error) => Err(error.to_string()),
        })
    })
}

/// One piece, and then nothing for ever.
fn stuck() -> Body {
    let pieces = [Ok::<_, io::Error>(Bytes::from_static(b"piece"))];
    let (sender, receiver) = tokio::sync::mpsc::channel::<()>(1);
    let never = stream::once(async move {
        let (_sender, mut receiver) = (sender, receiver);
        receiver.recv().await;
        Ok(Bytes::new())
    });
    Body::from_stream(futures_util::StreamExt::chain(stream::iter(pieces), never))
}

#[test]
fn what_has_come_is_passed_on_and_then_the_end_of_the_container_is_told() {
    let mut body = Watched::new(stuck(), ready(()), ());
    assert_eq!(poll(&mut body), Poll::Ready(Some(Ok("piece".into()))));
    assert_eq!(poll(&mut body), Poll::Ready(Some(Err(ENDED.to_owned()))));
}

#[test]
fn the_container_is_in_use_for_as_long_as_somebody_waits() {
    let mark = Arc::new(());
    let mut body = Watched::new(stuck(), pending(), Arc::clone(&mark));
    assert!(poll(&mut body).is_ready());
    assert!(poll(&mut body).is_pending());
    assert_eq!(Arc::strong_count(&mark), 2);
    drop(body);
    assert_eq!(Arc::strong_count(&mark), 1);
}

#[test]
fn a_body_keeps_its_length() {
    let mut body = Watched::new(Body::from("all of it"), pending(), ());
    assert_eq!(body.size_hint().exact(), Some(9));
    assert!(!body.is_end_stream());
    assert_eq!(poll(&mut body), Poll::Ready(Some(Ok("all of it".into()))));
    assert!(body.is_end_stream());
}
