"""Mechanisms of other projects' test suites, written as documents of our own, beside the results that those store."""
