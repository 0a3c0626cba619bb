use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn refusal<T: fmt::Debug>(read: Read<T>) -> &'static str {
    read.unwrap_err()[0].kind
}

#[test]
fn flags_are_read_as_the_reference_reads_them() {
    for yes in [
        json!(true),
        json!(1),
        json!(1.0),
        json!("TRUE"),
        json!("on"),
        json!("y"),
    ] {
        assert!(flag(&yes).unwrap(), "{yes}");
    }
    for no in [
        json!(false),
        json!(0),
        json!("False"),
        json!("off"),
        json!("n"),
    ] {
        assert!(!flag(&no).unwrap(), "{no}");
    }
    assert_eq!(refusal(flag(&json!("maybe"))), "bool_parsing");
    assert_eq!(refusal(flag(&json!(2))), "bool_parsing");
    assert_eq!(refusal(flag(&json!(null))), "bool_type");
    for no_candidate in [json!(0.5), json!(-0.5), json!(1e19), json!(1_u64 << 63)] {
        assert_eq!(refusal(flag(&no_candidate)), "bool_type", "{no_candidate}");
    }
}

#[test]
fn integers_take_whole_floats_and_digit_strings() {
    for three in [json!(3), json!(3.0), json!("3"), json!(" 3 "), json!("3.0")] {
        assert_eq!(integer(&three).unwrap(), 3, "{three}");
    }
    assert_eq!(refusal(integer(&json!(3.5))), "int_from_float");
    assert_eq!(refusal(integer(&json!("three"))), "int_parsing");
    assert_eq!(refusal(integer(&json!([]))), "int_type");
    assert_eq!(refusal(integer(&json!(1e300))), "int_parsing_size");
}

#[test]
fn underscores_stand_between_digits_only() {
    assert_eq!(integer(&json!("1_000")).unwrap(), 1000);
    assert_eq!(integer(&json!("1_0.0")).unwrap(), 10);
    assert!((number(&json!("1_0.5")).unwrap() - 10.5).abs() < f64::EPSILON);
    for misplaced in ["_1", "1_", "1__0", "-_1"] {
        assert_eq!(refusal(integer(&json!(misplaced))), "int_parsing");
    }
    for misplaced in ["_0.5", "1_.5", "1._5", "5_"] {
        assert_eq!(refusal(number(&json!(misplaced))), "float_parsing");
    }
}

#[test]
fn integers_beyond_64_bits_count_as_the_nearest_that_fits() {
    assert_eq!(integer(&json!(u64::MAX)).unwrap(), i64::MAX);
    let digits = "1".repeat(40);
    assert_eq!(integer(&json!(digits)).unwrap(), i64::MAX);
    assert_eq!(integer(&json!(format!("-{digits}"))).unwrap(), i64::MIN);
    assert_eq!(
        refusal(integer_at_least(0)(&json!(format!("-{digits}")))),
        "greater_than_equal"
    );
}

#[test]
fn numbers_below_the_least_and_nan_are_refused() {
    assert!((number_at_least(0)(&json!("1.5")).unwrap() - 1.5).abs() < f64::EPSILON);
    assert_eq!(
        refusal(number_at_least(0)(&json!(-1))),
        "greater_than_equal"
    );
    assert_eq!(
        refusal(number_at_least(0)(&json!("nan"))),
        "greater_than_equal"
    );
    assert_eq!(
        refusal(integer_at_least(1)(&json!(0))),
        "greater_than_equal"
    );
}

#[test]
fn every_problem_is_reported_in_schema_order_and_extras_last() {
    let given = json!({"extra": 1, "timeout": -1, "mode": "x"});
    let mut arguments = Arguments::new(given.as_object().unwrap());
    arguments.required("command", text);
    arguments.required("mode", one_of(&["view", "create", "insert"]));
    arguments.optional("timeout", number_at_least(0));
    let errors = arguments.finish().unwrap_err().errors;
    let seen: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        seen,
        [
            "command: Field required (missing)",
            "mode: Input should be 'view', 'create' or 'insert' (literal_error)",
            "timeout: Input should be greater than or equal to 0 (greater_than_equal)",
            "extra: Extra inputs are not permitted (extra_forbidden)",
        ]
    );
}

#[test]
fn problems_inside_lists_name_the_index_and_the_field() {
    let given = json!({"tasks": [{"title": "a"}, {"notes": "b", "other": 1}]});
    let mut arguments = Arguments::new(given.as_object().unwrap());
    arguments.required("tasks", list(object(|task| task.required("title", text))));
    let errors = arguments.finish().unwrap_err().errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(
        errors[0].loc,
        [Loc::from("tasks"), Loc::Index(1), Loc::from("title")]
    );
}

#[test]
fn null_is_absent_for_optional_fields_only() {
    let given = json!({"a": null, "b": null});
    let mut arguments = Arguments::new(given.as_object().unwrap());
    assert_eq!(arguments.optional("a", text), None);
    arguments.or("b", false, flag);
    assert_eq!(arguments.finish().unwrap_err().errors[0].kind, "bool_type");
}
