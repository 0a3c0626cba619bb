use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use super::*;

/// A clock that tests set.
#[derive(Clone, Default)]
struct Hands(Arc<Mutex<f64>>);

impl Hands {
    fn set(&self, now: f64) {
        *self.0.lock() = now;
    }

    fn owner(&self, instance: &str) -> LeaseOwner {
        let now = Arc::clone(&self.0);
        LeaseOwner {
            clock: Clock::from_fn(move || *now.lock()),
            ..LeaseOwner::this_process(instance)
        }
    }
}

fn on_disk(dir: &Path) -> OwnerLease {
    serde_json::from_slice(&fs::read(dir.join(FILE)).unwrap()).unwrap()
}

#[test]
fn the_first_claim_is_generation_one_and_is_written_for_all_to_see() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    hands.set(1000.0);
    let lease = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    assert_eq!(
        lease.claimed(),
        Claim {
            generation: 1,
            takeover: false
        }
    );
    let found = on_disk(dir.path());
    assert_eq!(
        (found.owner_instance_id.as_str(), found.generation),
        ("a", 1)
    );
    assert!((found.expires_at - 1045.0).abs() < 1e-9);
    assert_eq!(found.owner_pid, i64::from(std::process::id()));
    let mode = fs::metadata(dir.path().join(FILE))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn another_is_refused_until_the_lease_has_run_out() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    hands.set(1000.0);
    let first = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    hands.set(1044.9);
    let refusal = Lease::claim(dir.path(), hands.owner("b")).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "conversation lease is held by a until 1045"
    );
    first.renew().unwrap();
    hands.set(1089.8);
    assert!(Lease::claim(dir.path(), hands.owner("b")).is_err());
    hands.set(1089.9);
    let second = Lease::claim(dir.path(), hands.owner("b")).unwrap();
    assert_eq!(
        second.claimed(),
        Claim {
            generation: 2,
            takeover: true
        }
    );
    for lost in [first.verify(), first.renew(), first.guard().map(drop)] {
        assert!(matches!(lost, Err(LeaseError::Lost)));
    }
    second.verify().unwrap();
}

#[test]
fn the_owner_may_claim_again_and_keeps_the_generation() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    let first = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    let again = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    assert_eq!(
        again.claimed(),
        Claim {
            generation: 1,
            takeover: false
        }
    );
    first.verify().unwrap();
    again.verify().unwrap();
}

#[test]
fn a_released_lease_is_gone_and_another_starts_anew() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    Lease::claim(dir.path(), hands.owner("a"))
        .unwrap()
        .release()
        .unwrap();
    assert!(!dir.path().join(FILE).exists());
    let second = Lease::claim(dir.path(), hands.owner("b")).unwrap();
    assert_eq!(
        second.claimed(),
        Claim {
            generation: 1,
            takeover: false
        }
    );
}

#[test]
fn releasing_a_lost_lease_leaves_the_new_owner_alone() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    let first = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    hands.set(100.0);
    let second = Lease::claim(dir.path(), hands.owner("b")).unwrap();
    first.release().unwrap();
    second.verify().unwrap();
}

fn plant(dir: &Path, host: &str, pid: i64) {
    let lease = OwnerLease {
        owner_instance_id: "other".to_owned(),
        generation: 4,
        expires_at: 500.0,
        owner_host: host.to_owned(),
        owner_pid: pid,
        ..OwnerLease::default()
    };
    fs::write(dir.join(FILE), serde_json::to_vec(&lease).unwrap()).unwrap();
}

#[test]
fn a_dead_process_of_this_host_holds_nothing() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    let owner = hands.owner("a");
    let mut child = Command::new("sleep")
        .arg("60")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let pid = i64::from(child.id());

    plant(dir.path(), &owner.host, pid);
    assert!(
        Lease::claim(dir.path(), owner.clone()).is_err(),
        "a living owner"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    plant(dir.path(), "elsewhere", pid);
    assert!(
        Lease::claim(dir.path(), owner.clone()).is_err(),
        "another host"
    );
    plant(dir.path(), &owner.host, pid);
    let lease = Lease::claim(dir.path(), owner).unwrap();
    assert_eq!(
        lease.claimed(),
        Claim {
            generation: 5,
            takeover: true
        }
    );
}

#[test]
fn a_lease_of_an_older_server_counts_by_its_time_alone() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    let old = r#"{"owner_instance_id": "old", "generation": 2, "expires_at": 50}"#;
    fs::write(dir.path().join(FILE), old).unwrap();
    assert!(Lease::claim(dir.path(), hands.owner("a")).is_err());
    hands.set(50.0);
    let lease = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    assert_eq!(
        lease.claimed(),
        Claim {
            generation: 3,
            takeover: true
        }
    );
}

#[test]
fn a_lease_that_makes_no_sense_counts_as_none() {
    let hands = Hands::default();
    for text in [
        "",
        "{",
        "[]",
        r#"{"owner_instance_id":1,"generation":1,"expires_at":9e9}"#,
    ] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), text).unwrap();
        let lease = Lease::claim(dir.path(), hands.owner("a")).unwrap();
        assert_eq!(
            lease.claimed(),
            Claim {
                generation: 1,
                takeover: false
            },
            "{text}"
        );
    }
}

#[test]
fn an_unchanged_lease_is_not_read_again_and_a_changed_one_is() {
    let (dir, hands) = (tempfile::tempdir().unwrap(), Hands::default());
    let lease = Lease::claim(dir.path(), hands.owner("a")).unwrap();
    lease.verify().unwrap();
    let aside = dir.path().join("aside");
    fs::write(
        &aside,
        r#"{"owner_instance_id":"b","generation":2,"expires_at":1}"#,
    )
    .unwrap();
    fs::rename(&aside, dir.path().join(FILE)).unwrap();
    assert!(matches!(lease.verify(), Err(LeaseError::Lost)));
    fs::remove_file(dir.path().join(FILE)).unwrap();
    assert!(matches!(lease.verify(), Err(LeaseError::Lost)));
}
