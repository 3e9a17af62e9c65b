"""Conversations: the questions asked so far, what is kept between them, and scenarios saved by name."""
