"""What every other wing uses: errors, options, sentences, shapes of results, files and numbers."""
