# An image for the pods of torture matrix --on kubernetes (docs/kubernetes.md): torture, the servers, and the
# object that moves their clocks. Where registries or the module proxy are mirrored, the arguments name the mirrors.
ARG GO_IMAGE=golang:1.26-bookworm
ARG DEBIAN_IMAGE=debian:12-slim

FROM ${GO_IMAGE} AS build
ARG GOPROXY=https://proxy.golang.org,direct
ARG GOSUMDB=sum.golang.org
# The image may have an older Go than go.mod asks for.
ENV GOTOOLCHAIN=auto
WORKDIR /src
COPY tools/go.mod tools/go.sum tools/
RUN cd tools && go build -o /out/etcd go.etcd.io/etcd/server/v3
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG COMMIT=unknown
RUN go build -ldflags "-s -w -X main.commit=$COMMIT" -o /out/torture ./cmd/torture \
	&& for driver in drivers/go/*; do (cd $driver && go build -ldflags "-s -w" -o /out/torture-driver-$(basename $driver) .) || exit 1; done
RUN sum=$(sha256sum cluster/process/clock/src/clock.c | cut -c1-16) \
	&& mkdir -p /out/cache/torture \
	&& gcc -shared -fPIC -O2 -o /out/cache/torture/clock-$sum.so cluster/process/clock/src/clock.c -ldl

FROM ${DEBIAN_IMAGE}
ARG SERVERS="redis-server mariadb-server memcached postgresql zookeeper default-jre-headless"
# Without the databases that the packages make for services: a run makes its own.
RUN mkdir -p /etc/postgresql-common \
	&& echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
	&& apt-get update \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $SERVERS procps \
	&& apt-get clean \
	&& rm -rf /var/lib/apt/lists/* /var/lib/mysql/* \
	&& useradd --uid 65532 --home-dir /work --create-home torture
COPY --from=build /out/torture /out/torture-driver-* /out/etcd /usr/local/bin/
# Data directories that runs make once are kept here as well.
COPY --from=build --chown=65532:65532 /out/cache /opt/cache
ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/15/bin XDG_CACHE_HOME=/opt/cache
USER 65532:65532
WORKDIR /work
CMD ["sleep", "infinity"]
