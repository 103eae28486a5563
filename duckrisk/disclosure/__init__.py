"""Disclosure: the measures that statistical offices and privacy officers ask for, a module each."""
