"""A server for graphs: REST, an OpenAI-compatible endpoint, and MCP tools.

It needs ``pip install 'graphbrick[serve]'``. Nothing is imported here, so that the package works without that.
"""
