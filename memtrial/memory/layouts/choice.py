"""Which layout a text is in."""

from memtrial.memory.layouts.fields import ItemLayout
from memtrial.memory.layouts.json_layout import read_json
from memtrial.memory.layouts.labels import read_labels
from memtrial.memory.layouts.table_layout import read_table
from memtrial.memory.layouts.tags import read_tags


def layout_of(text: str) -> ItemLayout | None:
    """The layout whose first item begins first: another one further on is an example within that item.

    None where the text holds no item; a text that breaks off in its first item, or says that there is none,
    has a layout without items.
    """
    read = [read_json(text), read_tags(text), read_table(text)]
    filled = [layout for layout in read if layout is not None and layout.blocks]
    labels = read_labels(text)
    if labels is not None and not labels.blocks:
        read.append(labels)
        labels = None
    begins = [(layout.blocks[0].start, layout) for layout in filled]
    if labels is not None:
        spans = [span for field in labels.blocks[0].fields for span in field.spans]
        begins.append((min(spans)[0] if spans else labels.blocks[0].start, labels))
    if begins:
        return min(begins, key=lambda pair: pair[0])[1]
    return next((layout for layout in read if layout is not None), None)
