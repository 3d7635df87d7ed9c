# The server of spacy-deid. Build it, then run it with nothing but what it needs:
#
#   docker build -t spacy-deid .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#     --env SPACY_DEID_TOKEN --env SPACY_DEID_KEY -p 127.0.0.1:8000:8000 \
#     spacy-deid --behind-proxy --allow-host localhost
#
# Jobs need a folder that stays and that user 65532 may write: -v DIR:/jobs … --jobs /jobs
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/deid \
 && /opt/deid/bin/pip install --no-cache-dir -c constraints.txt ".[serve]" \
 && /opt/deid/bin/pip install --no-cache-dir -c constraints.txt models/en_deid-*.whl

FROM python:3.12-slim
COPY --from=build /opt/deid /opt/deid
ENV PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
EXPOSE 8000
HEALTHCHECK CMD ["/opt/deid/bin/python", "-c", \
  "from urllib.request import urlopen; urlopen('http://localhost:8000/readyz', timeout=5)"]
ENTRYPOINT ["/opt/deid/bin/spacy-deid", "serve", "--host", "0.0.0.0"]
