use super::*;

#[test]
fn what_was_counted_is_written() {
    let metrics = Metrics::new();
    let open = metrics.socket();
    drop(metrics.socket());
    metrics.event();
    metrics.event();
    // Whether it was looked up before or not.
    let counts = metrics.counts_of(&Method::GET, "/api/x/{id}", 200);
    counts.answered(Duration::from_millis(3));
    for status in [200, 404] {
        let took = Duration::from_millis(3);
        metrics.answered(&Method::GET, Some("/api/x/{id}"), status, took);
    }
    let strange = Method::from_bytes(b"BREW").unwrap();
    metrics.answered(&strange, None, 405, Duration::ZERO);
    let snapshot = Snapshot {
        conversations_running: 3,
        cpu_seconds: 1.5,
        ..Snapshot::default()
    };
    let text = metrics.text(&snapshot).unwrap();
    for line in [
        r#"openhands_http_requests_total{method="GET",route="/api/x/{id}",status="200"} 2"#,
        r#"openhands_http_requests_total{method="OTHER",route="other",status="405"} 1"#,
        r#"openhands_http_request_duration_seconds_count{method="GET",route="/api/x/{id}"} 3"#,
        r#"openhands_http_request_duration_seconds_bucket{le="0.005",method="GET",route="/api/x/{id}"} 3"#,
        "openhands_sockets_open 1",
        "openhands_events_appended_total 2",
        "openhands_conversations_running 3",
        "openhands_process_cpu_seconds 1.5",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
    drop(open);
    let text = metrics.text(&snapshot).unwrap();
    assert!(text.contains("openhands_sockets_open 0"));
}
