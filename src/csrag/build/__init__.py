"""How layers are made: a source of clusters, the harvest simulator over every record, a layer set in a directory."""
