"""Maps of answers: what to show, and the same scene as a PNG picture, an SVG drawing or GeoJSON."""
