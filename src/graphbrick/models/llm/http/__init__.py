"""OpenAI-compatible servers over HTTP: addresses, retries, requests and replies on the wire."""
