"""The Python interface: keywords, the settings file, and what a source holds."""
