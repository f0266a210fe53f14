"""Consolidation: links, quarantines, promotions and archivings, proposed and never carried out here."""
