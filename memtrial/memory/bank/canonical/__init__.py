"""The canonical form of an item, without what belongs to one instance; the forms that profiles ask for."""
