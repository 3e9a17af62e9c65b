"""Simulators: pure functions from arrays to arrays, used when layers are built and when a question is answered.

`harvest` (what cutting a cluster costs and yields) stands on `frcs`; `move_in` moves the machines; `truck` hauls.
"""
