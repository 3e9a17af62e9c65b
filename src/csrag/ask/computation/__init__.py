"""Stage 3: turn a Catchment into an Analysis. Numbers are made here and nowhere later."""
