"""Bring your own: what `path/to/module.py:Object` may stand for, one kind a file.

A stranger's object is wrapped so that it fits our protocols, and kept behind a border: whatever it raises
becomes one clear line. `runs.own.object` says how a file is run and an object made of it.
"""
