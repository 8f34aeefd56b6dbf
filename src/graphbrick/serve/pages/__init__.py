"""Pages of the server: the workbench and the page about the API."""
