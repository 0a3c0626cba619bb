use super::*;

#[test]
fn a_path_without_a_name_is_where_the_process_is() {
    let here = std::env::current_dir().unwrap();
    assert_eq!(absolute(Path::new("")), here);
    assert_eq!(absolute(Path::new(".")), here);
    assert_eq!(absolute(Path::new("a/b")), here.join("a/b"));
    assert_eq!(absolute(Path::new("/a/b")), Path::new("/a/b"));
}
