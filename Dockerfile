# Tandem as an image: the app, and with other commands its worker and its backups. See docs/scaling.md.
FROM python:3.11.14-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore

# torch alone is larger than everything else together, so it has a layer of its own. For a GPU:
# --build-arg TORCH_INDEX=https://pypi.org/simple
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-deps --index-url "$TORCH_INDEX" "$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)"
RUN pip install -r requirements.txt

# The program belongs to root, and whoever runs it cannot change it.
COPY . .
RUN python -m compileall -q core pages app.py \
    && useradd --uid 10001 --create-home tandem \
    && install -d -o tandem -g tandem /store /backups /models
USER tandem
ENV TANDEM_STORE=/store/tandem.sqlite3 \
    HF_HOME=/models

EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://localhost:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.headless=true"]
