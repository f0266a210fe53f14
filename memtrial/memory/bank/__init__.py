"""The ReasoningBank: items that are judged, ranked, consolidated and forgotten (seeds/000, 001, 003)."""
