"""Stand-in for a harvest simulator: sampled, trained, checked, written out with a card, used to predict the cost layer."""
