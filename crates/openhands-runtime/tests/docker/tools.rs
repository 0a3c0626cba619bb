//! Tool calls in a container.
