"""A gate of one's own: a claim is one sentence of at most thirty words."""


def short_claim(item, trajectory):
    claim = getattr(item, "claim", None)
    if claim is None:
        return None
    n = len(claim.split())
    return n <= 30, f"the claim has {n} words"
