"""Tables of a report, one function a section."""
