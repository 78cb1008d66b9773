"""Attacks by what comes in: one class of tests for each kind of input, on all that shows it."""
