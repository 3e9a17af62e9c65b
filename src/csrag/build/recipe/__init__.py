"""A layer set from public sources: a recipe file names the inputs, readers lay them over the clusters of a table."""
