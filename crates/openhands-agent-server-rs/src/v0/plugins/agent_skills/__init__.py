"""Functions for agents: reading, searching and editing files."""
