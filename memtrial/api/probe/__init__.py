"""Recorded decisions asked again, with the memory intact, damaged, away, and with single items left out."""
