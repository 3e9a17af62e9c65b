"""The HTTP door: questions and conversations for many clients, each by itself."""
