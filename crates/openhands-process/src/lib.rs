//! Children of this machine: process trees, bounded output, pseudo-terminals and the persistent shell.
