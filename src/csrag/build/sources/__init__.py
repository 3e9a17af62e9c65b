"""Where clusters come from: each module here offers clusters, their removals, and where every layer came from."""
