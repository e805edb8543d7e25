# An image for the pods of torture matrix --on kubernetes (docs/kubernetes.md): torture, the servers, and the
# object that moves their clocks.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN go build -o /out/torture ./cmd/torture
RUN cd tools && go build -o /out/etcd go.etcd.io/etcd/server/v3
RUN sum=$(sha256sum cluster/process/clock/src/clock.c | cut -c1-16) \
	&& mkdir -p /out/cache/torture \
	&& gcc -shared -fPIC -O2 -o /out/cache/torture/clock-$sum.so cluster/process/clock/src/clock.c -ldl

FROM debian:12-slim
RUN apt-get update \
	&& apt-get install -y --no-install-recommends redis-server mariadb-server memcached postgresql zookeeper default-jre-headless procps \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --uid 65532 --home-dir /work --create-home torture
COPY --from=build /out/torture /out/etcd /usr/local/bin/
COPY --from=build /out/cache /opt/cache
ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/15/bin XDG_CACHE_HOME=/opt/cache
USER 65532:65532
WORKDIR /work
CMD ["sleep", "infinity"]
