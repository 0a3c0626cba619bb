use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pretty_assertions::assert_eq;

use super::AwsKeys;

/// The addresses that botocore 1.44 signs for the same credentials at the same moment.
#[test]
fn a_key_is_what_the_makers_own_library_makes() {
    let moment = UNIX_EPOCH + Duration::from_secs(1_767_323_045);
    let begin = "bedrock.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256\
        &X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-west-1%2Fbedrock%2Faws4_request\
        &X-Amz-Date=20260102T030405Z&X-Amz-Expires=43200&X-Amz-SignedHeaders=host";
    let cases = [
        (
            None,
            "&X-Amz-Signature=e3fc12decba449a18f539f1dc66ce4c90a7bba826becd0a0690eb79dafe71259&Version=1",
        ),
        (
            Some("se/ss+ion=="),
            "&X-Amz-Security-Token=se%2Fss%2Bion%3D%3D\
             &X-Amz-Signature=f3f5a1f114c7655ca44eaccf81bcafcebb7c6b3cf1061944f14d738dc8acf22e&Version=1",
        ),
    ];
    for (session, end) in cases {
        let keys = AwsKeys {
            id: "AKIDEXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session: session.map(str::to_owned),
        };
        let key = keys.bearer("eu-west-1", moment);
        let inside = key.strip_prefix("bedrock-api-key-").unwrap();
        let inside = String::from_utf8(STANDARD.decode(inside).unwrap()).unwrap();
        assert_eq!(inside, format!("{begin}{end}"));
    }
}
