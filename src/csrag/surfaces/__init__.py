"""What a layer is and where it is kept: frame, manifest, index, the store and its default implementation."""
