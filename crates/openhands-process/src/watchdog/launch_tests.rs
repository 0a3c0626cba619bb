use pretty_assertions::assert_eq;

use super::*;

fn request<'a>(program: &'a CStr, env: Vec<&'a CStr>) -> Request<'a> {
    Request {
        program,
        args: vec![program],
        env,
        directory: c"/",
        nice: 0,
        user: None,
        terminal: None,
        targets: Vec::new(),
    }
}

fn tried(program: &CStr, env: Vec<&CStr>) -> Vec<String> {
    candidates(&request(program, env))
        .into_iter()
        .map(|path| path.into_string().unwrap())
        .collect()
}

#[test]
fn a_path_is_tried_as_it_is() {
    assert_eq!(tried(c"./run", vec![c"PATH=/a"]), ["./run"]);
    assert_eq!(tried(c"/bin/run", vec![]), ["/bin/run"]);
}

#[test]
fn a_bare_name_is_searched_in_the_commands_own_path() {
    assert_eq!(
        tried(c"run", vec![c"HOME=/x", c"PATH=/a::/b"]),
        ["/a/run", "./run", "/b/run"]
    );
    assert_eq!(
        tried(c"run", vec![]),
        ["/usr/local/bin/run", "/usr/bin/run", "/bin/run"]
    );
}

#[test]
fn no_name_is_no_program() {
    assert_eq!(tried(c"", vec![c"PATH=/bin"]), Vec::<String>::new());
}

#[test]
fn a_failure_survives_its_pipe() {
    let failure = Failure {
        step: Step::Directory,
        errno: Errno::NOTDIR,
    };
    let read = decode_outcome(&encode(failure)).unwrap();
    assert_eq!((read.step, read.errno), (failure.step, failure.errno));
    assert!(decode_outcome(&[]).is_none());
}
