use std::time::Duration;

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn every_report_survives_the_socket() {
    let reports = [
        Report::Started { pid: 4_194_303 },
        Report::Exited { status: 0x0100 },
        Report::Gone,
        Report::Survivors { count: 7 },
        Report::Retired,
    ];
    let failures = Step::ALL.map(|step| Report::Failed { step, errno: 13 });
    for report in reports.into_iter().chain(failures) {
        assert_eq!(Report::decode(&report.encode()), Some(report));
    }
}

#[test]
fn every_order_survives_the_socket() {
    for order in [
        Order::Signal { signal: 15 },
        Order::Terminate {
            signal: 2,
            grace: Duration::from_millis(1500),
        },
        Order::Run { bytes: 65_535 },
    ] {
        assert_eq!(Order::decode(&order.encode()), Some(order));
    }
}

#[test]
fn an_endless_grace_is_cut_to_what_fits() {
    let order = Order::Terminate {
        signal: 15,
        grace: Duration::MAX,
    };
    assert_eq!(
        Order::decode(&order.encode()),
        Some(Order::Terminate {
            signal: 15,
            grace: Duration::from_millis(i32::MAX.unsigned_abs().into()),
        })
    );
}

#[test]
fn packets_of_another_length_or_kind_are_no_message() {
    assert_eq!(Report::decode(&[0; 11]), None);
    assert_eq!(Report::decode(&[0; 13]), None);
    assert_eq!(Report::decode(&packet(99, 0, 0)), None);
    assert_eq!(Report::decode(&packet(2, 99, 0)), None);
    assert_eq!(Order::decode(&packet(2, 15, -1)), None);
    assert_eq!(Order::decode(&packet(3, -1, 0)), None);
}
