# docker build -t duckrisk .
# docker run --rm --network none --read-only --tmpfs /tmp -v "$PWD:/data:ro" duckrisk assess customers.parquet
FROM python:3.13-slim
COPY pyproject.toml requirements.lock README.md LICENSE CHANGELOG.md hatch_build.py /src/
COPY duckrisk /src/duckrisk
COPY sql /src/sql
COPY integrations /src/integrations
COPY datasets/levels.csv /src/datasets/levels.csv
RUN pip install --no-cache-dir -c /src/requirements.lock /src && rm -r /src
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["duckrisk"]
