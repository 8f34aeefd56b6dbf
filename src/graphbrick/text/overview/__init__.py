"""What documents are about as a whole: their topics, names and central sentences, without a language model."""
