"""Places of California: towns, counties by polygon, ZIP codes, forests, regions and plants."""
