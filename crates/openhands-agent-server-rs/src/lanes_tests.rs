use super::*;

/// Lanes on one runtime: who is where is told by their numbers of users.
fn lanes(count: usize) -> Lanes {
    Lanes {
        lanes: (0..count).map(|_| Lane::new(Handle::current())).collect(),
        started: Vec::new(),
    }
}

fn users(lanes: &Lanes) -> Vec<usize> {
    let users = lanes.lanes.iter().map(|lane| &lane.users);
    users.map(|users| users.load(Ordering::Relaxed)).collect()
}

#[tokio::test]
async fn those_who_come_together_stay_together_and_crowds_are_spread() {
    let lanes = lanes(2);
    let mut inside: Vec<_> = (0..TOGETHER).filter_map(|_| lanes.enter()).collect();
    assert_eq!(users(&lanes), [TOGETHER, 0]);
    inside.extend((0..TOGETHER).filter_map(|_| lanes.enter()));
    assert_eq!(users(&lanes), [TOGETHER, TOGETHER]);
    inside.extend((0..98 * TOGETHER).filter_map(|_| lanes.enter()));
    assert_eq!(users(&lanes), [50 * TOGETHER, 50 * TOGETHER]);
}

#[tokio::test]
async fn who_leaves_makes_room() {
    let lanes = lanes(2);
    let first: Vec<_> = (0..TOGETHER).filter_map(|_| lanes.enter()).collect();
    let _second: Vec<_> = (0..TOGETHER).filter_map(|_| lanes.enter()).collect();
    drop(first);
    assert_eq!(users(&lanes), [0, TOGETHER]);
    let _third = lanes.enter();
    assert_eq!(users(&lanes), [1, TOGETHER]);
}

#[test]
fn work_is_done_on_the_thread_of_its_lane_and_does_not_outlive_the_lanes() {
    let (told, heard) = std::sync::mpsc::channel::<()>();
    let main = runtime().unwrap();
    let ids = main.block_on(async {
        let lanes = Lanes::start().unwrap();
        let mut ids = Vec::new();
        for lane in &lanes.lanes {
            let id = lane.handle.spawn(async { std::thread::current().id() });
            ids.push(id.await.unwrap());
        }
        if let Some(other) = lanes.lanes.get(1) {
            other.handle.spawn(async move {
                let _told = told;
                std::future::pending::<()>().await;
            });
        }
        ids
    });
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    // The task that never ends was given up with its lane.
    let given_up = heard.recv_timeout(std::time::Duration::from_secs(20));
    assert_eq!(
        given_up,
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    );
}
