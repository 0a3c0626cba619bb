use super::*;
use std::time::SystemTime;

#[test]
fn profiles_of_the_dead_are_swept_and_those_of_the_living_stay() {
    let root = tempfile::tempdir().unwrap();
    let folder = |name: &str, age: Duration| {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.join("Default")).unwrap();
        let made = SystemTime::now() - age;
        std::fs::File::open(&path)
            .unwrap()
            .set_modified(made)
            .unwrap();
        path
    };
    let dead = folder(&format!("{PREFIX}dead"), NEW * 2);
    let others = [
        folder(&format!("{PREFIX}alive"), NEW * 2),
        folder(&format!("{PREFIX}new"), Duration::ZERO),
        folder("something-else", NEW * 2),
    ];
    let _lock = locked(&others[0]).unwrap();
    sweep(root.path());
    assert!(!dead.exists() && others.iter().all(|path| path.exists()));
}

#[test]
fn a_profile_that_is_still_written_to_goes_all_the_same() {
    let profile = Profile::make(None).unwrap();
    let path = profile.path().to_owned();
    let writing = path.clone();
    let (begun, begins) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        for number in 0..30 {
            let _ = std::fs::create_dir_all(writing.join("Default"));
            let _ = std::fs::write(writing.join(format!("Default/{number}")), "late");
            let _ = begun.send(());
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    begins.recv().unwrap();
    drop(profile);
    writer.join().unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while path.exists() {
        assert!(std::time::Instant::now() < deadline, "it is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}
