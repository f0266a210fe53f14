"""Which clusters of episodes have changed since their strategies were written, and are to be written anew."""

from collections.abc import Collection, Mapping


def find_dirty_clusters(
    episodes: Mapping[str, Collection[str]], written: Mapping[str, Collection[str]]
) -> tuple[str, ...]:
    """The names of clusters with an episode that no synthesis has seen, sorted (REQUIREMENTS A-23, A-25).

    Args:
        episodes: by cluster, the ids of its episodes now.
        written: by cluster, those that its last synthesis saw; one that is gone since changes nothing.
    """
    return tuple(sorted(name for name, ids in episodes.items() if not set(ids) <= set(written.get(name, ()))))
