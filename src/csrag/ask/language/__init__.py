"""Optional language models: they fill gaps of the parse and word the answer; they never compute."""
