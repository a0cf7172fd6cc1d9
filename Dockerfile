# Playhead as a sidecar: a static Swift runtime on Debian slim, an unprivileged user, a root that may be read-only.
#
#   docker build -t playhead .
#   docker run -p 127.0.0.1:8080:8080 -v "$PWD/cassettes:/cassettes" playhead
#
# Every option can be given as a variable, e.g. -e PLAYHEAD_MODE=none -e PLAYHEAD_CASSETTE=checkout.

FROM swift:6.2-bookworm AS build
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        pkg-config libssl-dev libyaml-dev zlib1g-dev libbrotli-dev libzstd-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The manifest first: dependencies are fetched again only when it changes.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
# The manifest names the test targets, so their folders must be there.
COPY Tests Tests
RUN swift build -c release --product playhead --static-swift-stdlib \
    && install -D -m 0755 "$(swift build -c release --show-bin-path)/playhead" /out/usr/local/bin/playhead \
    && strip /out/usr/local/bin/playhead

FROM debian:bookworm-slim
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        ca-certificates libssl3 libyaml-0-2 zlib1g libbrotli1 libzstd1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    # Group 0 may write: clusters that pick the user id at random keep that group.
    && install -d -o 65532 -g 0 -m 0770 /cassettes /run/playhead /ca
COPY --from=build /out/ /
# A crashing Swift process may hang in its backtracer for minutes; a sidecar must die at once.
# The CA, its key and the admin API's token live in /run/playhead; /ca gets the public files alone, to be shared.
ENV SWIFT_BACKTRACE=enable=no \
    HOME=/run/playhead \
    PLAYHEAD_CASSETTES=/cassettes \
    PLAYHEAD_LISTEN=0.0.0.0:8080 \
    PLAYHEAD_ADMIN=0.0.0.0:8081 \
    PLAYHEAD_SHARE_CA=/ca
USER 65532:0
WORKDIR /run/playhead
VOLUME ["/cassettes", "/run/playhead", "/ca"]
EXPOSE 8080 8081
HEALTHCHECK --interval=5s --timeout=6s --start-period=30s CMD ["playhead", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["playhead"]
CMD ["serve"]
