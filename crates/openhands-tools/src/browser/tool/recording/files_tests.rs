use super::Files;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn events_go_into_files_that_sort_by_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = Files::new(directory.path()).unwrap();
    files.write(&[]).unwrap();
    files
        .write(&[r#"{"type":4}"#.to_owned(), r#"{"type":2}"#.to_owned()])
        .unwrap();
    files.write(&[r#"{"type":3}"#.to_owned()]).unwrap();
    let folder = &files.folder;
    let name = folder.file_name().unwrap().to_str().unwrap();
    let (prefix, time) = name.split_once('-').unwrap();
    assert_eq!(prefix, "recording");
    let parts: Vec<usize> = time.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 6, 6], "{name}");
    let mut written: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    written.sort();
    let lists: Vec<Value> = written
        .iter()
        .map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
        .collect();
    assert_eq!(
        lists,
        [json!([{"type": 4}, {"type": 2}]), json!([{"type": 3}])]
    );
    assert_eq!(
        files.summary(),
        format!(
            "Recording stopped. Captured 3 events in 2 file(s). Saved to: {}",
            folder.display()
        )
    );
}
