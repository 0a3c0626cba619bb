//! The numbers by which the model names elements.

use std::collections::{HashMap, HashSet};

/// Where an element is found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The tab that it is in.
    pub tab: String,
    /// The session that answers for the frame whose world knows it.
    pub session: String,
    /// That frame.
    pub frame: String,
    /// That world.
    pub token: String,
    /// Its number there.
    pub number: u32,
}

/// Elements by the numbers that the model sees. A number is given once: it never comes to mean another element.
#[derive(Debug, Default)]
pub struct Numbers {
    last: i64,
    given: HashMap<(String, u32), i64>,
    places: HashMap<i64, Place>,
}

impl Numbers {
    /// The number of an element: the one that it has, or a new one.
    pub fn of(&mut self, place: Place) -> i64 {
        let key = (place.token.clone(), place.number);
        let number = *self.given.entry(key).or_insert_with(|| {
            self.last += 1;
            self.last
        });
        self.places.insert(number, place);
        number
    }

    /// Where the element with this number is.
    pub fn find(&self, number: i64) -> Option<&Place> {
        self.places.get(&number)
    }

    /// Forgets the elements of a tab that are in other worlds than these: their documents are gone.
    pub fn keep(&mut self, tab: &str, tokens: &HashSet<String>) {
        self.places
            .retain(|_, place| place.tab != tab || tokens.contains(&place.token));
        let places = &self.places;
        self.given.retain(|_, number| places.contains_key(number));
    }

    /// Forgets the elements of every tab but these.
    pub fn keep_tabs(&mut self, tabs: &HashSet<String>) {
        self.places.retain(|_, place| tabs.contains(&place.tab));
        let places = &self.places;
        self.given.retain(|_, number| places.contains_key(number));
    }
}

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
