"""The controlled experiment on agents' condensed memory: does its content carry weight, or is it decoration?

Each room of the repository is a subpackage by a relative link (`loadbearing/gates -> ../gates`).
"""
