//! Tools that the client itself offers.

use super::observation::observation;

observation! {
    /// The call went to the client.
    pub struct ClientToolObservation ["kind" = "ClientToolObservation"] {
    }
}
