"""The documentation as data: pages, passages, and the search that questions of method are answered from."""
