# The server over graphs in /data: docker run -p 8000:8000 -v ./data:/data -e GRAPHBRICK_TOKEN=... graphbrick /data/films.graph
FROM python:3.12-slim
WORKDIR /app
COPY pyproject.toml hatch_build.py README.md LICENSE NOTICE ./
COPY src ./src
RUN pip install --no-cache-dir '.[serve,learn,llm,text,ladybug]' && useradd --create-home graphbrick
USER graphbrick
# The model of the untrained default, and the compiled kernels of a first question, so that no container waits for them.
RUN graphbrick models fetch all-minilm-l6-v2 && python -c "from graphbrick.learn.default import default_pipeline; \
from graphbrick.testing import tiny_graph; graph = tiny_graph(); default_pipeline(graph).run(graph, 'Which currency has Kenya?')"
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["graphbrick", "serve", "--host", "0.0.0.0"]
CMD ["/data/films.graph"]
