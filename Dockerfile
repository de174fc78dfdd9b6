# The program with Python, and the bundled studies to try it on:
#   docker build -t reprise .
#   docker run --rm reprise                                     the demonstration
#   docker run --rm -v "$PWD:/work" reprise run my-study ...    a study of one's own
# Where another registry is used, RUST and BASE name the images; a program that lies in
# dist/reprise is taken as it is, and then RUST needs no Rust.
ARG RUST=rust:1.95-slim-bookworm
ARG BASE=python:3.11-slim

FROM ${RUST} AS build
WORKDIR /source
COPY . .
RUN test -x dist/reprise || { cargo build --release --locked && install -D target/release/reprise dist/reprise; }

FROM ${BASE}
COPY --from=build /source/dist/reprise /usr/local/bin/reprise
COPY studies /work/studies
# Code runs as a user of its own, who cannot enter root's home.
ENV REPRISE_CACHE=/var/cache/reprise
WORKDIR /work
ENTRYPOINT ["reprise"]
CMD ["run", "studies/duncan-1961", "--approve", "auto", "--sandbox", "local"]
