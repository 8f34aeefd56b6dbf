"""Conversations: the last message of a user as a question that stands alone.

Chat programs send the whole conversation with every message. `standalone` reads its last message, which may speak of
what was said before («And who is her husband?», «and of Kenya?»), and returns a question that a pipeline can answer by
itself. Rules complete it; what they are not sure of, the language model of the pipeline does, if it has one.
"""
