"""Parts of the mode `frozen`: the plan of its blocks, and looks that were locked."""
