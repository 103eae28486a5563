"""Reports: what is told of a result, in its forms."""
