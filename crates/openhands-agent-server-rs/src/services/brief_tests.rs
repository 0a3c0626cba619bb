use std::sync::mpsc;
use std::thread::{self, ThreadId};

use super::*;

async fn worked(watch: &Arc<Watch>) -> ThreadId {
    watch.work(|| thread::current().id()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_is_done_where_it_is_asked_for() {
    let watch = Arc::<Watch>::default();
    let here = thread::current().id();
    assert_eq!(worked(&watch).await, here);
    assert!(watch.state.lock().at_work.is_empty());
}

#[tokio::test]
async fn a_runtime_with_one_thread_asks_another() {
    let watch = Arc::<Watch>::default();
    assert_ne!(worked(&watch).await, thread::current().id());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_thread_of_a_runtime_never_works() {
    let watch = Arc::<Watch>::default();
    let here = thread::current().id();
    let shift = watch.enter().unwrap();
    assert_ne!(worked(&watch).await, here);
    drop(shift);
    assert_eq!(worked(&watch).await, here);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_work_holds_up_no_other_task() {
    let watch = Arc::<Watch>::default();
    let (listener, address) = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    };
    let (sender, receiver) = mpsc::channel();
    tokio::spawn(async move {
        // Needs someone who sees what comes in.
        listener.accept().await.unwrap();
        sender.send("another task ran").unwrap();
    });
    let slow = tokio::spawn(async move {
        let work = move || {
            let connection = std::net::TcpStream::connect(address);
            (connection.is_ok(), receiver.recv())
        };
        watch.work(work).await.unwrap()
    });
    assert_eq!(slow.await.unwrap(), (true, Ok("another task ran")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_slow_work_others_work_until_they_were_quick_for_long() {
    let watch = Arc::<Watch>::default();
    let here = thread::current().id();
    watch.state.lock().learn(SLOW);
    for _ in 0..QUICK_IN_A_ROW {
        assert!(watch.enter().is_none());
        watch.state.lock().learn(Duration::ZERO);
    }
    assert_eq!(worked(&watch).await, here);
}
