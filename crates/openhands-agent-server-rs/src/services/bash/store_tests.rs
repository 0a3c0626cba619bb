use openhands_protocol::Extra;
use openhands_protocol::bash::{BashEventSortOrder, ExecuteBashRequest};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

struct World {
    directory: TempDir,
    store: Arc<EventStore>,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = EventStore::new(directory.path().join("a/b"));
        Self { directory, store }
    }

    fn events(&self) -> PathBuf {
        self.directory.path().join("a/b")
    }

    /// The same directory, as the next server finds it.
    fn again(self) -> Self {
        let store = EventStore::new(self.events());
        Self { store, ..self }
    }

    async fn command(&self) -> BashCommand {
        let request = ExecuteBashRequest::default();
        let command = BashCommand {
            command: request.command,
            cwd: None,
            timeout: 300,
            id: BashEventId::random(),
            timestamp: self.store.stamp().await.unwrap(),
            extra: Extra::EMPTY,
        };
        self.store.add_command(command.clone()).await.unwrap();
        command
    }

    async fn output(&self, command: &BashCommand, order: i64) -> BashOutput {
        let output = BashOutput {
            id: BashEventId::random(),
            timestamp: self.store.stamp().await.unwrap(),
            command_id: command.id,
            order,
            exit_code: None,
            stdout: Some("ü\n".to_owned()),
            stderr: None,
            extra: Extra::EMPTY,
        };
        self.add(&output).await;
        output
    }

    async fn add(&self, output: &BashOutput) {
        let added = self.store.add_output(output.clone(), Room::default());
        added.await.unwrap().unwrap().done.unwrap();
    }

    async fn search(&self, search: Search) -> Page {
        self.store.search(search).await.unwrap()
    }
}

fn all() -> Search {
    Search {
        limit: 100,
        ..Search::default()
    }
}

#[tokio::test]
async fn events_are_files_with_the_members_that_the_reference_writes() {
    let world = World::new();
    let command = world.command().await;
    let output = world.output(&command, 0).await;
    let text = std::fs::read_to_string(world.events().join(name::of_output(&output))).unwrap();
    assert_eq!(
        text,
        format!(
            "{{\"id\":\"{}\",\"timestamp\":\"{}\",\"command_id\":\"{}\",\"order\":0,\
             \"exit_code\":null,\"stdout\":\"ü\\n\",\"stderr\":null,\"kind\":\"BashOutput\"}}",
            output.id, output.timestamp, command.id
        )
    );
    let mut names: Vec<_> = std::fs::read_dir(world.events())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [name::of_command(&command), name::of_output(&output)]
    );
}

#[tokio::test]
async fn a_search_filters_by_kind_command_time_and_order() {
    let world = World::new();
    let (one, two) = (world.command().await, world.command().await);
    let mut outputs = Vec::new();
    for order in 0..5 {
        outputs.push(world.output(&one, order).await);
        world.output(&two, order).await;
    }
    let world = world.again();
    assert_eq!(world.search(all()).await.items.len(), 12);
    let commands = world
        .search(Search {
            kind: Some("BashCommand"),
            ..all()
        })
        .await;
    assert_eq!(commands.items, [one.clone().into(), two.clone().into()]);
    let events = |range: std::ops::Range<usize>| -> Vec<BashEvent> {
        outputs[range].iter().cloned().map(Into::into).collect()
    };
    let of_one = Search {
        command: Some(one.id),
        ..all()
    };
    assert_eq!(world.search(of_one.clone()).await.items, events(0..5));
    for after in -2..6 {
        let page = world
            .search(Search {
                after_order: Some(after),
                ..of_one.clone()
            })
            .await;
        let from = usize::try_from(after + 1).unwrap_or(0).min(5);
        assert_eq!(page.items, events(from..5), "after {after}");
    }
    // Without a command, commands pass the filter by order.
    let page = world
        .search(Search {
            after_order: Some(3),
            ..all()
        })
        .await;
    assert_eq!(page.items.len(), 4);
    let window = Search {
        from: Some(outputs[1].timestamp.timestamp()),
        before: Some(outputs[3].timestamp.timestamp()),
        ..of_one
    };
    assert_eq!(world.search(window).await.items, events(1..3));
}

#[tokio::test]
async fn pages_follow_each_other_in_both_directions() {
    let world = World::new();
    let command = world.command().await;
    for order in 0..4 {
        world.output(&command, order).await;
    }
    let everything = world.search(all()).await.items;
    for sort in [
        BashEventSortOrder::Timestamp,
        BashEventSortOrder::TimestampDesc,
    ] {
        let mut found = Vec::new();
        let mut page_id = None;
        let mut pages = 0;
        loop {
            let page = world
                .search(Search {
                    sort,
                    page_id,
                    limit: 2,
                    ..Search::default()
                })
                .await;
            assert!(!page.items.is_empty());
            found.extend(page.items);
            pages += 1;
            match page.next {
                Some(next) => page_id = Some(next),
                None => break,
            }
        }
        assert_eq!(pages, 3);
        if sort == BashEventSortOrder::TimestampDesc {
            found.reverse();
        }
        assert_eq!(found, everything);
    }
    let restarted = world
        .search(Search {
            page_id: Some("unknown".to_owned()),
            ..all()
        })
        .await;
    assert_eq!(restarted.items, everything);
}

