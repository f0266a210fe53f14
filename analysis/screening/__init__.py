"""Which of many parts matter: half fractions screen them, fresh trials confirm the few."""
