"""How much longer roads are than straight lines: zones and factors fitted to a road network, and how far off they are."""
