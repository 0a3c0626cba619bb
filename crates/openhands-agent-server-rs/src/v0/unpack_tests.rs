use std::io::Write as _;

use zip::write::SimpleFileOptions;

use super::*;

fn archive(at: &Path, members: &[(&str, u32)]) {
    let mut zip = zip::ZipWriter::new(File::create(at).unwrap());
    for (name, mode) in members {
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        if name.ends_with('/') {
            zip.add_directory(*name, options).unwrap();
        } else {
            zip.start_file(*name, options).unwrap();
            zip.write_all(b"x").unwrap();
        }
    }
    zip.finish().unwrap();
}

#[test]
fn everybody_can_read_what_was_unpacked() {
    let place = tempfile::tempdir().unwrap();
    let zip = place.path().join("a.zip");
    let modes = [
        ("private/", 0o700, 0o755),
        ("private/key", 0o600, 0o644),
        ("private/run.sh", 0o700, 0o744),
        ("run.sh", 0o775, 0o775),
        ("nobody", 0o000, 0o644),
        ("closed/", 0o000, 0o755),
    ];
    let members: Vec<(&str, u32)> = modes.iter().map(|(name, mode, _)| (*name, *mode)).collect();
    archive(&zip, &members);
    unpack(&zip, place.path()).unwrap();
    for (name, _, expected) in modes {
        let mode = fs::metadata(place.path().join(name)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o7777, expected, "{name}");
    }
    assert!(!zip.exists());
}

#[test]
fn a_method_that_is_not_known_is_named() {
    let place = tempfile::tempdir().unwrap();
    let zip = place.path().join("a.zip");
    archive(&zip, &[("a", 0o644)]);
    // Method 12 (bzip2) in both headers of the member.
    let mut bytes = fs::read(&zip).unwrap();
    for (signature, offset) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let at = bytes.windows(4).position(|four| four == signature).unwrap();
        bytes[at + offset] = 12;
    }
    fs::write(&zip, bytes).unwrap();
    let said = unpack(&zip, place.path()).unwrap_err().to_string();
    assert!(
        said.contains("compression method not supported: 12"),
        "{said}"
    );
    assert!(zip.exists());
}
