"""What several tests share: a plain solver, a layer set in memory."""
