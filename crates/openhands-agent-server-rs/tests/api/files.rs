//! Files and directories of the server.

mod archive;
mod directories;
mod trajectory;
mod transfer;