#[tokio::test]
async fn a_page_holds_no_more_than_fits_memory() {
    let world = World::new();
    let command = world.command().await;
    for order in 0..20 {
        let mut output = world.output(&command, order).await;
        output.id = BashEventId::random();
        output.timestamp = world.store.stamp().await.unwrap();
        output.stdout = Some("x".repeat(1 << 20));
        world.add(&output).await;
    }
    let page = world.search(all()).await;
    assert!((10..41).contains(&page.items.len()), "{}", page.items.len());
    let rest = world
        .search(Search {
            page_id: page.next.clone(),
            ..all()
        })
        .await;
    assert_eq!(page.items.len() + rest.items.len(), 41);
}

#[tokio::test]
async fn events_are_found_by_their_hex_id() {
    let world = World::new();
    let command = world.command().await;
    let output = world.output(&command, 0).await;
    let ids = vec![
        output.id.hex(),
        "../../../etc/passwd".to_owned(),
        command.id.hex(),
        command.id.dashed(),
        String::new(),
    ];
    let found = world.store.events(ids).await.unwrap();
    assert_eq!(
        found,
        [
            Some(output.into()),
            None,
            Some(command.clone().into()),
            None,
            None
        ]
    );
    assert!(world.store.knows(command.id).await.unwrap());
    assert!(!world.store.knows(BashEventId::random()).await.unwrap());
}

#[tokio::test]
async fn what_is_no_event_is_left_out() {
    let world = World::new();
    let command = world.command().await;
    let events = world.events();
    std::fs::write(events.join("20250101000000000000_BashCommand_0"), "{").unwrap();
    std::fs::write(
        events.join("20250101000000000001_Other_1"),
        r#"{"kind":"Other"}"#,
    )
    .unwrap();
    std::fs::write(events.join(".20990101000000000000_BashCommand_2"), "{}").unwrap();
    std::fs::create_dir(events.join("folder")).unwrap();
    let world = world.again();
    let gone = world.command().await;
    std::fs::remove_file(events.join(name::of_command(&gone))).unwrap();
    assert_eq!(world.search(all()).await.items, [command.into()]);
}

#[tokio::test]
async fn times_never_repeat_nor_go_back() {
    let world = World::new();
    let mut last = world.store.stamp().await.unwrap();
    for _ in 0..1000 {
        let next = world.store.stamp().await.unwrap();
        assert!(next.timestamp() > last.timestamp());
        last = next;
    }
}

#[tokio::test]
async fn clearing_removes_everything_and_expiring_what_is_old() {
    let world = World::new();
    let (old, new) = (world.command().await, world.command().await);
    assert_eq!(
        world.store.expire(new.timestamp.timestamp()).await.unwrap(),
        1
    );
    assert_eq!(world.search(all()).await.items, [new.clone().into()]);
    assert!(!world.events().join(name::of_command(&old)).exists());
    assert_eq!(world.store.clear().await.unwrap(), 1);
    assert_eq!(world.search(all()).await.items, []);
    assert_eq!(std::fs::read_dir(world.events()).unwrap().count(), 0);
    // A directory that somebody removed is made again.
    std::fs::remove_dir_all(world.events()).unwrap();
    world.command().await;
    assert_eq!(world.search(all()).await.items.len(), 1);
}

#[tokio::test]
async fn history_and_news_are_everything_exactly_once() {
    let world = Arc::new(World::new());
    let command = world.command().await;
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (world, command) = (Arc::clone(&world), command.clone());
            tokio::spawn(async move {
                for order in 0..50 {
                    world.output(&command, order).await;
                }
            })
        })
        .collect();
    let mut subscription = world.store.subscribe().await.unwrap().unwrap();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = world.store.history(&subscription, after).await.unwrap();
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        seen.extend(page.into_iter().map(|(_, event)| event));
    }
    while seen.len() < 201 {
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), subscription.next());
        let frame = next.await.unwrap().unwrap();
        seen.push(BashEvent::from_slice(&frame).unwrap());
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let ids: std::collections::HashSet<String> = seen
        .iter()
        .map(|event| match event {
            BashEvent::Command(command) => command.id.hex(),
            BashEvent::Output(output) => output.id.hex(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids.len(), 201);
}

#[tokio::test]
async fn only_so_many_may_follow() {
    let world = World::new();
    let mut all = Vec::new();
    for _ in 0..crate::services::bash::subscription::MAX_SUBSCRIBERS {
        all.push(world.store.subscribe().await.unwrap().unwrap());
    }
    assert!(world.store.subscribe().await.unwrap().is_err());
    all.pop();
    assert!(world.store.subscribe().await.unwrap().is_ok());
}

#[tokio::test]
async fn the_events_of_a_conversation_that_has_gone_do_not_bring_its_directory_back() {
    let directory = tempfile::tempdir().unwrap();
    let gone = directory.path().join("conversation");
    let world = World {
        store: EventStore::below(gone.join("bash_events")),
        directory,
    };
    std::fs::create_dir(&gone).unwrap();
    let command = world.command().await;
    std::fs::remove_dir_all(&gone).unwrap();
    assert!(world.store.add_command(command).await.is_err());
    assert!(!gone.exists());
}
