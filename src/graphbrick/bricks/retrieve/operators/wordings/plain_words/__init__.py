"""Words of people, work, states and today, in words that the rules read over the graph at hand."""
