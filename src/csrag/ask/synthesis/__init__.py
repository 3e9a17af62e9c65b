"""Stage 4: words. Every number in them is a reference to a computed value, and is checked before it is shown."""
