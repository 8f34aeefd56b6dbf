"""What words of several languages have in common: German compounds, British and American spelling, words that ask."""
