"""Contests of anonymisation: the PWS Cup, and membership inference."""
