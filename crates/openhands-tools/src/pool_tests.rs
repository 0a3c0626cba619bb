use super::*;

#[test]
fn equal_values_are_one_while_somebody_has_them() {
    let pool = Pool::<str>::empty();
    let first = pool.share(Arc::from("a"));
    let second = pool.share(Arc::from("a"));
    let other = pool.share(Arc::from("b"));
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(&*other, "b");
    drop((first, second));
    pool.share(Arc::from("c"));
    assert_eq!(pool.0.lock().len(), 2, "what nobody has is forgotten");
}

#[test]
fn more_values_than_are_known_are_kept_each_by_its_owner() {
    let pool = Pool::<str>::empty();
    let all: Vec<Arc<str>> = (0..=MAX_KNOWN)
        .map(|number| pool.share(number.to_string().into()))
        .collect();
    assert_eq!(pool.0.lock().len(), MAX_KNOWN);
    assert_eq!(&*all[MAX_KNOWN], MAX_KNOWN.to_string());
}
