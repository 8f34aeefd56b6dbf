"""Questions whose answer is a known class: paths between classes, over any number of relations."""
